// Deletes sessions, forgets items for good, and rewrites stored texts.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ArchiveRow } from '../archives/port.ts';
import type { ConversationRules } from '../conversations/port.ts';
import type { SessionKey } from '../sessions/port.ts';

/** Rewrites a stored text: plain text, or JSON that may be truncated. Contract: neither function throws. */
export interface TextChange {
  text(text: string): string;
  json(text: string): string;
}

/** An item that can be forgotten. */
export type Forgettable =
  | { readonly kind: 'entry' | 'session'; readonly agent: AgentName; readonly id: string }
  | { readonly kind: 'tool use'; readonly agent: AgentName; readonly entry: string; readonly id: string }
  | { readonly kind: 'observation' | 'summary'; readonly id: string };

/** Traces of a forgotten item outside the database: names, never texts. */
export interface ForgottenTraces {
  readonly sessions: readonly { readonly agent: AgentName; readonly session: string; readonly gone: boolean }[];
  readonly transcripts: readonly {
    readonly agent: AgentName;
    readonly key: string;
    readonly roots: readonly string[];
  }[];
  /** Conversations that contained part of it and may have contributed memories. */
  readonly conversations: readonly {
    readonly agent: AgentName;
    readonly session: string;
    readonly file: string;
    readonly firstPos: number;
  }[];
}

export interface Forgotten {
  /** The numbers of deleted rows. */
  readonly removed: {
    readonly sessions: number;
    readonly entries: number;
    readonly toolUses: number;
    readonly observations: number;
    readonly summaries: number;
    readonly briefings: number;
    readonly pins: number;
  };
  readonly traces: ForgottenTraces;
}

export interface Tombstone {
  readonly print: string;
  readonly at: number;
}

/** Deleting, forgetting and rewriting. */
export interface RemovalPort {
  /**
   * Applies the change to the next `limit` stored texts, until all have the version; after that it costs nothing.
   * Progress is stored in the same transaction, so work resumes after a crash and processes share it. `outside`: all
   * rows have the version. The caller now removes the old texts from files, and then calls `finishRewriting`. `share`:
   * about how much of the work is done, from 0 to 1.
   */
  rewriteTexts(
    version: number,
    change: TextChange,
    limit: number,
  ): Promise<{ done: boolean; outside: boolean; changed: number; share: number }>;
  finishRewriting(version: number): Promise<void>;
  /**
   * Deletes sessions with everything that depends on them, in one transaction. Entries that a
   * fork also holds become the fork's. Unknown sessions are skipped. The transcripts belong
   * to the agents: reading one again brings its session back.
   */
  deleteSessions(
    sessions: readonly SessionKey[],
    rules: ConversationRules,
  ): Promise<{ sessions: number; entries: number; toolUses: number; conversations: number }>;
  /** Which of these sessions, stored or not, have contributed to memory. */
  remembered(sessions: readonly SessionKey[]): Promise<readonly SessionKey[]>;
  /** The number of conversations in these sessions. */
  countConversations(sessions: readonly SessionKey[]): Promise<number>;
  /** Files outside the database that belong to these sessions alone: vault copies and archives. */
  sessionFiles(sessions: readonly SessionKey[]): Promise<{
    readonly copies: readonly { readonly agent: AgentName; readonly key: string; readonly bytes: number }[];
    readonly archives: readonly Pick<ArchiveRow, 'folder' | 'file' | 'fileHash'>[];
  }>;
  /**
   * Forgets an item and everything derived from it, and keeps a hash that recognises it if it returns from a
   * transcript, a fork, a distiller or an import. Rows that also derive from other items are derived again. Traces
   * outside the database stay listed until `finishForgetting`. Undefined if there is no such item.
   */
  forget(
    item: Forgettable,
    options: { rules: ConversationRules; now: number; dryRun?: boolean },
  ): Promise<Forgotten | undefined>;
  tombstones(): Promise<readonly Tombstone[]>;
  /** Takes over items that were forgotten elsewhere, and forgets them here; `memories` are the librarian's hashes. */
  takeTombstones(
    prints: readonly Tombstone[],
    memories: Iterable<string>,
    options: { rules: ConversationRules; now: number },
  ): Promise<void>;
  unfinishedForgetting(now: number): Promise<readonly { readonly id: number; readonly traces: ForgottenTraces }[]>;
  finishForgetting(ids: readonly number[]): Promise<void>;
}
