// The vault: a compressed, redacted copy of each transcript, because agents delete theirs. A transcript grows at its end, and so
// does its copy: each part is a gzip member of its own, and gzip reads them as one.

import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Agent } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import type { Config } from '../../config/config.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { copyState, type ReaderState } from '../../schema/reader-state.ts';
import { type Tombstones, tombstone } from '../../store/removal/tombstone.ts';
import type { Store } from '../../store/store.ts';
import type { VaultDue } from '../../store/vault/port.ts';
import { isAlive } from '../../system/alive.ts';
import { explain, systemCode } from '../../system/errors.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { replaceFile, syncFolder } from '../../system/replace-file.ts';
import type { RunningTime } from '../../system/running-time.ts';
import { folderBeside } from '../folder-beside.ts';
import { isInHomes } from '../group-sources.ts';
import { isStateOf, type Limits, timesOf } from '../keep.ts';
import { isPlain } from '../plain-file.ts';
import { projectFinder } from '../project.ts';
import { sessionKeys } from '../session-keys.ts';
import { partBytes, partsOf } from './file-parts.ts';

const gzip = promisify(zlib.gzip);

export interface VaultDeps {
  readonly store: Pick<Store, 'pauses' | 'projects' | 'removal' | 'transcripts' | 'vault'>;
  readonly config: Config;
  readonly clock: () => number;
  /** How long the machine has been up. It shows what a pause covers if the clock was changed during the pause. */
  readonly running?: (() => RunningTime | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `redact`: copies are rewritten by newer rules; otherwise transcripts are copied. */
type FillProgress = (progress: { readonly kind?: 'redact'; readonly done: number; readonly total: number }) => void;

/** Leave a transcript alone while it is being written: many small parts compress badly. */
const quietMs = 60_000;
const dayMs = 86_400_000;

export const vaultFolder = (config: Config): string => path.join(config.home, 'vault');

/** Where the copy of a transcript is. */
export function copyPath(config: Config, agent: AgentName, key: string): string {
  const inside = key.split('/').filter((step) => step !== '' && step !== '.' && step !== '..');
  return path.join(vaultFolder(config), agent, `${inside.join('/')}.gz`);
}

/**
 * Copies what is stored and not yet in the vault. Returns how many copies grew, and whether some must wait until their transcripts
 * are quiet. Skips a transcript that is gone or unreadable: its existing copy stays.
 */
export async function fillVault(
  deps: VaultDeps,
  options: { quietMs?: number; progress?: FillProgress | undefined } = {},
): Promise<{ grown: number; waiting: boolean }> {
  const { store, config, clock, running, signal } = deps;
  const { progress } = options;
  const done = { grown: 0, waiting: false };
  await redactVault(deps, progress);
  if (!config.settings.vault) return done;
  const limits = await limitsNow({ store, config, clock, running });
  const all = await store.vault.due();
  for (const [i, due] of all.entries()) {
    if (signal?.aborted) break;
    if (i > 0) progress?.({ done: i, total: all.length });
    const forgotten = await forgottenBy(store);
    const source = sourceOf(config, due);
    if (source === undefined) continue;
    if (clock() - fs.statSync(source).mtimeMs < (options.quietMs ?? quietMs)) done.waiting = true;
    else if (await copyPart(deps, due, source, limits, forgotten)) done.grown++;
    await new Promise(setImmediate);
  }
  return done;
}

/** What must not be kept of a transcript at this moment. */
export const limitsNow = async ({ store, config, clock, running }: Omit<VaultDeps, 'signal'>): Promise<Limits> => ({
  pauses: await store.pauses.list({ at: clock(), running: running?.() }),
  ignore: config.reload().ignore,
  skipTools: [],
});

/** The transcript's path, if the file still has everything that was stored from it. */
export const sourceOf = (config: Config, { roots, key, to }: VaultDue): string | undefined =>
  roots.map((root) => path.join(root, key)).find((file) => isWhereItSays(config, file) && sizeOf(file) >= to);

async function copyPart(
  { store, config, clock }: VaultDeps,
  due: VaultDue,
  source: string,
  limits: Limits,
  forgotten: Tombstones,
): Promise<boolean> {
  const agent = agents.find(({ name }) => name === due.agent);
  if (agent === undefined) return false;
  const isGone = isForgotten(agent, due.key, forgotten) || agent.isIndex?.(due.key) === true;
  const state = copyState(due.state);
  const toVault = await cleaner({ store, config }, agent, due, state, { source, limits, forgotten });
  const target = copyPath(config, due.agent, due.key);
  if (due.older !== undefined) keepBeside(target, due.older);
  let bytes = due.bytes;
  for (const part of isGone ? [] : partsOf(config, source, due.from, due.to)) {
    const lines = part.flatMap((line) => toVault(line) ?? []);
    if (lines.length > 0) {
      const packed = await gzip(`${lines.join('\n')}\n`);
      writeAt(config.home, target, bytes, packed);
      bytes += packed.length;
    }
    await new Promise(setImmediate);
  }
  // The part counts only from here: a crash before this leaves bytes beyond the known end, which the next write replaces.
  const counts = await store.vault.note({ ...due, offset: due.to, bytes, state, at: clock() }, forgotten.size);
  // Something was forgotten during the copy, and the new bytes may contain it: drop them and copy again.
  if (counts !== undefined) cutAt(target, counts.bytes);
  return counts === undefined && bytes > due.bytes;
}

/** Returns a function that turns a transcript's line into the vault's line: redacted, without anything private or forgotten. */
export async function cleaner(
  { store, config }: Pick<VaultDeps, 'store' | 'config'>,
  agent: Agent,
  { key }: Pick<VaultDue, 'key'>,
  state: ReaderState,
  { source, limits, forgotten }: { source: string; limits: Limits; forgotten: Tombstones },
): Promise<(line: string) => string | undefined> {
  const above = await stateAbove(store, agent, key);
  const projectOf = projectFinder({
    separateWorktrees: config.settings.separateWorktrees,
    links: await store.projects.links(),
  });
  const { vaultLines } = await import('./vault-line.ts');
  const fileTimes = () => timesOf(fs.statSync(source));
  const folder = folderBeside(agent, source, key);
  return vaultLines(agent, key, state, limits, { projectOf, sessionState: () => above, forgotten, fileTimes, folder });
}

/** The state of the transcript of the session that a subagent belongs to. Older clients name that session only in the lines, which ingest has read. */
async function stateAbove(
  store: Pick<Store, 'transcripts'>,
  agent: Agent,
  key: string,
): Promise<ReaderState | undefined> {
  const { session, subagent } = agent.describe(key);
  const own = (await store.transcripts.state(agent.name, key))?.state;
  const parent = own?.capture.parent;
  if (parent !== undefined)
    return (await store.transcripts.states(agent.name)).find(({ state }) => isStateOf(state, parent))?.state;
  if (subagent === undefined) return undefined;
  for (const above of sessionKeys(key, own?.capture.session ?? session)) {
    const known = await store.transcripts.state(agent.name, above);
    if (known !== undefined) return known.state;
  }
  const elsewhere = await store.transcripts.privateStates(agent.name);
  return elsewhere.find(({ state }) => isStateOf(state, own?.capture.session ?? session))?.state;
}

/** `s1.jsonl.gz` → `s1.kept-0.jsonl.gz`: also named like a transcript, so that readers of the vault find it. */
const olderName = (file: string, generation: number | string): string =>
  file.replace(/(\.[^./]+)?\.gz$/, (end) => `.kept-${generation}${end}`);

/** Moves the copy aside before a truncated or rewritten transcript is copied again. After a crash in between, the older copy is already there. */
function keepBeside(file: string, { generation, bytes }: { generation: number; bytes: number }): void {
  const beside = olderName(file, generation);
  if (sizeOf(beside) >= 0 || sizeOf(file) < bytes) return;
  cutAt(file, bytes);
  fs.renameSync(file, beside);
  syncFolder(path.dirname(file));
}

/** Older copies of a transcript that was truncated or rewritten later. */
export function olderCopies(config: Config, agent: AgentName, key: string): string[] {
  const file = copyPath(config, agent, key);
  const [lead = '', end = ''] = path.basename(olderName(file, '|')).split('|');
  const folder = path.dirname(file);
  if (!fs.existsSync(folder)) return [];
  const isOlder = (name: string) =>
    name.startsWith(lead) && name.endsWith(end) && /^\d+$/.test(name.slice(lead.length, name.length - end.length));
  return fs
    .readdirSync(folder)
    .filter(isOlder)
    .map((name) => path.join(folder, name));
}

/** Whether the transcript's session was forgotten as a whole. */
const isForgotten = (agent: Agent, key: string, forgotten: Tombstones): boolean =>
  forgotten.has(tombstone.session(agent.name, agent.describe(key).session));

export const forgottenBy = async (store: Pick<Store, 'removal'>): Promise<Tombstones> =>
  new Set((await store.removal.tombstones()).map(({ print }) => print));

type Rules = 'forgotten' | 'redaction';

/**
 * Removes forgotten entries from a copy, or what newer rules would redact. `none`: there is no copy. `removed`: the whole
 * session was forgotten, or the copy was unreadable. The transcript may be gone, so the copy is rewritten from itself.
 */
export async function rewriteCopy(
  { store, config }: Pick<VaultDeps, 'store' | 'config'>,
  { agent: name, key }: { agent: AgentName; key: string },
  rules: Rules = 'forgotten',
): Promise<'none' | 'same' | 'rewritten' | 'removed'> {
  const agent = agents.find((one) => one.name === name);
  sweepDrafts(path.dirname(copyPath(config, name, key)));
  const older = olderCopies(config, name, key);
  if (agent !== undefined && older.length > 0) await rewriteOlder({ store }, { agent, key, rules }, older);
  const copy = (await store.vault.copies()).find((one) => one.agent === name && one.key === key);
  const file = copyPath(config, name, key);
  if (agent === undefined || copy === undefined) {
    // The store knows no such copy: remove its bytes.
    fs.rmSync(file, { force: true });
    return 'none';
  }
  const forgotten = await forgottenBy(store);
  const lines = isForgotten(agent, key, forgotten) ? undefined : linesOf(file, copy.bytes);
  if (lines === undefined) {
    await dropCopy({ store, config }, copy);
    return 'removed';
  }
  const change = await changeOf(store, { agent, key, rules }, forgotten);
  const left = lines.flatMap((line) => change(line) ?? []);
  if (left.length === lines.length && left.every((line, i) => line === lines[i])) return 'same';
  const packed = await packLines(left);
  const draft = `${file}.${process.pid}.rewriting`;
  try {
    fs.writeFileSync(draft, packed, { mode: 0o600, flush: true });
    const replaced = await store.vault.replace(copy, packed.length, () => {
      fs.renameSync(draft, file);
      syncFolder(path.dirname(file));
    });
    if (replaced) return 'rewritten';
  } finally {
    fs.rmSync(draft, { force: true });
  }
  // The copy has grown: start again.
  return rewriteCopy({ store, config }, { agent: name, key }, rules);
}

/** Records how far this version's rules have processed the copies. */
const progressFile = (config: Config): string => path.join(vaultFolder(config), 'redaction.json');

/**
 * Redacts copies that were made under older rules, in the order of their names. A file records the progress: after a kill it
 * continues with the copy that it was at, and processing one twice changes nothing.
 */
async function redactVault({ store, config, signal }: VaultDeps, report: FillProgress | undefined): Promise<void> {
  const { redactionVersion } = await import('../redaction/redact.ts');
  const progress = readProgress(progressFile(config));
  if (progress.version >= redactionVersion && progress.after === undefined) return;
  const nameOf = ({ agent, key }: { agent: string; key: string }) => `${agent} ${key}`;
  const copies = [...(await store.vault.copies())].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  if (copies.length === 0 && !config.settings.vault) return;
  // Do not create a data folder again that was removed.
  if (!fs.existsSync(config.home)) return;
  if (!fs.existsSync(vaultFolder(config))) fs.mkdirSync(vaultFolder(config), { mode: 0o700 });
  const after = progress.version === redactionVersion ? (progress.after ?? '') : '';
  const note = (said: object) =>
    replaceFile(progressFile(config), `${JSON.stringify({ version: redactionVersion, ...said })}\n`, 0o600);
  for (const [i, copy] of copies.entries()) {
    if (nameOf(copy) <= after) continue;
    if (signal?.aborted) return;
    report?.({ kind: 'redact', done: i, total: copies.length });
    if ((await rewriteCopy({ store, config }, copy, 'redaction')) === 'rewritten') note({ after: nameOf(copy) });
    await new Promise(setImmediate);
  }
  note({});
}

function readProgress(file: string): { version: number; after?: string | undefined } {
  try {
    const { version, after } = JSON.parse(fs.readFileSync(file, 'utf8')) as { version?: unknown; after?: unknown };
    return { version: typeof version === 'number' ? version : 0, after: typeof after === 'string' ? after : undefined };
  } catch {
    // No such file, or Holdfast did not write it: start with the first copy.
    return { version: 0 };
  }
}

async function rewriteOlder(
  { store }: Pick<VaultDeps, 'store'>,
  { agent, key, rules }: { agent: Agent; key: string; rules: Rules },
  files: readonly string[],
): Promise<void> {
  const forgotten = await forgottenBy(store);
  for (const file of files) {
    const lines = isForgotten(agent, key, forgotten) ? undefined : linesOf(file, sizeOf(file));
    const change = await changeOf(store, { agent, key, rules }, forgotten);
    const left = lines?.flatMap((line) => change(line) ?? []);
    if (left === undefined || left.length === 0) fs.rmSync(file, { force: true });
    else if (left.length !== lines?.length || left.some((line, i) => line !== lines[i]))
      replaceFile(file, await packLines(left), 0o600);
  }
}

/** Removes drafts of killed processes: entries that are forgotten later would stay in them. */
function sweepDrafts(folder: string): void {
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const pid = /\.gz\.(\d+)\.(?:rewriting|tmp)$/.exec(name)?.[1];
    if (pid !== undefined && Number(pid) !== process.pid && !isAlive(Number(pid)))
      fs.rmSync(path.join(folder, name), { force: true });
  }
}

/** Returns a new function for each file, because the function processes the lines in order. */
async function changeOf(
  store: Pick<Store, 'transcripts'>,
  { agent, key, rules }: { agent: Agent; key: string; rules: Rules },
  forgotten: Tombstones,
): Promise<(line: string) => string | undefined> {
  const { forgetLines, redactLines } = await import('./vault-line.ts');
  return rules === 'redaction'
    ? redactLines(agent, key, await stateAbove(store, agent, key))
    : forgetLines(agent, key, forgotten);
}

/** Undefined if the copy cannot be read: such a copy is useless. */
function linesOf(file: string, bytes: number): string[] | undefined {
  try {
    const text = zlib.gunzipSync(fs.readFileSync(file).subarray(0, bytes)).toString('utf8');
    return text.split('\n').filter((line) => line !== '');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error)?.startsWith('Z_')) return undefined;
    throw explain(error, file);
  }
}

