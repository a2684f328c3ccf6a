// Vault → the agent's folder, so that a session can be resumed after the agent has deleted its transcript.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { isTranscriptOf } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { beneath, type Folder, writeNewIn } from '../../system/beneath.ts';
import { explain, HoldfastError, systemCode } from '../../system/errors.ts';
import { isInHomes, rootOf } from '../group-sources.ts';
import { copyPath, isWhereItSays, sizeOf, type VaultDeps } from './vault.ts';

/** Below this, recovery keeps copies of more than their transcripts hold: not for the agent's folder, which has the transcript. */
export const longerCopies = 'kept/';

export type Restored = 'there' | 'restored' | 'unknown';

/**
 * Puts a session's transcripts back where the agent looks for them. An existing file is newer than any copy, and stays.
 * `unknown`: neither the agent nor the vault has the session's own transcript.
 */
export async function restoreSession(
  deps: VaultDeps,
  agent: AgentName,
  session: string,
): Promise<{ own: Restored; restored: string[] }> {
  const known = agents.find(({ name }) => name === agent);
  if (known === undefined) return { own: 'unknown', restored: [] };
  let own: Restored = 'unknown';
  const restored: string[] = [];
  for (const copy of await deps.store.vault.sessionCopies(agent, session)) {
    if (copy.key.startsWith(longerCopies)) continue;
    const root = rootOf(deps.config, known, copy.key);
    const target = path.join(root, copy.key);
    if (!isWhereItSays(deps.config, target)) continue;
    const isOwn = isTranscriptOf(known, copy.key, session);
    const outcome =
      sizeOf(target) >= 0
        ? 'there'
        : putBack(
            isInHomes(deps.config, target) ? root : undefined,
            copyPath(deps.config, agent, copy.key),
            copy.bytes,
            target,
          );
    if (outcome === 'restored') restored.push(target);
    if (isOwn) own = outcome;
  }
  return { own, restored };
}

/** Pass a root if the target is below a folder that an untrusted program can write. */
function putBack(root: string | undefined, copy: string, bytes: number, target: string): Restored {
  let text: Buffer;
  try {
    // Bytes beyond the known end belong to an interrupted write.
    text = zlib.gunzipSync(fs.readFileSync(copy).subarray(0, bytes));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'unknown';
    if (systemCode(error)?.startsWith('Z_'))
      throw new HoldfastError('STORE_DAMAGED', `The copy ${copy} is damaged and cannot be restored`, { cause: error });
    throw explain(error, copy);
  }
  try {
    fs.mkdirSync(root ?? path.dirname(target), { recursive: true });
    const put = (folder: Folder) => {
      const draft = `${path.basename(target)}.${process.pid}.restoring`;
      try {
        // Remove whatever is there, so that we do not write through someone else's link.
        fs.rmSync(folder.at(draft), { force: true });
        writeNewIn(folder, draft, text);
        fs.linkSync(folder.at(draft), folder.at(path.basename(target)));
      } finally {
        fs.rmSync(folder.at(draft), { force: true });
      }
      folder.sync();
    };
    beneath(root ?? path.dirname(target), path.dirname(target), put, { make: true });
    return 'restored';
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'there';
    throw explain(error, target);
  }
}
