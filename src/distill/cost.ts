// Estimates what a backlog would cost: builds the same questions from the same material, but does not ask the model.

import type { Job, JobKind } from '../schema/job.ts';
import type { Observation } from '../schema/observation.ts';
import type { Store } from '../store/store.ts';
import { eachToolUse } from './budget.ts';
import type { Distiller } from './distiller.ts';
import { readConversation, readSession, readTurn, type Turn } from './material.ts';
import { nothingKnown } from './memory/known.ts';
import { hasWork } from './offline/observe.ts';

export interface Cost {
  readonly jobs: Readonly<Record<JobKind, number>>;
  readonly calls: number;
  readonly tokens: number;
  /** Tokens that one call for each tool use would take. */
  readonly insteadOf: number;
}

/** Stands in for an observation that does not exist yet, with a typical length. */
const likely = ({ agent, session, project, prompt, request, endedAt }: Turn): Observation => ({
  id: '',
  agent,
  session,
  project,
  at: endedAt,
  prompt,
  type: 'change',
  title: 'x'.repeat(70),
  subtitle: '',
  facts: Array.from({ length: 4 }, () => 'x'.repeat(110)),
  narrative: 'x'.repeat(350),
  concepts: [],
  filesRead: [],
  filesModified: [],
  tools: [],
  entries: [request?.id ?? ''],
  by: '',
  tokens: 0,
});

export async function costOf(
  store: Pick<Store, 'conversations' | 'entries' | 'sessions'>,
  distiller: Distiller,
  jobs: readonly Job[],
  signal?: AbortSignal,
): Promise<Cost> {
  const counts: Record<JobKind, number> = { observe: 0, summarize: 0, remember: 0 };
  let calls = 0;
  let tokens = 0;
  let insteadOf = 0;
  const add = (estimate: number) => {
    if (estimate === 0) return;
    calls++;
    tokens += estimate;
  };
  for (const group of grouped(jobs, distiller.turns)) {
    signal?.throwIfAborted();
    const [{ kind, agent, session, subject }] = group;
    counts[kind] += group.length;
    if (kind === 'observe') {
      const keys = group.map((job) => ({ agent, session, prompt: Number(job.subject) }));
      const turns = await Promise.all(keys.map((key) => readTurn(store, key)));
      const worth = turns.filter((turn): turn is Turn => turn !== undefined && hasWork(turn));
      if (worth.length > 0) add(distiller.estimate({ kind, turns: worth }));
      insteadOf += eachToolUse(worth);
    } else if (kind === 'summarize') {
      const material = await readSession(store, { agent, session });
      const worth = material?.turns.filter(hasWork) ?? [];
      if (material === undefined || worth.length === 0) continue;
      add(distiller.estimate({ kind, session: material, observations: worth.map(likely) }));
    } else {
      const conversation = await readConversation(store, Number(subject));
      const worth = conversation?.turns.filter(hasWork) ?? [];
      if (conversation === undefined || worth.length === 0) continue;
      add(distiller.estimate({ kind, conversation, observations: worth.map(likely), known: nothingKnown }));
    }
  }
  return { jobs: counts, calls, tokens, insteadOf: tokens === 0 ? 0 : insteadOf };
}

/** Groups jobs as the runner will claim them: turns of one session together, up to the limit; every other job alone. */
function grouped(jobs: readonly Job[], limit: number): [Job, ...Job[]][] {
  const groups: [Job, ...Job[]][] = [];
  const open = new Map<string, [Job, ...Job[]]>();
  for (const job of jobs) {
    const key = `${job.agent} ${job.session}`;
    const group = job.kind === 'observe' ? open.get(key) : undefined;
    if (group !== undefined && group.length < limit) group.push(job);
    else {
      const made: [Job, ...Job[]] = [job];
      groups.push(made);
      if (job.kind === 'observe') open.set(key, made);
    }
  }
  return groups;
}
