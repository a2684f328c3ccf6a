// Removes sessions with everything derived from them. Files go before the rows that refer to them: if the process stops
// halfway, the sessions are still there and can be removed again.
import fs from 'node:fs';
import { conversationRules } from '../../capture/conversation-rules.ts';
import { copyPath, olderCopies } from '../../capture/vault/vault.ts';
import { plural } from '../../language/plural.ts';
import type { Session } from '../../schema/session.ts';
import { removable, removeArchiveFiles } from '../../sessions/archives/archives.ts';
import type { SessionKey } from '../../store/sessions/port.ts';
import { systemCode } from '../../system/errors.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import type { Context } from '../operation.ts';
import type { BriefingPorts, MemoryPorts } from '../ports.ts';
import { renewBriefings } from '../recall/prepare-briefings.ts';

export interface RemovedSessions {
  readonly sessions: number;
  readonly entries: number;
  readonly toolUses: number;
  readonly conversations: number;
  /** Conversations whose memories were deleted. */
  readonly memories: number;
  readonly copies: number;
  /** Archives that were removed, and archives that stay because a person edited them. */
  readonly archives: readonly string[];
  readonly kept: readonly string[];
}

/** Rows per transaction: other writers wait for it. */
const atOnce = 5000;
const filesAtOnce = 64;

export async function removeSessions(
  context: Context<BriefingPorts | MemoryPorts | 'removal'>,
  keys: readonly SessionKey[],
): Promise<RemovedSessions> {
  const { store, config, signal } = context;
  const rules = conversationRules(config.settings);
  const done = { sessions: 0, entries: 0, toolUses: 0, conversations: 0 };
  const memories = await forgetMemories(context, keys);
  const { copies, archives } = await store.removal.sessionFiles(keys);
  const paths = copies.flatMap(({ agent, key }) => [copyPath(config, agent, key), ...olderCopies(config, agent, key)]);
  // Each removal waits for the disk, so run several at a time.
  for (let from = 0; from < paths.length; from += filesAtOnce) {
    signal?.throwIfAborted();
    await Promise.all(paths.slice(from, from + filesAtOnce).map(unlink));
  }
  const files = removeArchiveFiles(config, archives);
  for (let from = 0; from < keys.length; from += atOnce) {
    signal?.throwIfAborted();
    const removed = await store.removal.deleteSessions(keys.slice(from, from + atOnce), rules);
    for (const name of ['sessions', 'entries', 'toolUses', 'conversations'] as const) done[name] += removed[name];
    await new Promise(setImmediate);
  }
  // A process that used one of them may have stored something in the meantime.
  await forgetMemories(context, keys);
  await renewBriefings(context);
  return { ...done, memories, copies: copies.length, archives: files.removed, kept: files.kept };
}

/** What removing these sessions would delete. */
export async function plannedRemoval(
  { store, config }: Context<'memory' | 'removal'>,
  sessions: readonly Session[],
): Promise<RemovedSessions> {
  const keys = sessions.map(({ agent, id }) => ({ agent, session: id }));
  const { copies, archives } = await store.removal.sessionFiles(keys);
  const files = removable(config, archives);
  let memories = 0;
  for (const key of await store.removal.remembered(keys)) memories += (await store.memory.extractions(key)).length;
  return {
    sessions: sessions.length,
    entries: sessions.reduce((sum, one) => sum + one.entries + one.subagentEntries, 0),
    toolUses: sessions.reduce((sum, one) => sum + one.toolUses, 0),
    conversations: await store.removal.countConversations(keys),
    memories,
    copies: copies.length,
    archives: files.removed,
    kept: files.kept,
  };
}

/** Everything that goes, for the question and for the report. */
export const inWords = (gone: Omit<RemovedSessions, 'sessions' | 'archives' | 'kept'> & { archives: number }): string =>
  [
    plural(gone.entries, 'entry', 'entries'),
    plural(gone.toolUses, 'tool use'),
    plural(gone.conversations, 'conversation'),
    ...(gone.memories > 0 ? [`memories of ${plural(gone.memories, 'conversation')}`] : []),
    ...(gone.copies > 0 ? [`${plural(gone.copies, 'copy', 'copies')} in the vault`] : []),
    ...(gone.archives > 0 ? [plural(gone.archives, 'archive')] : []),
  ].join(', ');

/** Takes half the time of `rm`, which checks each file first. */
async function unlink(file: string): Promise<void> {
  try {
    await fs.promises.unlink(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

async function forgetMemories(context: Context<MemoryPorts | 'removal'>, keys: readonly SessionKey[]): Promise<number> {
  const giving = await context.store.removal.remembered(keys);
  if (giving.length === 0) return 0;
  const { forgetSource, commitPages } = await librarian();
  let gone = 0;
  for (const key of giving) gone += (await forgetSource(toDeps(context), key)).extractions;
  await commitPages(toDeps(context));
  return gone;
}
