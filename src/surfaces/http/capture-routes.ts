// Reports of agents and their clients: hooks as the agent sends them, and the session API for clients without a
// transcript.
import { z } from 'zod';
import { agents } from '../../agents/index.ts';
import { openClients } from '../../capture/live/client.ts';
import { type LiveDeps, receiveHook } from '../../capture/live/hook.ts';
import { type Route, route } from './route.ts';

/** Tool outputs arrive whole. */
const largeBody = 8 << 20;

const sessionId = z.string().trim().min(1).max(500).describe('the id that all reports of a session share');
/** Clients of earlier versions send this name. */
const formerNames = { claudeSessionId: 'sessionId' };
const path = z.string().max(4096);
const done = z.object({ ok: z.literal(true) });

export function captureRoutes(deps: LiveDeps): Route[] {
  const clients = openClients(deps);
  const report = { method: 'POST', access: 'report', type: 'application/json', limit: largeBody, formerNames } as const;
  return [
    ...hookRoutes(deps),
    route({
      ...report,
      path: '/api/sessions/init',
      summary: 'Report that a session starts or gets a prompt',
      input: z.object({
        sessionId,
        project: path.optional().describe('the working folder'),
        cwd: path.optional(),
        userPrompt: z.string().optional(),
      }),
      output: z.object({ session: z.string(), promptNumber: z.int() }),
      run: (said) => clients.init(said),
    }),
    route({
      ...report,
      path: '/api/sessions/observations',
      summary: 'Report a tool use',
      input: z.object({
        sessionId,
        tool_name: z.string().min(1).max(500),
        tool_input: z.unknown().optional(),
        tool_response: z.unknown().optional(),
        cwd: path.optional(),
      }),
      output: z.object({ stored: z.boolean().describe('false for a tool on the skip list') }),
      run: (said) => clients.observe(said),
    }),
    route({
      ...report,
      path: '/api/sessions/summarize',
      summary: 'Report that the agent has stopped and waits',
      input: z.object({
        sessionId,
        last_user_message: z.string().optional(),
        last_assistant_message: z.string().optional(),
      }),
      output: done,
      run: async (said) => {
        await clients.summarize(said);
        return { ok: true };
      },
    }),
    route({
      ...report,
      path: '/api/sessions/complete',
      summary: 'Report that a session has ended',
      input: z.object({ sessionId, reason: z.string().max(500).optional() }),
      output: done,
      run: async (said) => {
        await clients.complete(said);
        return { ok: true };
      },
    }),
    route({
      ...report,
      path: '/api/processing',
      summary: 'Tell live viewers whether an agent is working',
      input: z.object({ isProcessing: z.boolean(), sessionId: sessionId.optional() }),
      output: done,
      run: async ({ isProcessing, sessionId: session }) => {
        deps.events.publish({ kind: 'processing', isProcessing, ...(session === undefined ? {} : { session }) });
        return { ok: true };
      },
    }),
  ];
}

function hookRoutes(deps: LiveDeps): Route[] {
  return agents
    .filter((agent) => 'readHook' in agent)
    .map((agent) =>
      route({
        method: 'POST',
        path: `/api/hooks/${agent.name}`,
        summary: `A hook payload of ${agent.title}, unchanged`,
        access: 'report',
        type: 'application/json',
        limit: largeBody,
        input: z.looseObject({ session_id: z.unknown(), hook_event_name: z.unknown() }),
        output: z.object({
          hookSpecificOutput: z.object({ hookEventName: z.string(), additionalContext: z.string() }).optional(),
        }),
        async run(payload, { access }) {
          // A caller that only has the hook token must not read memory through a hook: only the full token gets an
          // answer with memory.
          const { context } = await receiveHook(
            access === 'full' ? deps : { ...deps, onPrompt: undefined },
            agent,
            payload,
          );
          if (context === undefined || access !== 'full') return {};
          const hookSpecificOutput = { hookEventName: payload.hook_event_name, additionalContext: context };
          return { hookSpecificOutput };
        },
      }),
    );
}
