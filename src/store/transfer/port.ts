// Export and import of all stored data.
import type { ExportedLine, ExportedRow } from '../../schema/exported.ts';
import type { SessionFilter } from '../sessions/port.ts';

export interface TransferPort {
  /** All rows that cannot be derived again here, from one snapshot; `file` lines are followed by their entries. */
  exported(
    filter: Pick<SessionFilter, 'project' | 'since'>,
  ): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly lines: AsyncIterable<ExportedLine> }>;
  /** Which of these entries are stored. */
  knownEntries(uuids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Imports the rows of an export other than entries; import the entries first. Returns how many of each kind were new.
   */
  takeRows(rows: readonly ExportedRow[]): Promise<Readonly<Record<string, number>>>;
}
