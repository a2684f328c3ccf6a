// How sessions are taken out of the store, and how something is forgotten for good.
import type { AgentName } from '../schema/agent-name.ts';
import type { ConversationRules } from './files.ts';
import type { SessionKey } from './groups.ts';
import type { ArchiveRow } from './vault.ts';

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

export interface RemovalStore {
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
  /** Overwrites what was removed, in the database and its log. False while somebody else's reading keeps the log. */
  purge(): Promise<boolean>;
  /** Gives back the memory in which the engine holds parts of the file, so that what was removed goes from there too. */
  release(): Promise<void>;
}
