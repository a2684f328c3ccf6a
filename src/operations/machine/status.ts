// Whether capture works; if not, why and what to do. Works even when the store cannot be opened.
import { existsSync, statfsSync } from 'node:fs';
import { z } from 'zod';
import type { Agent } from '../../agents/agent.ts';
import type { Config } from '../../config/config.ts';
import { type Inspection, inspectHooks } from '../../install/hooks.ts';
import { isPresent } from '../../install/present.ts';
import { readRecord } from '../../install/record.ts';
import { version } from '../../package.ts';
import { Moment, toMoment } from '../../schema/time.ts';
import { withCommas } from '../../schema/with-commas.ts';
import { Work } from '../../schema/work.ts';
import type { Store } from '../../store/store.ts';
import { explain } from '../../system/errors.ts';
import { checkDamage } from '../data/backups.ts';
import { checkPause } from '../data/pause.ts';
import { type Context, operation } from '../operation.ts';
import { checkMcp, checkMeaning, checkRereading, checkSetAside } from './checks.ts';
import { Check } from './doctor.ts';
import { checkHub } from './hub-check.ts';
import { hooked } from './install.ts';

/** With less free space, an import may not fit. */
const leastSpace = 200_000_000;

export const status = operation({
  name: 'status',
  summary: 'Show whether sessions are captured, and if not, why and what to do',
  input: z.object({}),
  output: z.object({
    ok: z.boolean(),
    checks: z.array(Check),
    lastReport: Moment.optional().describe('when a hook or a client last reported'),
    work: z.array(Work).describe('what the worker does right now; empty if it does not run'),
  }),
  surfaces: ['cli', 'http'],
  http: { apart: true },
  examples: ['holdfast status', 'holdfast status --json'],
  withoutStore: true,
  succeeded: (report) => report.ok,
  async run({ config }: Context<never>) {
    const [last, work] = [await lastReport(config), await workNow(config)];
    const hooks = checkHooks(config);
    const checks = [
      ...hooks.checks,
      ...(await checkReach(config, hooks.isConnected)),
      ...last.checks,
      ...(last.checks.some(({ name, ok }) => name === 'store' && !ok) ? [] : checkDamage(config)),
      checkSpace(config),
    ];
    return {
      ok: checks.every((check) => check.ok),
      checks,
      ...(last.at === undefined ? {} : { lastReport: toMoment(last.at) }),
      work,
    };
  },
});

/** A worker that takes longer to answer is too busy to be asked. */
const patience = { helloMs: 1000, answerMs: 1000 };

async function workNow(config: Config): Promise<Work[]> {
  const { askWorker } = await import('../../processes/access/ask.ts');
  const answer = z.object({ work: z.array(Work) }).safeParse(await askWorker(config, { name: 'work' }, {}, patience));
  return answer.data?.work ?? [];
}

interface Connection {
  readonly isConnected: boolean;
  readonly checks: readonly Check[];
}

/** While no agent is connected, each one counts as missing. After the first, the others are the person's choice. */
function checkHooks(config: Config): Connection {
  const found = shownAgents(config).map((agent): Connection => {
    try {
      return connectionOf(config, agent);
    } catch (error) {
      const { message, hint } = explain(error, agent.title);
      const check = { name: agent.title, ok: false, message, ...(hint === undefined ? {} : { hint }) };
      return { isConnected: false, checks: [check] };
    }
  });
  const checks = found.flatMap((one) => one.checks);
  if (found.some(({ isConnected }) => isConnected)) return { isConnected: true, checks };
  return { isConnected: false, checks: checks.map(({ off, ...check }) => (off ? { ...check, ok: false } : check)) };
}

/** The agents on this machine, and those that Holdfast was installed into. Claude Code stands for all if there are none. */
function shownAgents(config: Config): readonly Agent[] {
  const here = hooked.filter((agent) => {
    try {
      return wasInstalled(config, agent) || isPresent(config, agent);
    } catch {
      // `checkHooks` then reports what cannot be read.
      return true;
    }
  });
  return here.length > 0 ? here : hooked.filter(({ name }) => name === 'claude-code');
}

