// The port of jobs, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { jobRows } from './claims.ts';
import type { JobsPort } from './port.ts';
import { spendingRows } from './spending.ts';

export const jobsPort = (connection: Connection): JobsPort => ({ ...jobRows(connection), ...spendingRows(connection) });
