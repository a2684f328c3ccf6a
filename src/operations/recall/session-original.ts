// What the store shortens or lacks, read from the transcript itself: a whole tool use, the pictures of an entry, tokens
// and their cost.
import { z } from 'zod';
import { asObject } from '../../agents/json.ts';
import { type Picture, picturesIn } from '../../agents/pictures.ts';
import { countUsage, quietSince, usageOf } from '../../capture/usage.ts';
import { type OriginalLine, originalLines } from '../../capture/vault/original.ts';
import { pricesOf } from '../../language/model-prices.ts';
import { modelCost, totalCost } from '../../language/token-costs.ts';
import { AgentName } from '../../schema/agent-name.ts';
import { ModelUsage } from '../../schema/model-usage.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { find } from './find.ts';
import { sessionNamed } from './session-parts.ts';

const agentField = AgentName.optional().describe('the agent, if two agents use the same id');

/** More than a person reads in one piece. */
const longestText = 4 << 20;

const Original = z.object({
  session: z.string(),
  entry: z.string(),
  input: z.string().optional().describe('with `use`: input of the tool, as JSON'),
  output: z.string().optional().describe('with `use`: output of the tool'),
  left: z.int().describe('characters that were left out'),
  pictures: z.array(z.object({ type: z.string(), data: z.string().describe('base64') })),
});

export const sessionsOriginal = operation({
  name: 'sessions original',
  summary: 'Show a whole tool use, or the pictures of an entry, from the transcript',
  input: z.object({
    id: z.string().min(1).describe('id of an entry; its beginning is enough'),
    use: z.string().min(1).optional().describe('id of a tool use of this entry'),
    agent: agentField,
  }),
  output: Original,
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/original' },
  positional: ['id', 'use'],
  examples: ['holdfast sessions original 1a2b', 'holdfast sessions original 1a2b toolu_01 --json'],
  async run(
    context: Context<'entries' | 'hub' | 'pauses' | 'projects' | 'removal' | 'sessions' | 'transcripts' | 'vault'>,
    { id, use, agent },
  ) {
    const { session, entry } = await find(context.store, id.trim(), agent);
    if (entry === undefined)
      throw new HoldfastError('BAD_INPUT', `${id} is a session, not an entry`, {
        hint: `List its entries with: holdfast show ${session.id}`,
      });
    const uses = await context.store.entries.toolUses([entry.id]);
    // A forgotten use has no row, but the transcript may still have it.
    if (use !== undefined && !uses.some((one) => one.id === use))
      throw new HoldfastError('NOT_FOUND', `The entry ${entry.id} has no tool use ${JSON.stringify(use)}`, {
        hint: `List its tool uses with: holdfast show ${entry.id} --json`,
      });
    const own = { agent: entry.agent, id: entry.session };
    const found = await originalOf(originalLines(context, { agent: own.agent, session: own.id }), entry.id, use);
    if (found === undefined)
      throw new HoldfastError('NOT_FOUND', 'Neither the transcript nor the vault holds this entry any more', {
        hint: 'Only the stored part is left.',
      });
    const [input, output] = [within(found.input), within(found.output)];
    return {
      session: session.id,
      entry: entry.id,
      ...(input === undefined ? {} : { input: input.text }),
      ...(output === undefined ? {} : { output: output.text }),
      left: (input?.left ?? 0) + (output?.left ?? 0),
      pictures: found.pictures.slice(0, mostPictures),
    };
  },
});

const mostPictures = 12;

function within(text: string | undefined): { text: string; left: number } | undefined {
  if (text === undefined) return undefined;
  return { text: text.slice(0, longestText).toWellFormed(), left: Math.max(0, text.length - longestText) };
}

interface Found {
  input?: string;
  output?: string;
  pictures: Picture[];
}

