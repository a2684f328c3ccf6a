// The port of transfer, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { exporting } from './exporting.ts';
import { importing } from './importing.ts';
import type { TransferPort } from './port.ts';

export function transferPort(connection: Connection): TransferPort {
  const { exported } = exporting(connection.location);
  const { takeRows, knownEntries } = importing(connection);
  return {
    exported,
    takeRows,
    knownEntries,
  };
}
