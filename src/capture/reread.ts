// Reads transcripts again that an older version of a reader has read, a bounded part at a time: from where the agent keeps them,
// otherwise from the vault's copy.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { agents } from '../agents/index.ts';
import type { Config } from '../config/config.ts';
import { hubKeyPrefix } from '../store/hub/port.ts';
import type { Store } from '../store/store.ts';
import type { FileState } from '../store/transcripts/port.ts';
import type { VaultCopy } from '../store/vault/port.ts';
import { isAlive } from '../system/alive.ts';
import { systemCode } from '../system/errors.ts';
import { makeFolder } from '../system/make-folder.ts';
import type { Source } from './chunk.ts';
import { isInHomes, rootOf } from './group-sources.ts';
import { renewalFor } from './plan.ts';
import { stateKey } from './reader.ts';
import { fileSource, type Sources } from './sources.ts';
import { copyPath } from './vault/vault.ts';

type Deps = { readonly store: Pick<Store, 'transcripts' | 'vault'>; readonly config: Config };

/** A transcript to read again, or the copy to unpack it from. */
type Stale =
  | { readonly state: FileState; readonly source: Source }
  | { readonly state: FileState; readonly copy: VaultCopy };

/** One pass reads this much, or one longer transcript, so that other writers get their turn. */
const bytesAtOnce = 64 << 20;
/** Larger than any transcript: a damaged copy must not fill the memory. */
const longestCopy = 1 << 30;

/** All transcripts that can be read again, youngest first. Those that neither the agent nor the vault has stay as they are. */
export async function staleTranscripts({ store, config }: Deps): Promise<Stale[]> {
  const older = (await store.transcripts.states()).filter(
    ({ agent: name, key, reader, status, offset }) =>
      // Transcripts from a hub are read again on the machine that they came from.
      !key.startsWith(hubKeyPrefix) &&
      status === 'ok' &&
      offset > 0 &&
      agents.some((agent) => agent.name === name && reader < agent.readerVersion),
  );
  if (older.length === 0) return [];
  const asides = new Set((await store.transcripts.setAsides()).map(({ agent, key }) => stateKey(agent, key)));
  const copies = new Map((await store.vault.copies()).map((copy) => [stateKey(copy.agent, copy.key), copy]));
  return older
    .filter(({ agent, key }) => !asides.has(stateKey(agent, key)))
    .sort((a, b) => (b.bornAt ?? 0) - (a.bornAt ?? 0))
    .flatMap((state): Stale[] => {
      const source = transcriptOf(config, state);
      if (source !== undefined) return [{ state, source }];
      const copy = copies.get(stateKey(state.agent, state.key));
      return copy?.whole && fs.existsSync(copyPath(config, copy.agent, copy.key)) ? [{ state, copy }] : [];
    });
}

/** The first part of the stale transcripts, as sources. `done` removes unpacked copies. */
export async function sourcesToRenew(deps: Deps): Promise<Sources & { done: () => void }> {
  const folder = path.join(deps.config.home, `rereading-${process.pid}`);
  const sources: Source[] = [];
  let bytes = 0;
  for (const stale of await staleTranscripts(deps)) {
    const source = 'source' in stale ? stale.source : unpacked(deps.config, stale.state, stale.copy, folder);
    if (source === undefined) continue;
    if (sources.length > 0 && bytes + source.size > bytesAtOnce) break;
    sources.push(source);
    bytes += source.size;
  }
  return { sources, problems: [], leftOut: 0, done: () => fs.rmSync(folder, { recursive: true, force: true }) };
}

function transcriptOf(config: Config, state: FileState): Source | undefined {
  for (const root of state.copies.keys()) {
    const source = sourceAt(config, state, root);
    if (source !== undefined && renewalFor(source, state).do === 'restart') return source;
  }
  return undefined;
}

function sourceAt(config: Config, { agent: name, key }: FileState, root: string): Source | undefined {
  const file = path.isAbsolute(key) ? key : path.join(root, key);
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  const found = { path: file, size: stat.size };
  try {
    const source = fileSource(config, found, root);
    if (source?.agent.name !== name || !config.enabled(source.agent)) return undefined;
    if (source.key === key) return source;
    // A file that shares its key with a different file has its own path as its key.
    return key === file && !isInHomes(config, file) ? { ...source, key, root } : undefined;
  } catch (error) {
    // It cannot be opened: the ordinary pass reports that.
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

function unpacked(config: Config, { agent: name, key, copies }: FileState, copy: VaultCopy, folder: string) {
  const agent = agents.find((one) => one.name === name);
  if (agent === undefined || !config.enabled(agent)) return undefined;
  const text = textOf(copyPath(config, name, key), copy.bytes);
  if (text === undefined) return undefined;
  makeFolder(config.home, folder);
  const file = path.join(folder, `${fs.readdirSync(folder).length}.jsonl`);
  fs.writeFileSync(file, text, { mode: 0o600 });
  const homes = rootOf(config, agent, key) === config.agentHomesPath;
  const [group = ''] = key.split('/');
  return {
    agent,
    key,
    path: file,
    size: text.length,
    // Where the agent kept it, and where `resume` would put it back.
    root: homes ? config.agentHomesPath : ([...copies.keys()][0] ?? rootOf(config, agent, key)),
    fromVault: true,
    ...(homes ? { group: { name: group, folder: path.join(config.groupsPath, group) } } : {}),
  } satisfies Source;
}

/** Undefined if the copy is damaged: the stored entries then stay as they are. */
function textOf(copy: string, bytes: number): Buffer | undefined {
  try {
    return zlib.gunzipSync(fs.readFileSync(copy).subarray(0, bytes), { maxOutputLength: longestCopy });
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

const folderName = /^rereading-(\d+)$/;

/** Removes unpacked copies that killed processes have left. */
export function clearUnpacked(home: string): void {
  for (const name of fs.readdirSync(home)) {
    const pid = Number(folderName.exec(name)?.[1]);
    if (pid === process.pid || (pid > 0 && !isAlive(pid))) fs.rmSync(path.join(home, name), { recursive: true });
  }
}