/** Reads lines until it has seen the entry and, with a use, its result. */
async function originalOf(
  lines: AsyncGenerator<OriginalLine>,
  entry: string,
  use: string | undefined,
): Promise<Found | undefined> {
  let found: Found | undefined;
  const states = new Map<string, Record<string, string | number | boolean>>();
  for await (const { agent, key, value } of lines) {
    const state = states.get(key) ?? {};
    states.set(key, state);
    for (const item of agent.read(value, { key, state }).items) {
      if (item.kind === 'entry' && item.uuid === entry) {
        const used = item.toolUses.find(({ id }) => id === use);
        found = {
          ...(used === undefined ? {} : { input: JSON.stringify(used.input ?? {}) }),
          pictures: use === undefined ? picturesIn(value) : [],
        };
        if (use === undefined && found.pictures.length > 0) return found;
      } else if (item.kind === 'tool-result' && item.id === use && found !== undefined) {
        return { ...found, output: item.output, pictures: picturesIn(blockOf(value, use)) };
      }
    }
  }
  return found;
}

const idNames = ['tool_use_id', 'call_id', 'callId', 'toolCallId', 'toolUseId'] as const;

/** The part of a line with the result of this use: the line may contain other results. */
function blockOf(value: unknown, use: string): unknown {
  const look = (inside: unknown, depth: number): unknown => {
    if (typeof inside !== 'object' || inside === null || depth > 8) return undefined;
    if (idNames.some((name) => asObject(inside)[name] === use)) return inside;
    for (const one of Object.values(inside)) {
      const found = look(one, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return look(value, 0) ?? value;
}

const Usage = ModelUsage.omit({ cacheWriteHour: true }).extend({
  cost: z.number().optional().describe('US dollars; absent if the price of the model is unknown'),
});

export const sessionsUsage = operation({
  name: 'sessions usage',
  summary: 'Count the tokens of a session by model, and what they cost',
  input: z.object({ id: z.string().min(1).describe('id of a session; its beginning is enough'), agent: agentField }),
  output: z.object({
    session: z.string(),
    models: z.array(Usage).describe('the most used first; empty if the transcript states no tokens'),
    cost: z.number().optional().describe('cost of all models; absent if a price is unknown'),
    pricesOf: z.string().describe('the day on which the prices were checked against those of the vendors'),
  }),
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/usage' },
  positional: ['id'],
  examples: ['holdfast sessions usage 0f3c', 'holdfast sessions usage 0f3c --json'],
  async run(
    context: Context<
      'entries' | 'hub' | 'pauses' | 'projects' | 'removal' | 'sessions' | 'transcripts' | 'usage' | 'vault'
    >,
    { id, agent },
  ) {
    const session = await sessionNamed(context, id, agent);
    const models = await usageOf(context, { agent: session.agent, session: session.id });
    const { prices } = context.config.settings;
    const cost = totalCost(models, prices);
    return {
      session: session.id,
      models: models.map(({ cacheWriteHour, ...usage }) => {
        const own = modelCost({ ...usage, cacheWriteHour }, prices);
        return {
          ...usage,
          cacheWrite: usage.cacheWrite + cacheWriteHour,
          ...(own === undefined ? {} : { cost: own }),
        };
      }),
      ...(cost === undefined ? {} : { cost }),
      pricesOf,
    };
  },
});

export const sessionsCount = operation({
  name: 'sessions count',
  ending: 'guarded',
  summary: 'Count the tokens of all sessions that are quiet, as the worker does, so that lists show what each one cost',
  input: z.object({}),
  output: z.object({ counted: z.int().describe('sessions that were counted now') }),
  surfaces: ['cli'],
  examples: ['holdfast sessions count'],
  async run(context: Context<'hub' | 'pauses' | 'projects' | 'removal' | 'transcripts' | 'usage' | 'vault'>) {
    let counted = 0;
    for (let some = -1; some !== 0; counted += some) some = await countUsage(context, quietSince(context.clock()));
    return { counted };
  },
});
