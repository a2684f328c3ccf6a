// The host of a data folder; there is one at a time. It continues what the last one left, and runs until it is told to stop.
import type { Config } from '../config/config.ts';
import { groupDeps } from '../operations/groups/group-deps.ts';
import type { Context } from '../operations/operation.ts';
import { version } from '../package.ts';
import { type Holder, processStart } from '../processes/claim.ts';
import { claimHost } from '../processes/host-holder.ts';
import type { LiveWord } from '../schema/group-message.ts';
import { archiveSession } from '../sessions/archives/archives.ts';
import { type Bell, hangBell } from '../sessions/groups/bell.ts';
import { globalMemory, groupAgent, groupFolders } from '../sessions/groups/group-folders.ts';
import { openGroup } from '../sessions/groups/groups.ts';
import { explain, systemCode } from '../system/errors.ts';
import { type AgentRun, checkAgent, type RunningAgent, startAgent } from './agent.ts';
import { systemClock } from './clock.ts';
import { coalesced } from './coalesced.ts';
import { type Host, openHost, recover } from './host.ts';
import { chooseSandbox, sandboxes } from './sandbox/index.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { toolsFor } from './tools.ts';

export interface HostOptions {
  readonly log: (line: string) => void;
  /** Warnings for the person who starts it. */
  readonly warn: (line: string) => void;
  /** A chat is a host only for the groups that are open in a chat, and runs no tasks. */
  readonly onlyHeard?: { readonly group: string } | undefined;
  readonly start?: ((run: AgentRun) => Promise<RunningAgent>) | undefined;
}

export interface OpenedHost {
  readonly host: Host;
  /** Whether the data folder has been replaced. */
  isLost(): boolean;
  /** Agents may answer what they have for this long; then they are ended. */
  stop(patienceMs: number): Promise<void>;
}

const keepMs = 30 * 86_400_000;

const takeInRestMs = 500;
const archiveRestMs = 10_000;

/** `other`: a host is running already, and nothing was done. */
export async function openHostOf(
  context: Context,
  { log, warn, onlyHeard, start }: HostOptions,
): Promise<OpenedHost | { readonly other: Holder }> {
  const { config, store } = context;
  const held = await claimHost(config, version());
  if (!held.held) return { other: held.holder };
  try {
    const clock = systemClock;
    const wasKilled = (await store.runs.open()).length > 0;
    await recover({ store, clock, log });
    await store.messages.dropOld(clock.now() - keepMs);
    const { maxProcesses, idleMinutes, hardLimitMinutes } = config.settings.host;
    let bell: Bell | undefined;
    const tell = (word: LiveWord) => bell?.tell(word);
    const all = groupDeps(context, (group) => host.close(group));
    // Every search by an agent needs the newest entries. Searches of one moment share one import of its transcripts.
    const deps = { ...all, takeIn: coalesced(async (group) => all.takeIn?.(group), takeInRestMs) };
    const open = (group: string) => openGroup(deps, group);
    const { takeIn } = deps;
    const archivedAt = new Map<string, number>();
    // An answer deletes its texts from the rows. Their bytes stay in the log until it is emptied.
    const forgetTexts = coalesced(async () => {
      for (let tries = 0; tries < 60 && !(await store.admin.emptyLog()); tries++)
        await new Promise<void>((resolve) => setTimeout(resolve, 1000).unref());
    }, 1000);
    const tools = { context, open, takeIn, tell, wake: () => host.wake() };
    const host = openHost({
      ...{ store, clock, log, tell, open, maxProcesses },
      start: start ?? (await agentStarter(context, log, warn, wasKilled)),
      toolsOf: (group, run) => toolsFor(tools, group, run),
      appendFor: (group) => [aboutHost(group), globalMemory(config, group)].filter(Boolean).join('\n\n'),
      async archive(group, session) {
        // A compaction takes longer than this, so an immediate second request needs no archive.
        if (clock.now() - (archivedAt.get(session) ?? 0) < archiveRestMs) return;
        if (archivedAt.size > 1000) archivedAt.clear();
        archivedAt.set(session, clock.now());
        await takeIn(group);
        // The process names the session. Nothing of another group's session goes into this group's folder.
        if ((await store.groups.of({ agent: groupAgent, session })) !== group) return;
        const { conversations: folder } = groupFolders(config, group);
        await archiveSession({ store, config, clock: clock.now }, { agent: groupAgent, session, folder });
      },
      startOf: processStart,
      answered: () => void forgetTexts('').catch((error) => log(explain(error, 'the database').message)),
      idleMs: idleMinutes * 60_000,
      hardMs: hardLimitMinutes * 60_000,
      ...(onlyHeard === undefined
        ? {}
        : { tasks: false, serves: (group) => group === onlyHeard.group || (bell?.isHeard(group) ?? false) }),
    });
    bell = await hangBell(config, { ring: host.wake, close: host.close, log });
    host.wake();
    return {
      host,
      isLost: held.lost,
      async stop(patienceMs) {
        await host.stop(patienceMs);
        await bell?.close();
        held.release();
      },
    };
  } catch (error) {
    held.release();
    throw error;
  }
}

async function agentStarter(
  { config }: Context,
  log: (line: string) => void,
  warn: (line: string) => void,
  wasKilled: boolean,
) {
  const { sandbox, warnings } = await chooseSandbox(config);
  // Tell the person now if the host could not start an agent.
  checkAgent(config, sandbox);
  for (const line of warnings) warn(line);
  // Before any other agent works in the same folders. The last host may have used another sandbox.
  for (const one of wasKilled ? sandboxes : [sandbox])
    for (const left of await sweep(one, config, log)) log(`${one.name}: ended ${left}, which an earlier host had left`);
  // A key that was set since then counts from the next start on.
  return (run: AgentRun) => startAgent({ config: config.reload(), log, sandbox }, run);
}

async function sweep(sandbox: Sandbox, config: Config, log: (line: string) => void): Promise<readonly string[]> {
  try {
    return (await sandbox.sweep?.(config)) ?? [];
  } catch (error) {
    // A missing engine has nothing that still runs.
    if (systemCode(error) !== 'ENOENT')
      log(`${sandbox.name}: ${explain(error, 'what an earlier host has left').message}`);
    return [];
  }
}

const aboutHost = (group: string): string =>
  `You are the agent of the group "${group}", and talk with its people through Holdfast. Your process ends after a while without messages; your files, this conversation and your memory stay.`;
