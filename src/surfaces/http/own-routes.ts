// Routes that are not operations: health, live events, the API description, and the briefing for an agent.
import { z } from 'zod';
import type { Context } from '../../operations/operation.ts';
import { briefing, giveBriefing } from '../../operations/recall/briefing.ts';
import { AgentName } from '../../schema/agent-name.ts';
import { BriefingSource } from '../../schema/briefing.ts';
import { LiveEvent, type LiveEvents } from '../../schema/live-event.ts';
import { Work, type WorkSource } from '../../schema/work.ts';
import type { McpHttp } from '../mcp/http.ts';
import type { EventStreams } from './events.ts';
import { type Route, route } from './route.ts';

export interface OwnDeps {
  readonly version: string;
  readonly streams: EventStreams;
  /** Proves to a caller that this is the worker. */
  readonly prove: (nonce: string) => string;
  readonly context: Context;
  readonly events: LiveEvents;
  readonly work?: WorkSource | undefined;
  readonly allRoutes: () => readonly Route[];
  /** Opened at the first call, so that the worker does not hold unused code in memory. */
  readonly mcp: () => Promise<McpHttp>;
}

/** The routes of this file, in the order of the API's description. */
export const ownRoutes = (deps: OwnDeps): Route[] => [
  healthRoute(deps),
  briefingRoute(deps),
  workRoute(deps),
  eventsRoute(deps),
  descriptionRoute(deps),
  mcpRoute(deps),
];

const reads = { method: 'GET', access: 'full', type: 'application/json', input: z.object({}) } as const;

const healthRoute = ({ version, prove, context }: OwnDeps): Route =>
  route({
    ...reads,
    path: '/api/health',
    summary: 'Check that the worker runs, and its version',
    access: 'open',
    input: z.object({
      nonce: z
        .string()
        .regex(/^[0-9a-f]{32,128}$/)
        .optional()
        .describe('any hexadecimal text; the answer then contains a proof that the worker knows the token'),
    }),
    output: z.object({
      ok: z.literal(true),
      name: z.literal('holdfast'),
      version: z.string(),
      pid: z.int(),
      proof: z.string().optional().describe('HMAC-SHA256 of "holdfast", the port and the nonce, with the token as key'),
    }),
    async run({ nonce }) {
      await context.store.admin.probe();
      return {
        ok: true,
        name: 'holdfast',
        version,
        pid: process.pid,
        ...(nonce === undefined ? {} : { proof: prove(nonce) }),
      };
    },
  });

const briefingRoute = ({ context, events }: OwnDeps): Route =>
  route({
    ...reads,
    path: '/api/context/inject',
    summary: 'The briefing for a session that starts',
    input: z.object({
      project: z.string().min(1).describe('name of a project, or any path inside it'),
      session: z.string().min(1).optional().describe('the session that gets it; Holdfast records what it was given'),
      source: z.string().min(1).optional().describe('why the session starts: startup, resume, clear, compact'),
      agent: AgentName.default('claude-code').describe('the agent of the session'),
    }),
    type: 'text/markdown',
    output: z.string().describe('empty if there is nothing to say'),
    async run({ project, session, source, agent }) {
      // A reason that only newer clients know must not suppress the briefing.
      const why = BriefingSource.safeParse(source).data ?? 'startup';
      if (session === undefined) return (await briefing.run(context, { project, source: why })).text;
      const text = await giveBriefing(context, { agent, session, project, source: why });
      if (text !== '') events.publish({ kind: 'briefing', agent, session });
      return text;
    },
  });

const workRoute = ({ work }: OwnDeps): Route =>
  route({
    ...reads,
    path: '/api/work',
    summary: 'What the worker imports, embeds, distills and copies right now, with progress and remaining time',
    output: z.object({ work: z.array(Work) }),
    run: async () => ({ work: work?.now() ?? [] }),
  });

const eventsRoute = ({ streams }: OwnDeps): Route =>
  route({
    ...reads,
    path: '/api/events',
    summary:
      'Live events: server-sent events; those named `change` have an id to continue from, those named `work` say what it does right now',
    input: z.object({
      after: z.int().min(0).optional().describe('send changes after this number, if there is no header Last-Event-ID'),
    }),
    type: 'text/event-stream',
    output: LiveEvent,
    run: async ({ after }, { request, response }) =>
      streams.add(response, numberIn(request.headers['last-event-id']) ?? after),
  });

const descriptionRoute = ({ version, allRoutes }: OwnDeps): Route =>
  route({
    ...reads,
    path: '/api/openapi.json',
    summary: 'The OpenAPI description of this API',
    output: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
    // Loaded only here, so that the worker does not hold unused code in memory.
    run: async () =>
      (await import('./openapi.ts')).openApi(
        allRoutes().filter(({ speak, type }) => speak === undefined && type !== 'page'),
        version,
      ),
  });

const mcpRoute = ({ mcp }: OwnDeps): Route =>
  route({
    method: 'POST',
    path: '/mcp',
    summary: 'MCP for agents: streamable HTTP without sessions',
    access: 'full',
    type: 'application/json',
    input: z.object({}),
    output: z.unknown(),
    run: async () => undefined,
    speak: async (body, { request, response }) => (await mcp()).answer(request, body, response),
  });

export const numberIn = (id: string | string[] | undefined): number | undefined =>
  typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