async function packLines(lines: readonly string[]): Promise<Buffer> {
  const members: Buffer[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from;
    for (let size = 0; to < lines.length && size < partBytes; to++) size += (lines[to] as string).length;
    members.push(await gzip(`${lines.slice(from, to).join('\n')}\n`));
    from = to;
  }
  return Buffer.concat(members);
}

function cutAt(file: string, bytes: number): void {
  if (bytes === 0) fs.rmSync(file, { force: true });
  else if (sizeOf(file) > bytes) fs.truncateSync(file, bytes);
}

/** Replaces everything from a position on. */
function writeAt(home: string, file: string, at: number, bytes: Buffer): void {
  const folder = path.dirname(file);
  makeFolder(home, folder);
  const fd = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
  try {
    fs.ftruncateSync(fd, at);
    fs.writeSync(fd, bytes, 0, bytes.length, at);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  if (at === 0) syncFolder(folder);
}

/** Removes copies that have not grown for `vaultDays`. Returns how many. */
export async function thinVault({ store, config, clock }: VaultDeps): Promise<number> {
  const { vaultDays } = config.settings;
  if (vaultDays === 0) return 0;
  const old = (await store.vault.copies()).filter(({ updatedAt }) => clock() - updatedAt > vaultDays * dayMs);
  for (const copy of old) await dropCopy({ store, config }, copy);
  return old.length;
}

/** Removes the bytes first: a crash in between leaves a known copy without bytes, never bytes that the store does not know. */
async function dropCopy(
  { store, config }: Pick<VaultDeps, 'store' | 'config'>,
  { agent, key }: { agent: AgentName; key: string },
): Promise<void> {
  for (const file of [copyPath(config, agent, key), ...olderCopies(config, agent, key)])
    fs.rmSync(file, { force: true });
  await store.vault.drop(agent, key);
}

/** Whether the path leads through no link: a group's agent may have put one there. */
export const isWhereItSays = (config: Config, file: string): boolean =>
  !isInHomes(config, file) || isPlain(config.agentHomesPath, file);

/** −1 if there is no such file. */
export function sizeOf(file: string): number {
  try {
    return fs.statSync(file).size;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return -1;
    throw error;
  }
}
