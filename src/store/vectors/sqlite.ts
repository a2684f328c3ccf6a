// The port of vectors, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import type { VectorsPort } from './port.ts';
import { vectorReading } from './reading.ts';
import { vectorRows } from './writing.ts';

export const vectorsPort = (connection: Connection): VectorsPort => ({
  ...vectorRows(connection),
  ...vectorReading(connection),
});
