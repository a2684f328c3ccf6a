// The vault's copies of transcripts, for `resume` on another machine. A copy is sent only if all of its sessions are shared.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { agents } from '../agents/index.ts';
import { copyPath } from '../capture/vault/vault.ts';
import type { AgentName } from '../schema/agent-name.ts';
import { hubKeyPrefix } from '../store/hub/port.ts';
import { tombstone } from '../store/removal/tombstone.ts';
import type { VaultCopy } from '../store/vault/port.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import { replaceFile } from '../system/replace-file.ts';
import { type Batch, emptyBatch } from './batch.ts';
import type { HubClient } from './connect.ts';
import { type HubDeps, type LocalProject, mayLeave, type Share } from './local.ts';

const partBytes = 512 << 10;
/** Larger transcripts can be read on other machines, but not resumed there. */
const largest = 32 << 20;
/** Larger than any transcript: a damaged copy must not fill the memory. */
const longest = 1 << 30;

/** Sends copies that changed after `since`. Returns the time of the latest change it has seen. */
export async function pushCopies(
  deps: HubDeps,
  shares: readonly Share[],
  local: ReadonlyMap<string, readonly LocalProject[]>,
  since: number,
  send: (batch: Batch) => Promise<void>,
): Promise<number> {
  const { store } = deps;
  const shareOf = new Map(
    shares.flatMap((share) => (local.get(share.project) ?? []).map(({ path: at }) => [at, share] as const)),
  );
  const allowed = mayLeave(deps);
  let latest = since;
  for (const copy of await store.vault.copies()) {
    if (copy.updatedAt <= since) continue;
    latest = Math.max(latest, copy.updatedAt);
    const agent = agents.find(({ name }) => name === copy.agent);
    if (copy.key.startsWith(hubKeyPrefix) || copy.bytes > largest || agent?.describe(copy.key).subagent !== undefined)
      continue;
    const found = new Set<Share | undefined>();
    for (const { agent: name, session } of await store.hub.sessionsIn(copy.agent, copy.key)) {
      const one = (await store.sessions.find(session)).find(({ id, agent: of }) => id === session && of === name);
      const may = one !== undefined && (await allowed({ agent: name, session, cwd: one.cwd }));
      found.add(may ? shareOf.get(one.projectPath) : undefined);
    }
    const [share] = found;
    if (found.size === 1 && share !== undefined) await sendCopy(deps, share, copy, send);
  }
  return latest;
}

async function sendCopy(
  { client, membership, config }: HubDeps,
  share: Share,
  copy: VaultCopy,
  send: (batch: Batch) => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ size: string | null }>(
    `SELECT (SELECT sum(octet_length(c.bytes)) FROM holdfast.copies c WHERE c.transcript = t.id) AS size FROM holdfast.transcripts t
     WHERE t.share = $1 AND t.machine = $2 AND t.agent = $3 AND t.key = $4`,
    [share.id, membership.machineId, copy.agent, copy.key],
  );
  // The transcript was not pushed, or the hub already has this copy.
  if (rows.length === 0 || Number(rows[0]?.size ?? 0) === copy.bytes) return;
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(copyPath(config, copy.agent, copy.key)).subarray(0, copy.bytes);
  } catch {
    // The vault has just removed the copy: there is nothing to send.
    return;
  }
  const of = Math.ceil(bytes.length / partBytes);
  for (let part = 0; part < of; part++)
    await send({
      ...emptyBatch,
      copies: [
        {
          ...{ share: share.id, agent: copy.agent, key: copy.key, part, of },
          bytes: bytes.subarray(part * partBytes, (part + 1) * partBytes).toString('base64'),
        },
      ],
    });
}

/** A session's transcript from the hub; undefined if the hub has no copy of it. */
export async function fetchTranscript(
  client: HubClient,
  agent: AgentName,
  session: string,
): Promise<{ key: string; text: Buffer } | undefined> {
  const known = agents.find(({ name }) => name === agent);
  const { rows } = await client.query<{ id: number; key: string }>(
    `SELECT t.id, t.key FROM holdfast.sessions s JOIN holdfast.transcripts t ON t.id = s.transcript
     WHERE s.print = $1 AND t.agent = $2 ORDER BY t.seq DESC`,
    [tombstone.session(agent, session), agent],
  );
  for (const { id, key } of rows) {
    const about = known?.describe(key);
    if (about?.session !== session || about.subagent !== undefined) continue;
    const parts = await client.query<{ bytes: Buffer }>(
      'SELECT bytes FROM holdfast.copies WHERE transcript = $1 ORDER BY part',
      [id],
    );
    if (parts.rows.length === 0) continue;
    try {
      return {
        key,
        text: zlib.gunzipSync(Buffer.concat(parts.rows.map(({ bytes }) => bytes)), { maxOutputLength: longest }),
      };
    } catch (error) {
      throw new HoldfastError('UNREADABLE', `The hub's copy of session ${session} is damaged`, { cause: error });
    }
  }
  return undefined;
}

/**
 * Puts a transcript where the agent looks for sessions of a folder. Claude Code names its transcript folder after the session's working folder;
 * for other agents the file gets the same path as on the other machine. Contract: an existing file stays.
 */
export function placeTranscript(root: string, key: string, folder: string, agent: AgentName, text: Buffer): string {
  const steps = key.split('/').filter((step) => step !== '' && step !== '.' && step !== '..');
  const name = steps.at(-1) ?? 'session.jsonl';
  const below = agent === 'claude-code' ? [folder.replace(/[^a-zA-Z0-9]/g, '-'), name] : steps;
  const target = path.join(root, ...below);
  try {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    // Write a draft beside it first: an agent must never find part of a transcript.
    replaceFile(target, text, 0o600, () => !fs.existsSync(target));
  } catch (error) {
    throw explain(error, target);
  }
  return target;
}
