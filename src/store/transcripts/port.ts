// Transcripts as files: how far each was read, and the commit that takes it further.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Author, EntryForm, Role } from '../../schema/entry.ts';
import type { ReaderState } from '../../schema/reader-state.ts';
import type { FactKind, TitleSource } from '../../schema/session-fact.ts';
import type { ConversationRules } from '../conversations/port.ts';

/** Where ingest stands with one transcript. The same key under several roots (live tree, backup) is one file. */
export interface FileState {
  readonly agent: AgentName;
  readonly key: string;
  /** Bytes taken in so far: always the end of a line. */
  readonly offset: number;
  readonly lines: number;
  /** Prints of the first bytes and of the last bytes before the offset: they tell a file that grew from another file. */
  readonly head: string;
  readonly tail: string;
  readonly state: ReaderState;
  readonly bornAt: number | undefined;
  readonly malformed: number;
  readonly status: FileStatus;
  readonly error: string | undefined;
  /** The version of the agent's reader that has read all of it. */
  readonly reader: number;
  /** The size last seen under each root. */
  readonly copies: ReadonlyMap<string, number>;
}

/** `ignored`: written by our own distiller. `failed`: could not be read; the error says why. */
export type FileStatus = 'ok' | 'ignored' | 'failed';

export interface NewToolUse {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly files: readonly string[];
}

export interface NewEntry {
  readonly uuid: string;
  readonly session: string;
  /** Byte offset of its line: the order of entries within a file. */
  readonly pos: number;
  readonly at: number;
  readonly role: Role;
  readonly author: Author;
  readonly form?: EntryForm | undefined;
  readonly text: string;
  /** The text as the index gets it, where it takes long to make: made before the transaction, by the one who read the line. */
  readonly indexed?: string | undefined;
  readonly tools: readonly string[];
  readonly toolUses: readonly NewToolUse[];
  /** Set where a subagent said it in the file of its session. */
  readonly subagent?: string | undefined;
  /** Set when the entry continues from a line further back: the byte offset of that line. */
  readonly joinsAt: number | undefined;
}

export interface NewToolResult {
  readonly id: string;
  readonly pos: number;
  readonly outcome: 'ok' | 'error';
  readonly output: string;
}

export interface SessionFact {
  readonly kind: FactKind;
  readonly value: string;
  /** Byte offset of the line that says it: of several values the last one is current. */
  readonly pos: number;
}

/** A session as one file knows it. */
export interface SessionInFile {
  readonly session: string;
  readonly cwd: string | undefined;
  readonly projectPath: string | undefined;
  readonly title: string | undefined;
  readonly titleBy?: TitleSource | undefined;
  readonly facts?: readonly SessionFact[] | undefined;
}

/** One step forward in one file: everything between two offsets. */
export interface Chunk {
  readonly agent: AgentName;
  /** Whose agent wrote the transcript. Its sessions become the group's; what it says of others' sessions is not taken. */
  readonly group?: string | undefined;
  readonly key: string;
  readonly root: string;
  /** The file's size when the step was planned. */
  readonly size: number;
  readonly subagent: string | undefined;
  /** The offset that the stored state must have, or the chunk is stale. */
  readonly from: number;
  readonly to: number;
  /** Reads the file anew from the start; what it no longer holds is swept when the last chunk arrives. */
  readonly restart: boolean;
  /** Whether what it no longer holds is removed then; else it stays, marked as gone. */
  readonly prune?: boolean | undefined;
  /** Set on chunks of a file that is read from its start: the version of the reader. */
  readonly reader?: number | undefined;
  /** Set where nothing but the reader is newer: `at` is the stored offset that the plan was made for; else the chunk is stale. */
  readonly renews?: { readonly from: 'transcript' | 'vault'; readonly at: number; readonly size: number } | undefined;
  /** Nothing of the file is left after this chunk. */
  readonly last: boolean;
  readonly lines: number;
  readonly malformed: number;
  readonly head: string;
  readonly tail: string;
  readonly state: ReaderState;
  readonly bornAt: number | undefined;
  readonly status: FileStatus;
  /** Why the file is `failed`. */
  readonly error?: string | undefined;
  readonly sessions: readonly SessionInFile[];
  /** Names of sessions of any file, each by the id of an entry that the session holds. */
  readonly titles?: readonly { readonly leaf: string; readonly title: string }[] | undefined;
  readonly entries: readonly NewEntry[];
  /** Entries of this file from earlier chunks that it no longer counts, and those whose place is another now. */
  readonly withdrawn?: readonly string[] | undefined;
  readonly moved?: readonly { readonly uuid: string; readonly pos: number }[] | undefined;
  readonly results: readonly NewToolResult[];
}

export interface FileCopy {
  readonly agent: AgentName;
  readonly key: string;
  readonly root: string;
  readonly size: number;
}

export interface ChunkOutcome {
  /** Another process was faster: nothing was written, read the state again. */
  readonly stale: boolean;
  readonly added: number;
}

/** For the account of what came in when. */
export interface CommitNote {
  readonly at: number;
  /** Milliseconds since the work on this batch began, asked when its rows are written. */
  elapsed(): number;
}

export interface ImportedOnDay {
  readonly day: string;
  readonly entries: number;
  readonly bytes: number;
  readonly ms: number;
}

/** A transcript that took too long to read. */
export interface SetAside {
  readonly agent: AgentName;
  readonly key: string;
  readonly path: string;
  /** Where the line begins that was being read. */
  readonly pos: number;
  /** Tells the file and the line from others. */
  readonly mark: string;
  /** Of the program that could not read it. */
  readonly version: string;
  readonly reason: string;
  readonly at: number;
}

/** Transcripts as files, and the commit of what they hold. */
export interface TranscriptsPort {
  setAsides(): Promise<readonly SetAside[]>;
  setAside(file: SetAside): Promise<void>;
  /** It was read after all. */
  takeBack(agent: AgentName, key: string): Promise<void>;
  states(agent?: AgentName): Promise<readonly FileState[]>;
  state(agent: AgentName, key: string): Promise<FileState | undefined>;
  /** Applies chunks in order, all in one transaction; a stale chunk is left out and said so. */
  commit(chunks: readonly Chunk[], rules: ConversationRules, note?: CommitNote): Promise<readonly ChunkOutcome[]>;
  /** What came in from then on, by the person's days. */
  imports(since: number, dayOf: (at: number) => string): Promise<readonly ImportedOnDay[]>;
  /** Records that copies of known files were seen under a root. */
  noteCopies(copies: readonly FileCopy[]): Promise<void>;
  /** Records that a file could not be read; its entries stay. */
  noteFailure(agent: AgentName, key: string, root: string, error: string): Promise<void>;
}
