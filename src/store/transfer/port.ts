// Export and import of all that is stored.
import type { ExportedLine, ExportedRow } from '../../schema/exported.ts';
import type { SessionFilter } from '../sessions/port.ts';

/** Export and import. */
export interface TransferPort {
  /** All that is not derived from something else here, of one moment; `file` lines are followed by their entries. */
  exported(
    filter: Pick<SessionFilter, 'project' | 'since'>,
  ): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly lines: AsyncIterable<ExportedLine> }>;
  /** Which of these entries are stored. */
  knownEntries(uuids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Takes in what an export says beside entries, after these. Returns how many of each kind were new. */
  takeRows(rows: readonly ExportedRow[]): Promise<Readonly<Record<string, number>>>;
}
