// The port of observations and summaries, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import type { DistilledPort } from './port.ts';
import { distilledRows } from './reading.ts';
import { derivedSearch } from './search.ts';

export const distilledPort = (connection: Connection): DistilledPort => ({
  ...distilledRows(connection),
  ...derivedSearch(connection),
});
