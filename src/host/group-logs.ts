// The log of a group's agent, outside of everything it can see: logs/groups/<group>/ in the data folder.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { type Log, openLog } from '../system/log.ts';
import type { Quarantine } from './channel.ts';

/** Never more than two files of 5 MB each. */
export function groupLogs(config: Config, group: string): { agent: Log; quarantine: Quarantine } {
  const folder = path.join(config.home, 'logs', 'groups', group);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const quarantine = openLog(path.join(folder, 'quarantine.log'));
  return {
    agent: openLog(path.join(folder, 'agent.log')),
    quarantine: (reason, bytes) => quarantine(`${reason}: ${JSON.stringify(bytes.toString('utf8').slice(0, 2000))}`),
  };
}
