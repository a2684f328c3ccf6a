// Archives: Markdown files written from sessions.
import type { AgentName } from '../../schema/agent-name.ts';

/** An archive as it was written. A session has at most one per folder. */
export interface ArchiveRow {
  readonly agent: AgentName;
  readonly session: string;
  readonly folder: string;
  /** The file name within the folder. */
  readonly file: string;
  /** The name that the person gave the session. */
  readonly name?: string | undefined;
  readonly title: string;
  /**
   * Hashes of the conversation and of the whole file. They show whether the session has more now, and whether someone
   * edited the file.
   */
  readonly bodyHash: string;
  readonly fileHash: string;
  readonly at: number;
}

export interface ArchivesPort {
  get(agent: AgentName, session: string, folder: string): Promise<ArchiveRow | undefined>;
  list(of: { agent: AgentName; session: string }): Promise<readonly ArchiveRow[]>;
  save(archive: ArchiveRow): Promise<void>;
  drop(agent: AgentName, session: string): Promise<void>;
}
