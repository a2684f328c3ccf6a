// The port of transfer, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { exporting } from './exporting.ts';
import { importing } from './importing.ts';
import type { TransferPort } from './port.ts';

export const transferPort = (connection: Connection): TransferPort => ({
  ...exporting(connection.location),
  ...importing(connection),
});
