// Archives: the Markdown files that were written of sessions.
import type { AgentName } from '../../schema/agent-name.ts';

/** An archive as it was written. A session has one in a folder. */
export interface ArchiveRow {
  readonly agent: AgentName;
  readonly session: string;
  readonly folder: string;
  /** Its name in the folder. */
  readonly file: string;
  /** What the person called the session. */
  readonly name?: string | undefined;
  readonly title: string;
  /** Prints of what was said, and of the whole file: whether there is more now, and whether somebody changed it. */
  readonly bodyPrint: string;
  readonly filePrint: string;
  readonly at: number;
}

/** Archives of sessions. */
export interface ArchivesPort {
  get(agent: AgentName, session: string, folder: string): Promise<ArchiveRow | undefined>;
  list(of: { agent: AgentName; session: string }): Promise<readonly ArchiveRow[]>;
  save(archive: ArchiveRow): Promise<void>;
  drop(agent: AgentName, session: string): Promise<void>;
}
