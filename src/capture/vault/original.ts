// All lines of a session's transcripts: from the vault, and from the transcript itself what the vault does not have yet. Every line is as
// the vault keeps it: redacted, without anything private or forgotten.
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import zlib from 'node:zlib';
import type { Agent } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import { copyState } from '../../schema/reader-state.ts';
import type { SessionKey } from '../../store/sessions/port.ts';
import type { Store } from '../../store/store.ts';
import { systemCode } from '../../system/errors.ts';
import { partsOf } from './file-parts.ts';
import { cleaner, copyPath, forgottenBy, limitsNow, sourceOf, type VaultDeps } from './vault.ts';

export type OriginalDeps = VaultDeps & { readonly store: Pick<Store, 'hub'> };

export interface OriginalLine {
  readonly agent: Agent;
  /** The key of its transcript. */
  readonly key: string;
  readonly value: unknown;
}

/** More than a person would ever read: a damaged copy must not keep the worker busy. */
const mostBytes = 512 << 20;

/** Contract: skips transcripts and copies that are gone or damaged. Lines that `matters` rejects are not parsed. */
export async function* originalLines(
  deps: OriginalDeps,
  session: SessionKey,
  matters: (line: string) => boolean = () => true,
): AsyncGenerator<OriginalLine> {
  const { store, config } = deps;
  const agent = agentNamed(session.agent);
  if (agent === undefined) return;
  const byKey = <T extends { readonly key: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.key, row]));
  const copies = byKey(await store.vault.sessionCopies(agent.name, session.session));
  const dues = byKey(await store.vault.sessionDue(agent.name, session.session));
  for (const key of await store.hub.transcriptKeys(session)) {
    const [copy, due] = [copies.get(key), dues.get(key)];
    // After a truncation, the transcript is copied from its beginning, so the old copy is skipped.
    if (copy !== undefined && due?.from !== 0)
      for await (const line of copied(copyPath(config, agent.name, key), copy.bytes, deps.signal))
        if (matters(line)) yield* parsed(agent, key, line);
    const source = due && sourceOf(config, due);
    if (due === undefined || source === undefined) continue;
    const [limits, forgotten] = [await limitsNow(deps), await forgottenBy(store)];
    const clean = await cleaner(deps, agent, due, copyState(due.state), { source, limits, forgotten });
    for (const part of partsOf(config, source, due.from, due.to)) {
      for (const line of part) {
        const kept = clean(line);
        if (kept !== undefined && matters(kept)) yield* parsed(agent, key, kept);
      }
      deps.signal?.throwIfAborted();
      await new Promise(setImmediate);
    }
  }
}

function* parsed(agent: Agent, key: string, line: string): Generator<OriginalLine> {
  try {
    yield { agent, key, value: JSON.parse(line) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Half a line of a damaged copy.
  }
}

async function* copied(file: string, bytes: number, signal: AbortSignal | undefined): AsyncGenerator<string> {
  if (bytes === 0 || !fs.existsSync(file)) return;
  const packed = fs.createReadStream(file, { end: bytes - 1 });
  const lines = packed.pipe(zlib.createGunzip());
  // Pass errors of the first stream on to the one that is read.
  packed.on('error', (error) => lines.destroy(error));
  let read = 0;
  try {
    for await (const line of createInterface({ input: lines, crlfDelay: Number.POSITIVE_INFINITY })) {
      signal?.throwIfAborted();
      read += line.length;
      if (read > mostBytes) return;
      if (line !== '') yield line;
    }
  } catch (error) {
    // The copy is cut off, or another process is removing it.
    if (systemCode(error) === undefined) throw error;
  } finally {
    packed.destroy();
    lines.destroy();
  }
}
