// The tokens of a session, from what its transcripts state. Counted once for each extent of the transcripts, and kept.
import type { StatedUsage, UsageState } from '../agents/usage.ts';
import type { ModelUsage } from '../schema/model-usage.ts';
import type { SessionKey } from '../store/sessions/port.ts';
import type { Store } from '../store/store.ts';
import { type OriginalDeps, type OriginalLine, originalLines } from './vault/original.ts';

export type UsageDeps = OriginalDeps & { readonly store: Pick<Store, 'usage'> };

/** Reads the transcripts only if they have changed since the last count. */
export async function usageOf(deps: UsageDeps, session: SessionKey): Promise<readonly ModelUsage[]> {
  const { models, kept } = await counted(deps, session);
  // A store that cannot be written has the answer anyway; the next question counts again.
  await kept.catch(() => undefined);
  return models;
}

/** A session that is still growing would be read again and again. */
export const quietSince = (now: number): number => now - 600_000;

/**
 * Counts some sessions that have been quiet since `before`, and calls `pause` after each. Returns how many. Throws if it cannot keep a
 * count: the session would stay due.
 */
export async function countUsage(
  deps: UsageDeps,
  before: number,
  pause: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  const due = await deps.store.usage.due(before, mostAtOnce);
  for (const session of due) {
    deps.signal?.throwIfAborted();
    await (await counted(deps, session)).kept;
    await pause();
  }
  return due.length;
}

/** Finding what is due looks at every session, so one look serves many. */
const mostAtOnce = 200;

interface Counted {
  readonly models: readonly ModelUsage[];
  /** Settles when the count is stored. */
  readonly kept: Promise<void>;
}

async function counted(deps: UsageDeps, session: SessionKey): Promise<Counted> {
  const { usage } = deps.store;
  const extent = await usage.extent(session);
  if (extent === undefined) return { models: [], kept: Promise.resolve() };
  const known = await usage.get(session, extent);
  if (known !== undefined) return { models: known, kept: Promise.resolve() };
  const models = sums(
    await statedIn(
      originalLines(deps, session, (line) => tokenWords.test(line)),
      session.session,
    ),
  );
  return { models, kept: usage.keep(session, extent, models) };
}

/** A line without one of these words states no tokens in any agent's transcript. */
const tokenWords = /"(?:usage|tokens|token_count|turn_context)"/;

/** One per answer of this session: lines that repeat it count once. */
async function statedIn(lines: AsyncGenerator<OriginalLine>, session: string): Promise<StatedUsage[]> {
  const byId = new Map<string, StatedUsage>();
  const states = new Map<string, UsageState>();
  let unnamed = 0;
  for await (const { agent, key, value } of lines) {
    const state = states.get(key) ?? {};
    states.set(key, state);
    const usage = agent.usage?.(value, state);
    if (usage === undefined || (usage.session ?? session) !== session) continue;
    byId.set(usage.id ?? `${key} ${unnamed++}`, usage);
  }
  return [...byId.values()];
}

const nothing = { answers: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };

/** The most used model first. */
export function sums(stated: readonly StatedUsage[]): ModelUsage[] {
  const models = new Map<string, ModelUsage>();
  for (const usage of stated) {
    const sum = models.get(usage.model) ?? { model: usage.model, ...nothing };
    models.set(usage.model, {
      model: usage.model,
      answers: sum.answers + 1,
      input: sum.input + usage.input,
      output: sum.output + usage.output,
      cacheRead: sum.cacheRead + usage.cacheRead,
      cacheWrite: sum.cacheWrite + usage.cacheWrite,
      cacheWriteHour: sum.cacheWriteHour + usage.cacheWriteHour,
    });
  }
  return [...models.values()].sort((a, b) => b.output - a.output);
}
