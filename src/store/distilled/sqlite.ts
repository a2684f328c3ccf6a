// The port of observations and summaries, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import type { DistilledPort } from './port.ts';
import { distilledRows } from './reading.ts';
import { derivedSearch } from './search.ts';

export function distilledPort(connection: Connection): DistilledPort {
  const { observations, summaries, pastSummaries, findObservations, findSummaries, counts } = distilledRows(connection);
  const { search, at } = derivedSearch(connection);
  return {
    observations,
    summaries,
    pastSummaries,
    findObservations,
    findSummaries,
    counts,
    search,
    at,
  };
}
