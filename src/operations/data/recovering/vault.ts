// Vault copies → entries, if the transcript itself is gone or holds less.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import type { Agent } from '../../../agents/agent.ts';
import { agents } from '../../../agents/index.ts';
import type { Source } from '../../../capture/chunk.ts';
import { rootOf } from '../../../capture/group-sources.ts';
import type { IngestDeps } from '../../../capture/ingest.ts';
import { ingestSources } from '../../../capture/ingest-sources.ts';
import { copyPath, sourceOf, vaultFolder } from '../../../capture/vault/vault.ts';
import { longerCopies } from '../../../capture/vault/vault-restore.ts';

export interface FromVault {
  /** Copies that were read. */
  readonly copies: number;
  readonly entries: number;
  /** Copies that cannot be read at all. */
  readonly unreadable: readonly string[];
  /** Copies of more than their transcripts hold now, and where they stay when the transcripts are copied again. */
  readonly longer: readonly { readonly from: string; readonly to: string }[];
}

/** Our parts are far smaller; Holdfast did not write a larger one. */
const longestPart = 64 << 20;

/** `folder` holds temporary transcripts. */
export async function takeFromVault(deps: IngestDeps, folder: string): Promise<FromVault> {
  const { store, config, clock, signal } = deps;
  const done = { copies: 0, entries: 0, unreadable: [] as string[], longer: [] as FromVault['longer'][number][] };
  const known = new Map<string, number>();
  for (const agent of agents as readonly Agent[])
    for (const key of keysIn(path.join(vaultFolder(config), agent.name))) {
      signal?.throwIfAborted();
      const copy = copyPath(config, agent.name, key);
      const state = await store.transcripts.state(agent.name, key);
      const { text, bytes } = unpack(copy);
      if (text.length === 0) {
        if (fs.statSync(copy).size > 0) done.unreadable.push(copy);
        continue;
      }
      known.set(`${agent.name} ${key}`, bytes);
      // What was read already is complete.
      if (state !== undefined && state.offset > 0 && linesIn(text) <= state.lines) continue;
      const name = state === undefined || state.offset === 0 ? key : longerCopies + key;
      const source = unpacked(deps, agent, name, text, path.join(folder, agent.name));
      const { added } = await ingestSources({ ...deps, progress: undefined }, [source], false);
      fs.rmSync(source.path);
      done.copies++;
      done.entries += added;
      if (name === key) continue;
      known.delete(`${agent.name} ${key}`);
      known.set(`${agent.name} ${name}`, bytes);
      done.longer.push({ from: copy, to: copyPath(config, agent.name, name) });
    }
  // Record the copies whose transcripts are gone: resuming restores those from them, and forgetting and newer rules of redaction reach them.
  const forgotten = (await store.removal.tombstones()).length;
  for (const due of await store.vault.due()) {
    const bytes = sourceOf(config, due) === undefined ? known.get(`${due.agent} ${due.key}`) : undefined;
    const state = (await store.transcripts.state(due.agent, due.key))?.state;
    if (bytes === undefined || state === undefined) continue;
    await store.vault.note({ ...due, offset: due.to, bytes, state, at: clock() }, forgotten);
  }
  return done;
}

function unpacked({ config }: IngestDeps, agent: Agent, key: string, text: Buffer, folder: string): Source {
  const file = path.join(folder, key);
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, text, { mode: 0o600 });
  const root = rootOf(config, agent, key);
  const [name = ''] = key.split('/');
  const group =
    root === config.agentHomesPath ? { group: { name, folder: path.join(config.groupsPath, name) }, root: folder } : {};
  return { agent, key, root, path: file, size: text.length, ...group };
}

/**
 * Reads as much as possible from the start, and returns how many bytes of the copy that is: an interrupted write may
 * have left more bytes.
 */
export function unpack(copy: string): { text: Buffer; bytes: number } {
  const packed = fs.readFileSync(copy);
  try {
    return { text: zlib.gunzipSync(packed), bytes: packed.length };
  } catch {
    // Not readable as a whole: try part by part.
  }
  const starts: number[] = [];
  for (let at = packed.indexOf(magic); at >= 0; at = packed.indexOf(magic, at + 1)) starts.push(at);
  const parts: Buffer[] = [];
  let i = starts[0] === 0 ? 0 : starts.length;
  while (i < starts.length) {
    const end = endOfPart(packed, starts, i, parts);
    if (end === undefined) break;
    i = end;
  }
  const text = Buffer.concat(parts);
  return { text: text.subarray(0, text.lastIndexOf(10) + 1), bytes: i === 0 ? 0 : (starts[i] ?? packed.length) };
}

const magic = Buffer.from([0x1f, 0x8b, 0x08]);

/** The bytes that start a part may also occur inside a part. */
function endOfPart(packed: Buffer, starts: readonly number[], i: number, parts: Buffer[]): number | undefined {
  for (let j = i + 1; j <= Math.min(starts.length, i + 16); j++)
    try {
      parts.push(zlib.gunzipSync(packed.subarray(starts[i], starts[j]), { maxOutputLength: longestPart }));
      return j;
    } catch {
      // Not the end of the part.
    }
  return undefined;
}

function linesIn(text: Buffer): number {
  let lines = 0;
  for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) lines++;
  return lines;
}

function keysIn(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.gz') && fs.statSync(path.join(folder, file)).isFile())
    .map((file) => file.slice(0, -3).split(path.sep).join('/'))
    .sort();
}
