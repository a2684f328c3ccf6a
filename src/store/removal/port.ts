// How sessions are deleted, how something is forgotten for good, and how stored texts are rewritten.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ArchiveRow } from '../archives/port.ts';
import type { ConversationRules } from '../conversations/port.ts';
import type { SessionKey } from '../sessions/port.ts';

/** What to make of a stored text: of plain text, and of JSON that may be cut in the middle. Contract: neither throws. */
export interface TextChange {
  text(text: string): string;
  json(text: string): string;
}

/** An item that can be taken out for good. */
export type Forgettable =
  | { readonly kind: 'entry' | 'session'; readonly agent: AgentName; readonly id: string }
  | { readonly kind: 'observation' | 'summary'; readonly id: string };

/** Where a forgetting has left something outside of the database: names, never texts. */
export interface ForgottenTraces {
  readonly sessions: readonly { readonly agent: AgentName; readonly session: string; readonly gone: boolean }[];
  readonly transcripts: readonly {
    readonly agent: AgentName;
    readonly key: string;
    readonly roots: readonly string[];
  }[];
  /** Those that held some of it, and may have given memories. */
  readonly conversations: readonly {
    readonly agent: AgentName;
    readonly session: string;
    readonly file: string;
    readonly firstPos: number;
  }[];
}

export interface Forgotten {
  /** Rows that are gone. */
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
   * Puts the next `limit` stored texts through the change, until all have the version: then it is done, and costs nothing any
   * more. How far it came is part of the same transaction, so it goes on after a crash, and processes share the work.
   * `outside`: all rows have the version. The caller now removes what files hold of the old texts, and says so with `finishRewriting`.
   */
  rewriteTexts(
    version: number,
    change: TextChange,
    limit: number,
  ): Promise<{ done: boolean; outside: boolean; changed: number }>;
  finishRewriting(version: number): Promise<void>;
  /**
   * Takes sessions out with all that hangs on them, in one transaction; entries that a fork holds too become the fork's. Those that are not
   * there are passed over. The transcripts are the agents': reading one anew brings its session back.
   */
  deleteSessions(
    sessions: readonly SessionKey[],
    rules: ConversationRules,
  ): Promise<{ sessions: number; entries: number; toolUses: number; conversations: number }>;
  /** Which of these sessions, there or not, have given something to memory. */
  remembered(sessions: readonly SessionKey[]): Promise<readonly SessionKey[]>;
  /** How many conversations these sessions have. */
  countConversations(sessions: readonly SessionKey[]): Promise<number>;
  /** What these sessions have outside of the database, and no other session has a part in: copies in the vault, archives. */
  sessionFiles(sessions: readonly SessionKey[]): Promise<{
    readonly copies: readonly { readonly agent: AgentName; readonly key: string; readonly bytes: number }[];
    readonly archives: readonly Pick<ArchiveRow, 'folder' | 'file' | 'filePrint'>[];
  }>;
  /**
   * Takes an item out for good, with everything derived from it, and keeps a print by which it is known when it comes again: from a
   * transcript, a fork of it, a distiller or an import. What derives from more than the item is made again. What it leaves
   * outside of the database is unfinished until somebody says otherwise. Undefined when there is no such item.
   */
  forget(
    item: Forgettable,
    options: { rules: ConversationRules; now: number; dryRun?: boolean },
  ): Promise<Forgotten | undefined>;
  tombstones(): Promise<readonly Tombstone[]>;
  /** Takes over what was forgotten elsewhere, and forgets it here; `memories` are prints of the librarian's. */
  takeTombstones(
    prints: readonly Tombstone[],
    memories: Iterable<string>,
    options: { rules: ConversationRules; now: number },
  ): Promise<void>;
  unfinishedForgetting(now: number): Promise<readonly { readonly id: number; readonly traces: ForgottenTraces }[]>;
  finishForgetting(ids: readonly number[]): Promise<void>;
}
