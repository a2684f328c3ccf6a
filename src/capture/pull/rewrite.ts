// A pulled transcript is ours, so forgetting rewrites it: lines that contain something forgotten are emptied in place. Each keeps its length, so
// that offsets stay valid.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { agentNamed } from '../../agents/index.ts';
import { isPulledKey } from '../../agents/pull.ts';
import type { Config } from '../../config/config.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { copyState } from '../../schema/reader-state.ts';
import { type Tombstones, tombstone } from '../../store/removal/tombstone.ts';
import type { Store } from '../../store/store.ts';
import { isAlive } from '../../system/alive.ts';
import { explain, systemCode } from '../../system/errors.ts';
import { replaceFile, syncFolder } from '../../system/replace-file.ts';
import { redact, redactionVersion } from '../redaction/redact.ts';
import { forgetLines, redactLines } from '../vault/vault-line.ts';
import { isNote, linesOf, noteLine, parseNote } from './transcript.ts';

interface Deps {
  readonly store: Pick<Store, 'removal' | 'vault'>;
  readonly config: Config;
}

type Outcome = 'none' | 'same' | 'rewritten' | 'removed';

/** Removes forgotten entries from a pulled transcript. `none`: there is no such transcript. */
export async function forgetInPulled(
  deps: Deps,
  { agent: name, key }: { agent: AgentName; key: string },
): Promise<Outcome> {
  const agent = agentNamed(name);
  if (agent === undefined || !isPulledKey(agent, key)) return 'none';
  const file = path.join(deps.config.pulledPath(agent), key);
  sweepDrafts(path.dirname(file));
  const forgotten: Tombstones = new Set((await deps.store.removal.tombstones()).map(({ print }) => print));
  if (forgotten.has(tombstone.session(agent.name, agent.describe(key).session))) return remove(deps, file);
  const { session } = agent.describe(key);
  const isForgotten = (title: string) => forgotten.has(tombstone.title(agent.name, session, title));
  return rewrite(
    deps,
    file,
    () => forgetLines(agent, key, forgotten),
    (title) => (isForgotten(title) ? undefined : title),
  );
}

async function remove({ store }: Pick<Deps, 'store'>, file: string): Promise<Outcome> {
  if (!fs.existsSync(file)) return 'none';
  const known = (await store.removal.tombstones()).length;
  // In a transaction, so that no pull is writing now, and a later pull sees the tombstone and does not write the session again.
  await store.vault.unlessForgotten(known, () => {
    fs.rmSync(file, { force: true });
    syncFolder(path.dirname(file));
  });
  return fs.existsSync(file) ? remove({ store }, file) : 'removed';
}

/**
 * `changer` returns a new function for each reading, because the function processes the lines in order. `titled` changes the title that a
 * note holds.
 */
async function rewrite(
  deps: Pick<Deps, 'store'>,
  file: string,
  changer: () => (line: string) => string | undefined,
  titled: (title: string) => string | undefined,
): Promise<Outcome> {
  const { store } = deps;
  const change = changer();
  const lines = linesOf(file);
  if (lines.length === 0) return fs.existsSync(file) ? 'same' : 'none';
  const size = fs.statSync(file).size;
  const changed = (line: string) => (isNote(line) ? withTitle(line, titled) : padded(line, change(line)));
  const after = lines.map((line) => (line === '' ? line : changed(line)));
  if (after.every((line, i) => line === lines[i])) return 'same';
  const text = after.map((line) => `${line}\n`).join('');
  const known = (await store.removal.tombstones()).length;
  let replaced = false;
  try {
    await store.vault.unlessForgotten(known, () => {
      replaced = replaceFile(file, text, 0o600, () => fs.statSync(file).size === size);
    });
  } catch (error) {
    throw explain(error, file);
  }
  // The file has grown, or more was forgotten: start again.
  return replaced ? 'rewritten' : rewrite(deps, file, changer, titled);
}

/** A note whose state holds another title, or none. Half a note stays as it is. */
function withTitle(line: string, titled: (title: string) => string | undefined): string {
  const note = parseNote(line);
  const title = note?.state.capture.title;
  if (note === undefined || title === undefined) return line;
  const after = titled(title);
  if (after === title) return line;
  const state = copyState(note.state);
  if (after === undefined) {
    delete state.capture.title;
    delete state.capture.titleBy;
  } else state.capture.title = after;
  return padded(line, noteLine({ ...note, state }));
}

/** Pads the new line to the old length in bytes, so that the lines after it keep their offsets. A longer line stays as it is. */
function padded(before: string, after = '{}'): string {
  const missing = Buffer.byteLength(before) - Buffer.byteLength(after);
  return missing > 0 ? after + ' '.repeat(missing) : after;
}

/** Removes drafts of killed processes: entries that are forgotten later would stay in them. */
function sweepDrafts(folder: string): void {
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const pid = Number(/\.jsonl\.(\d+)\.tmp$/.exec(name)?.[1]);
    if (pid > 0 && pid !== process.pid && !isAlive(pid)) fs.rmSync(path.join(folder, name), { force: true });
  }
}

/** Redacts transcripts that were written under older rules. Processing one twice changes nothing. */
export async function redactPulled(deps: Deps, agents: readonly Agent[], signal?: AbortSignal): Promise<number> {
  const progress = path.join(deps.config.home, 'pulled', 'redaction.json');
  if (!fs.existsSync(path.dirname(progress)) || versionIn(progress) === redactionVersion) return 0;
  let changed = 0;
  for (const agent of agents)
    for (const file of transcriptsBelow(deps.config.pulledPath(agent))) {
      if (signal?.aborted) return changed;
      const key = path.relative(deps.config.pulledPath(agent), file).split(path.sep).join('/');
      if ((await redactOne(deps, agent, file, key)) === 'rewritten') changed++;
      await new Promise(setImmediate);
    }
  replaceFile(progress, `${JSON.stringify({ version: redactionVersion })}\n`, 0o600);
  return changed;
}

const redactOne = (deps: Deps, agent: Agent, file: string, key: string): Promise<Outcome> =>
  rewrite(deps, file, () => redactLines(agent, key, undefined), redact);

function versionIn(file: string): number {
  try {
    return Number((JSON.parse(fs.readFileSync(file, 'utf8')) as { version?: unknown }).version) || 0;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

const transcriptsBelow = (folder: string): string[] =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => path.join(folder, name))
    : [];