function connectionOf(config: Config, agent: Agent): Connection {
  const server = checkMcp(config, agent);
  if (agent.hooks === undefined)
    return server.length > 0
      ? { isConnected: true, checks: server }
      : { isConnected: false, checks: [withoutServer(agent)] };
  const found = inspectHooks(config, agent);
  const { plugins } = readRecord(config, agent);
  const folders = plugins.map(({ folder }) => folder);
  const isConnected = found.events.length > 0 || plugins.length > 0;
  if (!isConnected) return { isConnected, checks: [unconnected(agent, wasInstalled(config, agent)), ...server] };
  const obstacles = found.obstacles.map((message) => ({ name: agent.title, ok: false, message }));
  return { isConnected, checks: [describeHooks(agent, found, folders), ...obstacles, ...server] };
}

function wasInstalled(config: Config, agent: Agent): boolean {
  const { settings, mcp, plugins } = readRecord(config, agent);
  return settings !== undefined || mcp !== undefined || plugins.length > 0;
}

/** Transcripts of an agent without hooks are read anyway; the agent may ask over MCP. */
const withoutServer = ({ title, name }: Agent): Check => ({
  name: title,
  ok: true,
  off: true,
  message: 'is not connected; its transcripts are read, but it cannot search the memory',
  hint: `holdfast install ${name}`,
});

/** `wasMeant`: Holdfast was installed into this agent, so someone has removed its hooks since. */
const unconnected = ({ title, name }: Agent, wasMeant: boolean): Check => ({
  name: title,
  ok: !wasMeant,
  ...(wasMeant ? {} : { off: true }),
  message: wasMeant
    ? 'is no longer connected: its settings lack the hooks; sessions start without a briefing'
    : 'is not connected; its transcripts are read, but sessions start without a briefing',
  hint: `holdfast install ${name}`,
});

function describeHooks(agent: Agent, found: Inspection, plugins: readonly string[]): Check {
  const { title: name } = agent;
  const again = 'Repair it: holdfast repair';
  if (found.events.length === 0) return { name, ok: true, message: `reports through the plugin ${plugins.join(', ')}` };
  if (found.elsewhere)
    return {
      name,
      ok: false,
      message: `${found.file} reports to another data folder`,
      hint: `holdfast install ${agent.name}`,
    };
  if (found.outdated.length > 0 && found.version !== version())
    return { name, ok: false, message: `${found.file} was installed by Holdfast ${found.version}`, hint: again };
  if (found.outdated.length > 0)
    return {
      name,
      ok: false,
      message: `${found.file} has hooks of an earlier Holdfast, or of another program`,
      hint: again,
    };
  if (found.missing.length > 0)
    return { name, ok: false, message: `${found.file} lacks ${found.missing.join(', ')}`, hint: again };
  if (found.scripts === 'outdated')
    return {
      name,
      ok: false,
      message: 'the scripts that its hooks run are missing or of another version',
      hint: again,
    };
  return { name, ok: true, message: `reports ${found.events.join(' and ')} (${found.file})` };
}

/** Hooks start the worker, so without an agent that has them nothing does. */
const workerAway = (isConnected: boolean): Check =>
  isConnected
    ? { name: 'worker', ok: true, message: 'does not run; the next session starts it, or: holdfast worker start' }
    : {
        name: 'worker',
        ok: true,
        off: true,
        message: 'does not run, and no connected agent starts it; new sessions are imported when it runs',
        hint: 'holdfast worker start',
      };

