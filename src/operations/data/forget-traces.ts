// Removes what forgetting leaves outside the database: memory pages, archives, vault copies, prepared briefings,
// automatic backups, free bytes. Every step can be repeated, so after a crash the next `forget` or the worker finishes
// the work.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import { isPulledKey } from '../../agents/pull.ts';
import { forgetInPulled } from '../../capture/pull/rewrite.ts';
import { clearUnpacked } from '../../capture/reread.ts';
import { copyPath, rewriteCopy } from '../../capture/vault/vault.ts';
import type { Config } from '../../config/config.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { archiveSession, dropArchives } from '../../sessions/archives/archives.ts';
import type { ForgottenTraces } from '../../store/removal/port.ts';
import { ownBackups } from '../../store/sqlite/backup-files.ts';
import type { Store } from '../../store/store.ts';
import { renewBriefings } from '../recall/prepare-briefings.ts';
import { reachBackups } from './backups.ts';

export interface TraceDeps {
  readonly store: Pick<
    Store,
    | 'admin'
    | 'archives'
    | 'distilled'
    | 'entries'
    | 'groups'
    | 'hub'
    | 'location'
    | 'memory'
    | 'pages'
    | 'pauses'
    | 'pins'
    | 'projects'
    | 'removal'
    | 'search'
    | 'sessions'
    | 'transcripts'
    | 'vault'
  >;
  readonly config: Config;
  readonly clock: () => number;
}

export interface Wiped {
  readonly memories: number;
  /** Archives and copies that were deleted, or rewritten without the forgotten text. */
  readonly files: readonly string[];
  /** What could not be reached. */
  readonly left: readonly string[];
}

/** Finishes all pending forgetting. Returns what was done, or undefined if nothing was pending. */
export async function finishForgetting(deps: TraceDeps): Promise<Wiped | undefined> {
  const { store, clock } = deps;
  const all = await store.removal.unfinishedForgetting(clock());
  if (all.length === 0) return undefined;
  const done = { memories: 0, files: new Set<string>(), left: new Set<string>() };
  for (const { traces } of all) {
    done.memories += await wipeMemories(deps, traces);
    await wipeArchives(deps, traces, done);
    for (const { agent, key } of traces.transcripts) {
      const outcome = await rewriteCopy(deps, { agent, key });
      if (outcome === 'rewritten' || outcome === 'removed') done.files.add(copyPath(deps.config, agent, key));
      const pulled = await forgetInPulled(deps, { agent, key });
      if (pulled === 'rewritten' || pulled === 'removed') done.files.add(transcriptPath(deps.config, agent, key));
    }
  }
  clearUnpacked(deps.config.home);
  // Do this before marking it done: after a crash, the next `forget` or the worker does it again.
  await renewBriefings(deps);
  if (!(await wipeFreeBytes(store))) {
    done.left.add(
      `${store.location}-wal, which another process is reading; the next forgetting or the next start of the worker clears it`,
    );
    return { ...done, files: [...done.files], left: [...done.left] };
  }
  for (const what of await reachBackups(deps)) done.left.add(what);
  await store.removal.finishForgetting(all.map(({ id }) => id));
  return { ...done, files: [...done.files], left: [...done.left] };
}

async function wipeFreeBytes(store: Pick<Store, 'admin'>): Promise<boolean> {
  for (let tries = 0; tries < 5; tries++) {
    if (await store.admin.purge()) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

async function wipeMemories(deps: TraceDeps, { conversations }: ForgottenTraces): Promise<number> {
  if (conversations.length === 0) return 0;
  const { forgetSource } = await import('../../distill/memory/forget.ts');
  const { commitPages } = await import('../../distill/memory/git.ts');
  let gone = 0;
  for (const conversation of conversations) gone += (await forgetSource(deps, conversation)).extractions;
  if (gone > 0) await commitPages(deps);
  return gone;
}

async function wipeArchives(
  deps: TraceDeps,
  { sessions }: ForgottenTraces,
  done: { files: Set<string>; left: Set<string> },
): Promise<void> {
  const { store } = deps;
  for (const { agent, session, gone } of sessions) {
    const archives = await store.archives.list({ agent, session });
    for (const { folder, file } of gone ? [] : archives) {
      const { outcome, file: now } = await archiveSession(deps, { agent, session, folder });
      if (outcome === 'same') continue;
      const old = path.join(folder, file);
      done.files.add(old);
      // If a person changed the old file, it stays beside the new one.
      if (outcome !== 'none' && now !== old && fs.existsSync(old)) done.left.add(`${old}, which was edited by hand`);
    }
    const silent = gone || (await store.entries.transcript(agent, session)).length === 0;
    if (!silent) continue;
    const { removed, kept } = await dropArchives(deps, agent, session);
    for (const file of removed) done.files.add(file);
    for (const file of kept) done.left.add(`${file}, which was edited by hand`);
  }
}

const transcriptPath = (config: Config, name: AgentName, key: string): string =>
  path.join(config.transcriptsPath(agentNamed(name) as Agent, key), key);

/** Files that are not ours, or older than this version: we name them, and the person must deal with them. */
export function beyondReach({ config, store }: Pick<TraceDeps, 'config' | 'store'>, traces: ForgottenTraces): string[] {
  const isPulled = ({ agent, key }: { agent: AgentName; key: string }) => isPulledKey(agentNamed(agent) as Agent, key);
  const transcripts = traces.transcripts
    .filter((one) => !isPulled(one))
    .flatMap(({ key, roots }) => roots.map((root) => path.join(root, key)))
    .filter((file) => fs.existsSync(file));
  const sources = [...new Set(traces.transcripts.filter(isPulled).map(({ agent }) => agent))]
    .map((name) => agentNamed(name) as Agent)
    .filter((agent) => fs.existsSync(config.watchPath(agent)));
  const names = (folder: string) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
  const backups = [
    ...ownBackups(path.join(config.home, 'backups')),
    ...names(config.home)
      .filter((file) => file.startsWith(`${path.basename(store.location)}.before-`))
      .map((file) => path.join(config.home, file)),
  ];
  const git = traces.conversations.length > 0 && fs.existsSync(path.join(config.memoryPath, '.git'));
  return [
    ...transcripts.map((file) => `${file}, the agent's own transcript`),
    ...sources.map((agent) => `${config.watchPath(agent)}, where ${agent.title} keeps its sessions`),
    ...backups.map((file) => `${file}, a backup from before`),
    ...(git ? [`the git history of ${config.memoryPath}, which is yours`] : []),
  ];
}
