import { backup } from './backup.ts';
import { configGet, configList, configSet, configUnset } from './config.ts';
import { conversations } from './conversations.ts';
import { doctor } from './doctor.ts';
import { ingest } from './ingest.ts';
import { logs } from './logs.ts';
import { projects } from './projects.ts';
import { restore } from './restore.ts';
import { search } from './search.ts';
import { sessions } from './sessions.ts';
import { show } from './show.ts';
import { start } from './start.ts';
import { workerInstall, workerRun, workerStart, workerStatus, workerStop, workerUninstall } from './worker.ts';

/** Every capability, in the order of the help. The surfaces are generated from this table. */
export const operations = [
  start,
  ingest,
  search,
  sessions,
  show,
  conversations,
  projects,
  doctor,
  configList,
  configGet,
  configSet,
  configUnset,
  backup,
  restore,
  logs,
  workerRun,
  workerStart,
  workerStop,
  workerStatus,
  workerInstall,
  workerUninstall,
] as const;