async function checkReach(config: Config, isConnected: boolean): Promise<Check[]> {
  const [{ workerStatus }, { httpState }] = await Promise.all([
    import('../../processes/worker-process.ts'),
    import('../../processes/access/reach.ts'),
  ]);
  const worker = await workerStatus(config);
  const http = await httpState(config.settings.port, worker.running ? worker.pid : undefined);
  const checks: Check[] = [
    worker.running
      ? {
          name: 'worker',
          ok: true,
          message: `runs as process ${worker.pid}${worker.version ? `, version ${worker.version}` : ''}`,
        }
      : workerAway(isConnected),
  ];
  if (http.open) checks.push({ name: 'port', ok: true, message: `${http.port} answers` });
  else if (http.message !== undefined)
    checks.push({
      name: 'port',
      ok: false,
      message: http.message,
      ...(http.hint === undefined ? {} : { hint: http.hint }),
    });
  else checks.push({ name: 'port', ok: true, message: `${http.port} is free` });
  return checks;
}

async function lastReport(config: Config): Promise<{ at?: number | undefined; checks: Check[] }> {
  const name = 'last report';
  if (!existsSync(config.databasePath)) return { checks: [{ name, ok: true, message: 'none yet' }] };
  const [{ openSqliteStore }, { backupPlan }] = await Promise.all([
    import('../../store/sqlite/open.ts'),
    import('../../store/sqlite/backup-files.ts'),
  ]);
  try {
    const store = await openSqliteStore(config.databasePath, undefined, backupPlan(config));
    try {
      const at = await store.sessions.lastToldAt();
      const check = { name, ok: true, message: at === undefined ? 'none yet' : toMoment(at) };
      const more = [
        ...(await checkSetAside(store)),
        ...(await checkRereading(store, config)),
        ...(await checkGone(store)),
        await checkPause(store),
        await checkMeaning(store, config),
        ...(await checkJobs(store)),
        ...(await checkHub(store, config)),
      ];
      return { at, checks: [check, ...more] };
    } finally {
      await store.close();
    }
  } catch (error) {
    const { message, hint } = explain(error, config.databasePath);
    return { checks: [{ name: 'store', ok: false, message, ...(hint === undefined ? {} : { hint }) }] };
  }
}

/** Transcripts that were cut or rewritten: tell the person that Holdfast holds more than the agent. */
async function checkGone(store: Pick<Store, 'entries'>): Promise<Check[]> {
  const { goneEntries } = await store.entries.counts();
  if (goneEntries === 0) return [];
  const said = goneEntries === 1 ? '1 entry is' : `${goneEntries} entries are`;
  return [
    {
      name: 'transcripts',
      ok: true,
      message: `${said} no longer in the transcript, which was cut or rewritten; kept here`,
      hint: 'To remove such entries: holdfast ingest --reimport --prune',
    },
  ];
}

/** Waiting for the budget is normal; an unreachable model and failed jobs are not. */
async function checkJobs(store: Pick<Store, 'jobs'>): Promise<Check[]> {
  const name = 'distilling';
  const { ready, claimed, failed, waits } = await store.jobs.counts();
  const checks = waits.map(({ reason, until, jobs, error }): Check => {
    const message = `${jobs} jobs wait for the ${reason} until ${toMoment(until)}${error === undefined ? '' : `: ${error}`}`;
    return reason === 'budget'
      ? { name, ok: true, message, hint: 'To allow more: holdfast config set budget.tokensPerDay <tokens>' }
      : { name, ok: false, message, hint: 'Try it: holdfast model test' };
  });
  if (failed > 0)
    checks.push({ name, ok: false, message: `${failed} jobs have failed`, hint: 'See: holdfast jobs --status failed' });
  if (checks.length === 0)
    checks.push({
      name,
      ok: true,
      message: ready + claimed === 0 ? 'nothing waiting' : `${ready + claimed} jobs waiting`,
    });
  return checks;
}

function checkSpace(config: Config): Check {
  const name = 'disk';
  try {
    const { bavail, bsize } = statfsSync(existsSync(config.home) ? config.home : '/');
    const free = bavail * bsize;
    const size = free < 1e10 ? `${withCommas(Math.floor(free / 1e6))} MB` : `${Math.floor(free / 1e9)} GB`;
    const message = `${size} free for ${config.home}`;
    return free >= leastSpace ? { name, ok: true, message } : { name, ok: false, message, hint: 'Free some space.' };
  } catch (error) {
    return { name, ok: false, message: explain(error, config.home).message };
  }
}
