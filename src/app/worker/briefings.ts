// Keeps the prepared briefings as fresh as the store: event driven, and never more than a small part of one core.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { briefingRules, type PrepareDeps, prepareProject } from '../../operations/recall/prepare-briefings.ts';
import type { Change } from '../../schema/change.ts';
import type { Store } from '../../store/store.ts';
import { briefingFolder } from '../../system/briefing-folder.ts';
import { explain } from '../../system/errors.ts';
import type { Quiet } from './quiet.ts';

export interface BriefingsDeps {
  readonly store: Pick<
    Store,
    'changes' | 'distilled' | 'entries' | 'hub' | 'memory' | 'pins' | 'projects' | 'search' | 'sessions'
  >;
  readonly config: Config;
  readonly clock: () => number;
  readonly log: (line: string) => void;
  readonly requests: Pick<Quiet, 'wait'>;
}

export interface Briefings {
  /** Something that a briefing may mention has changed. */
  wake(): void;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
}

/** A growing transcript wakes us all the time. */
const restMs = 500;
/** After long work, the rest is this many times as long. */
const restShare = 20;
/** More changes than this count as a change of everything. */
const mostChanges = 2000;
/** A hook may still be about to print a text that was replaced, and report it later. */
const keptMs = 10 * 60_000;

export function briefings(deps: BriefingsDeps, signal: AbortSignal): Briefings {
  const folder = briefingFolder(deps.config.home);
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  let restUntil = 0;
  let restOfAllUntil = 0;
  let sweptAt = 0;

  function wake(): void {
    again = true;
    if (running !== undefined || timer !== undefined || signal.aborted) return;
    const wait = restUntil - performance.now();
    if (wait <= 0) running = run();
    else
      timer = setTimeout(() => {
        timer = undefined;
        running ??= run();
      }, wait).unref();
  }

  async function run(): Promise<void> {
    await deps.requests.wait();
    again = false;
    const began = performance.now();
    try {
      if (!signal.aborted) await renew();
    } catch (error) {
      if (!signal.aborted) deps.log(explain(error, folder.location).message);
    }
    running = undefined;
    restUntil = performance.now() + Math.max(restMs, Math.min(60_000, restShare * (performance.now() - began)));
    if (again) wake();
  }

  async function renew(): Promise<void> {
    const { store, clock } = deps;
    const now: PrepareDeps = { store, clock, config: deps.config.reload() };
    const [state, rules, last] = [folder.state(), await briefingRules(now), await store.changes.last()];
    const known = state === undefined || state.seq > last ? undefined : state;
    const changes = known === undefined ? [] : await store.changes.after(known.seq, mostChanges);
    const gone = changes.some(({ kind }) => kind === 'gone');
    const everything =
      known?.rules !== rules || gone || changes.length === mostChanges || changes.some(concernsEveryProject);
    if (known !== undefined && !everything && changes.length === 0) return;
    folder.separateWorktrees(now.config.settings.separateWorktrees);

    const touched = known === undefined ? new Set<string>() : await projectsOf(store, changes);
    for (const project of touched) await prepareProject(now, project, folder);
    // Deleted text must disappear from here at once. Other changes that concern every project can wait until the worker has rested.
    const waits = everything && !gone && performance.now() < restOfAllUntil;
    if (everything && !waits) await renewAll(now, touched);
    if (signal.aborted) return;
    // Everything up to these numbers was committed before they were read. Later changes have higher numbers.
    folder.putState({ seq: last, rules: waits ? '' : rules });
    if (gone) folder.sweep(Number.POSITIVE_INFINITY);
    else if (clock() - sweptAt > keptMs) folder.sweep(clock() - keptMs);
    if (gone || clock() - sweptAt > keptMs) sweptAt = clock();
    if (waits) setTimeout(wake, restOfAllUntil - performance.now()).unref();
  }

  async function renewAll(now: PrepareDeps, done: ReadonlySet<string>): Promise<void> {
    const began = performance.now();
    const places = new Set<string>();
    for (const { path } of await now.store.projects.list()) {
      if (signal.aborted) return;
      for (const place of await prepareProject(now, path, folder)) places.add(place);
      // Others wait for this process too.
      if (!done.has(path)) await sleep(2);
    }
    folder.keepOnly(places);
    restOfAllUntil = performance.now() + restShare * (performance.now() - began);
  }

  return {
    wake,
    async idle() {
      clearTimeout(timer);
      await running;
    },
  };
}

/** Facts that hold everywhere stand in every briefing. Only names could tell which page belongs to which project. */
const concernsEveryProject = ({ kind, page }: Change): boolean =>
  kind === 'memory' && page !== undefined && /^(?:core|projects)\//.test(page);

async function projectsOf(store: Pick<Store, 'sessions'>, changes: readonly Change[]): Promise<Set<string>> {
  const found = new Set<string>();
  const sessions = new Set(
    changes.flatMap(({ kind, session }) =>
      session !== undefined && (kind === 'entries' || kind === 'observations') ? [session] : [],
    ),
  );
  for (const session of sessions)
    for (const { id, projectPath } of await store.sessions.find(session)) if (id === session) found.add(projectPath);
  return found;
}
