// Reads and writes for the exchange with a hub, apart from chunks.
import type { Connection } from '../sqlite/connection.ts';
import type { HubPort } from './port.ts';
import { hubReading } from './reading.ts';
import { hubWriting } from './writing.ts';

export function hubPort(connection: Connection): HubPort {
  const reading = hubReading(connection);
  const { replaceRows, dropDerived } = hubWriting(connection);
  return {
    ...reading,
    replaceRows,
    dropDerived,
  };
}
