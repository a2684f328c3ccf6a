// A host with a real store, a clock that the test moves, and agents that do what the test says.
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentExit, AgentRun, RunningAgent } from '../src/host/agent.ts';
import type { HostClock } from '../src/host/clock.ts';
import { type Host, type HostDeps, openHost, recover } from '../src/host/host.ts';
import type { LiveWord } from '../src/schema/group-message.ts';
import { mostAttempts } from '../src/sessions/groups/delivery.ts';
import { createGroup, type GroupDeps, openGroup } from '../src/sessions/groups/groups.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import { freshDatabase } from './fresh-database.ts';
import { diskFolder } from './memory-folder.ts';

export const minute = 60_000;

export interface FakeClock extends HostClock {
  /** Advances the time, and waits for what is due. */
  pass(ms: number): Promise<void>;
}

export function fakeClock(start = Date.parse('2026-05-01T12:00:00Z')): FakeClock {
  let now = start;
  const timers = new Set<{ at: number; call: () => void }>();
  return {
    now: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        await settle();
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.call();
      }
      now = end;
      await settle();
    },
  };
}

/** Lets everything happen that needs no time: the store answers at once, and /proc within a few turns. */
export async function settle(turns = 30): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((done) => setImmediate(done));
}

/** Polls until `holds` is true. It may wait for files to be read. */
export async function until(holds: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const giveUp = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > giveUp) throw new Error(`Gave up waiting for ${what}`);
    await new Promise((done) => setImmediate(done));
  }
}

export interface FakeAgent {
  readonly run: AgentRun;
  readonly sent: { readonly id: string; readonly text: string }[];
  isClosing: boolean;
  isOver: boolean;
  /** Reports its session, takes what it was sent, and answers all of it. */
  answer(text: string, session?: string, at?: string): void;
  take(count?: number): void;
  fail(text: string): void;
  exit(how: AgentExit['how'], failure?: AgentExit['failure']): void;
}

/** `obeys`: the agent ends by itself once it is told to close and owes no answer. */
export function fakeAgents({ obeys = true } = {}) {
  const agents: FakeAgent[] = [];
  /** Set this to refuse starts. */
  const trouble: { error?: Error | undefined; refused: number } = { refused: 0 };
  async function start(run: AgentRun): Promise<RunningAgent> {
    if (trouble.error) {
      trouble.refused++;
      throw trouble.error;
    }
    let [taken, answered] = [0, 0];
    let over: (exit: AgentExit) => void = () => {};
    const exited = new Promise<AgentExit>((resolve) => {
      over = resolve;
    });
    const mayEnd = () => obeys && agent.isClosing && answered >= taken && agent.exit('closed');
    const agent: FakeAgent = {
      run,
      sent: [],
      isClosing: false,
      isOver: false,
      take(count = agent.sent.length - taken) {
        for (const { id } of agent.sent.slice(taken, taken + count)) run.events.taken?.(id);
        taken += count;
      },
      answer(text, session = run.session ?? `s-${agents.indexOf(agent)}`, at = `at-${text}`) {
        run.events.session?.(session);
        agent.take();
        const answers = agent.sent.slice(answered, taken).map(({ id }) => id);
        answered = taken;
        run.events.result?.({ answers, ok: true, text, session, at });
        mayEnd();
      },
      fail(text) {
        agent.take();
        const answers = agent.sent.slice(answered, taken).map(({ id }) => id);
        answered = taken;
        run.events.result?.({ answers, ok: false, text, session: run.session ?? 's' });
        mayEnd();
      },
      exit(how, failure) {
        if (agent.isOver) return;
        agent.isOver = true;
        if (failure) run.events.failed?.(failure.kind, failure.message);
        const ids = agent.sent.map(({ id }) => id);
        over({
          ...{ how, code: how === 'closed' ? 0 : null, signal: how === 'killed' || how === 'died' ? 'SIGKILL' : null },
          ...(failure ? { failure } : {}),
          ...{ untaken: ids.slice(taken), unanswered: ids.slice(answered, taken) },
        });
      },
    };
    agents.push(agent);
    return {
      group: run.group,
      pid: 999_999_999,
      send(message) {
        if (agent.isClosing || agent.isOver) return false;
        agent.sent.push(message);
        return true;
      },
      close() {
        agent.isClosing = true;
        mayEnd();
      },
      kill: () => agent.exit('killed'),
      exited,
    };
  }
  return { agents, start, trouble, last: (group: string) => agents.findLast(({ run }) => run.group === group) };
}

export interface HostStand {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly deps: HostDeps;
  readonly groupDeps: GroupDeps;
  readonly agents: ReturnType<typeof fakeAgents>;
  readonly words: LiveWord[];
  readonly log: string[];
  host: Host;
  /** Another host, as after a kill of the first. */
  restart(): Promise<void>;
  /** Sends a message to a group, and waits until the host has done what it can. */
  say(group: string, text: string): Promise<number>;
  out(group: string): Promise<string[]>;
  state(group: string, id: number): Promise<string | undefined>;
}

export async function hostStand(groups: readonly string[], options: Partial<HostDeps> & { obeys?: boolean } = {}) {
  const folder = fs.mkdtempSync(path.join(diskFolder(), 'holdfast-host-'));
  const config = await freshDatabase({
    HOME: folder,
    HOLDFAST_HOME: path.join(folder, 'data'),
    HOLDFAST_TIME_ZONE: 'UTC',
  });
  const store = await openSqliteStore(config.databasePath);
  const { maxProcesses, idleMinutes, hardLimitMinutes } = config.settings.host;
  const { obeys = true, ...given } = options;
  const clock = fakeClock();
  const agents = fakeAgents({ obeys });
  const words: LiveWord[] = [];
  const log: string[] = [];
  const groupDeps: GroupDeps = {
    ...{ store, config, clock: clock.now },
    ready: async () => 'there',
    search: async () => [],
    clean: async (name) => name,
    close: (group) => stand.host.close(group),
  };
  for (const name of groups) await createGroup(groupDeps, name);
  const deps: HostDeps = {
    ...{ store, clock, start: agents.start, maxProcesses },
    // The person's defaults: tests that speak of minutes refer to them.
    ...{ idleMs: idleMinutes * minute, hardMs: hardLimitMinutes * minute },
    tell: (word) => words.push(word),
    log: (line) => log.push(line),
    open: (group) => openGroup(groupDeps, group),
    toolsOf: () => ({ tools: [], call: async () => 'done' }),
    appendFor: () => '',
    archive: async () => {},
    startOf: async () => undefined,
    ...given,
  };
  const stand: HostStand = {
    ...{ store, clock, deps, groupDeps, agents, words, log },
    host: openHost(deps),
    async restart() {
      await recover(deps);
      stand.host = openHost(deps);
      stand.host.wake();
      await settle();
    },
    async say(group, text) {
      const message = await store.messages.add(group, { text, mostAttempts }, clock.now());
      stand.host.wake();
      await settle();
      return message?.id as number;
    },
    out: async (group) => (await store.messages.outgoing(group, 0, 1000)).map(({ text }) => text),
    state: async (group, id) => (await store.messages.get(group, id))?.state,
  };
  onTestFinished(async () => {
    for (const agent of agents.agents) agent.exit('killed');
    await stand.host.stop(0);
    await store.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  return stand;
}
