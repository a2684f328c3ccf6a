// Transcripts as files: how far each has been read, and the commit that advances it.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Author, EntryForm, Role } from '../../schema/entry.ts';
import type { ReaderState } from '../../schema/reader-state.ts';
import type { FactKind, TitleSource } from '../../schema/session-fact.ts';
import type { ConversationRules } from '../conversations/port.ts';
import type { IndexedUses } from '../search/tool-text.ts';

/** The state of ingest for one transcript. The same key under several roots (live tree, backup) is one file. */
export interface FileState {
  readonly agent: AgentName;
  readonly key: string;
  /** Bytes read so far: always the end of a line. */
  readonly offset: number;
  readonly lines: number;
  /**
   * Hashes of the first bytes, and of the last bytes before the offset. They show whether a file
   * has grown or was replaced.
   */
  readonly head: string;
  readonly tail: string;
  readonly state: ReaderState;
  readonly bornAt: number | undefined;
  readonly malformed: number;
  readonly status: FileStatus;
  readonly error: string | undefined;
  /** The version of the agent's reader that read the whole file. */
  readonly reader: number;
  /** The size last seen under each root. */
  readonly copies: ReadonlyMap<string, number>;
}

/** `ignored`: Holdfast's own distiller wrote it. `failed`: unreadable; the error says why. */
export type FileStatus = 'ok' | 'ignored' | 'failed';

export interface NewToolUse {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly files: readonly string[];
  /** Its result, if the same chunk contains it. */
  readonly result?: NewToolResult | undefined;
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
  /** The texts for both indexes. The process that read the line prepares them before the transaction. */
  readonly indexed?: string | undefined;
  readonly usesIndexed?: IndexedUses | undefined;
  /** Its place in the chunk's vectors; -1 if its text has no vector. */
  readonly vector?: number | undefined;
  readonly tools: readonly string[];
  readonly toolUses: readonly NewToolUse[];
  /** Set if a subagent said it in the file of its session. */
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
  /** Byte offset of its line. Of several values, the last one is current. */
  readonly pos: number;
}

/** A session as one file describes it. */
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
  /**
   * The group whose agent wrote the transcript. Its sessions become the
   * group's; statements about other sessions are ignored.
   */
  readonly group?: string | undefined;
  readonly key: string;
  readonly root: string;
  /** The file's size when this step was planned. */
  readonly size: number;
  readonly subagent: string | undefined;
  /** Must equal the stored offset; otherwise the chunk is stale. */
  readonly from: number;
  readonly to: number;
  /**
   * Reads the file again from the start. With the last chunk, the store
   * sweeps entries that the file no longer contains.
   */
  readonly restart: boolean;
  /** Whether that sweep deletes the entries; otherwise they stay, marked as gone. */
  readonly prune?: boolean | undefined;
  /** The version of the reader; set on chunks of a file that is read from its start. */
  readonly reader?: number | undefined;
  /** Set if only the reader is newer. `at` must equal the stored offset; otherwise the chunk is stale. */
  readonly renews?: { readonly from: 'transcript' | 'vault'; readonly at: number; readonly size: number } | undefined;
  /** This chunk ends the file. */
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
  /** Names of sessions in any file, each identified by an entry of the session. */
  readonly titles?: readonly { readonly leaf: string; readonly title: string }[] | undefined;
  readonly entries: readonly NewEntry[];
  /** Entries from earlier chunks that the file no longer counts, and entries whose position changed. */
  readonly withdrawn?: readonly string[] | undefined;
  readonly moved?: readonly { readonly uuid: string; readonly pos: number }[] | undefined;
  readonly results: readonly NewToolResult[];
  /** Vectors of the entries, if the process that read them has computed them. */
  readonly vectors?: ChunkVectors | undefined;
}

/** Vectors one after the other: thousands of separate arrays would take long to move between threads. */
export interface ChunkVectors {
  readonly model: string;
  readonly rough: boolean;
  readonly dimensions: number;
  readonly numbers: Int8Array;
}

export interface FileCopy {
  readonly agent: AgentName;
  readonly key: string;
  readonly root: string;
  readonly size: number;
}

export interface ChunkOutcome {
  /** Another process was faster. Nothing was written; read the state again. */
  readonly stale: boolean;
  readonly added: number;
}

/** For the statistics of imports. */
export interface CommitNote {
  readonly at: number;
  /** Milliseconds since work on this batch began; called when its rows are written. */
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
  /** Where the line that was being read begins. */
  readonly pos: number;
  /** Identifies the file and the line. */
  readonly mark: string;
  /** The version of the program that could not read it. */
  readonly version: string;
  readonly reason: string;
  readonly at: number;
}

export interface TranscriptsPort {
  setAsides(): Promise<readonly SetAside[]>;
  setAside(file: SetAside): Promise<void>;
  /** The transcript could be read after all. */
  takeBack(agent: AgentName, key: string): Promise<void>;
  states(agent?: AgentName): Promise<readonly FileState[]>;
  /** Those whose transcripts have had a wholly private turn. */
  privateStates(agent: AgentName): Promise<readonly FileState[]>;
  state(agent: AgentName, key: string): Promise<FileState | undefined>;
  /** Applies chunks in order in one transaction; a stale chunk is skipped and reported as such. */
  commit(chunks: readonly Chunk[], rules: ConversationRules, note?: CommitNote): Promise<readonly ChunkOutcome[]>;
  /** Imports from this moment on, by day in the person's time zone. */
  imports(since: number, dayOf: (at: number) => string): Promise<readonly ImportedOnDay[]>;
  /** Records copies of known files under a root. */
  noteCopies(copies: readonly FileCopy[]): Promise<void>;
  /** Records that a file was unreadable; its entries stay. */
  noteFailure(agent: AgentName, key: string, root: string, error: string): Promise<void>;
}
