// Agents that keep sessions in a database, or in JSON that they rewrite whole. What is new there is pulled into a transcript of ours, below the
// data folder, and ingest reads that like any other. The agent says what a source holds; `capture/pull` writes.

/** One line of a pulled transcript. */
export interface PulledLine {
  readonly type: string;
  /** The same whenever the same record is pulled, and in the copies that a fork makes. */
  readonly id: string;
  /** ISO; left out where the source names no time. */
  readonly timestamp?: string | undefined;
  readonly [key: string]: unknown;
}

/** A line, a new cursor, or both: the cursor says where to go on after all that came before it, and is any JSON. */
export interface PulledRecord {
  readonly line?: PulledLine | undefined;
  readonly cursor?: unknown;
}

export interface PulledSession {
  /** The transcript that the session's records go to, relative to the agent's folder of pulled transcripts. */
  readonly key: string;
  /** Changes whenever the source may hold more of this session. */
  readonly mark: string;
  /**
   * The records after `from`, the cursor of the last one that was written. `seen` reads the ids that the transcript holds already; records with
   * such an id are left out by the caller too.
   */
  records(from: unknown, seen: () => ReadonlySet<string>): Iterable<PulledRecord>;
}

/** A database that is open for reading alone. Each call is a transaction of its own, so that none lasts. */
export interface SourceDatabase {
  rows(sql: string, ...values: readonly (string | number)[]): Record<string, unknown>[];
  hasTable(name: string): boolean;
}

export interface PullTools {
  database(file: string): SourceDatabase;
  /** The parsed file; undefined while it is half written, or is no JSON. */
  json(file: string): unknown;
  /** Names in a folder, sorted; none where there is no such folder. */
  names(folder: string): readonly string[];
  /** The text of a file that is packed with zstd. Throws where this Node cannot unpack it. */
  unpacked(file: string): string | undefined;
  /** The text of a file; undefined where there is no such file, or it is too large. */
  text(file: string): string | undefined;
  /** Size and time of a file, in words; empty where there is no such file. */
  stamp(file: string): string;
  /** When a file was last written. */
  writtenAt(file: string): number | undefined;
}

/** Contract: judges by relative paths alone, with forward slashes. */
export interface AgentPull {
  /** Whether a file holds sessions. */
  isSource(key: string): boolean;
  /** Whether a change of this file may mean that a source has grown. */
  concerns(key: string): boolean;
  /** Whether a folder may hold sources, or lead to some. */
  leadsTo(key: string): boolean;
  /** For agents that write line files too: whether the key of a transcript is that of a pulled one. */
  beside?(key: string): boolean;
  /** Other folders in which the agent keeps sessions; a folder that the person has set stands alone. */
  also?(env: NodeJS.ProcessEnv, home: string): readonly string[];
  /** The sessions of one source; those that a subagent works for come before it. May throw what the system says. */
  sessions(file: string, tools: PullTools): Iterable<PulledSession>;
}

/** Whether a transcript of the agent is one of ours, which its sessions were pulled into. */
export const isPulledKey = ({ pull }: { readonly pull?: AgentPull }, key: string): boolean =>
  pull !== undefined && (pull.beside?.(key) ?? true);

/** A name for a transcript that cannot lead out of its folder, whatever id an agent chose. */
export const pulledKey = (session: string, root?: string): string =>
  root === undefined ? `${safeName(session)}.jsonl` : `${safeName(root)}/subagents/${safeName(session)}.jsonl`;

const safeName = (id: string): string =>
  /^[\w-][\w.-]{0,119}$/.test(id) ? id : `x${Buffer.from(id).toString('hex').slice(0, 120)}`;
