// For agents that keep sessions in a database, or in JSON that they rewrite whole. Holdfast pulls new data into
// a transcript below the data folder, and ingest reads that like any other. The agent says what a source holds;
// `capture/pull` writes.

/** One line of a pulled transcript. */
export interface PulledLine {
  readonly type: string;
  /** The same whenever the same record is pulled, and in the copies that a fork makes. */
  readonly id: string;
  /** ISO; left out if the source names no time. */
  readonly timestamp?: string | undefined;
  readonly [key: string]: unknown;
}

/**
 * A line, a new cursor, or both. The cursor is any JSON, and says where to continue after everything before it. After `restart` the whole session
 * follows from its beginning, and its cursor at the end.
 */
export interface PulledRecord {
  readonly restart?: true;
  readonly line?: PulledLine | undefined;
  readonly cursor?: unknown;
}

export interface PulledSession {
  /** The transcript for the session's records, relative to the agent's folder of pulled transcripts. */
  readonly key: string;
  /** Changes whenever the source may hold more of this session. */
  readonly mark: string;
  /**
   * The records after `from`, the cursor of the last one that was written. `seen` reads the ids that the transcript
   * already holds; the caller also skips records with such an id.
   */
  records(from: unknown, seen: () => ReadonlySet<string>): Iterable<PulledRecord>;
}

/** A database that is open for reading only. Each call is a separate transaction, so that none lasts. */
export interface SourceDatabase {
  rows(sql: string, ...values: readonly (string | number)[]): Record<string, unknown>[];
  hasTable(name: string): boolean;
}

export interface PullTools {
  database(file: string): SourceDatabase;
  /** The parsed file; undefined while it is half written, or if it is not JSON. */
  json(file: string): unknown;
  /** Names in a folder, sorted; empty if the folder does not exist. */
  names(folder: string): readonly string[];
  /** The text of a file that is packed with zstd. Throws if this Node cannot unpack it. */
  unpacked(file: string): string | undefined;
  /** The text of a file; undefined if the file does not exist or is too large. */
  text(file: string): string | undefined;
  /** Size and time of a file as text; empty if the file does not exist. */
  stamp(file: string): string;
  /** When a file was last written. */
  writtenAt(file: string): number | undefined;
}

/** Contract: judges only by relative paths, with forward slashes. */
export interface AgentPull {
  /** Whether a file contains sessions. */
  isSource(key: string): boolean;
  /** Whether a change of this file may mean that a source has grown. */
  concerns(key: string): boolean;
  /** Whether a folder may contain sources, or lead to some. */
  leadsTo(key: string): boolean;
  /** For agents that also write line files: whether the key belongs to a pulled transcript. */
  beside?(key: string): boolean;
  /** Other folders in which the agent keeps sessions; a folder that the person has set is used alone. */
  also?(env: NodeJS.ProcessEnv, home: string): readonly string[];
  /** The sessions of one source; a session comes before the subagents that work for it. May throw a system error. */
  sessions(file: string, tools: PullTools): Iterable<PulledSession>;
}

/** Whether Holdfast wrote the transcript, from sessions that it pulled. */
export const isPulledKey = ({ pull }: { readonly pull?: AgentPull }, key: string): boolean =>
  pull !== undefined && (pull.beside?.(key) ?? true);

/** A name for a transcript that cannot lead out of its folder, whatever id an agent chose. */
export const pulledKey = (session: string, root?: string): string =>
  root === undefined ? `${safeName(session)}.jsonl` : `${safeName(root)}/subagents/${safeName(session)}.jsonl`;

const safeName = (id: string): string =>
  /^[\w-][\w.-]{0,119}$/.test(id) ? id : `x${Buffer.from(id).toString('hex').slice(0, 120)}`;
