// Transcripts that took too long to read, and why.
import type { Connection } from '../sqlite/connection.ts';
import type { SetAside, TranscriptsPort } from './port.ts';

export function setAsideRows(connection: Connection): Pick<TranscriptsPort, 'setAsides' | 'setAside' | 'takeBack'> {
  const { read, write } = connection;
  const all = connection.statement<[], SetAside>(
    'SELECT agent, key, path, pos, mark, version, reason, at FROM set_aside ORDER BY at, path',
  );
  const put = connection.statement(
    `INSERT OR REPLACE INTO set_aside (agent, key, path, pos, mark, version, reason, at)
     VALUES (@agent, @key, @path, @pos, @mark, @version, @reason, @at)`,
  );
  const drop = connection.statement('DELETE FROM set_aside WHERE agent = ? AND key = ?');
  return {
    async setAsides() {
      return read(() => all.all());
    },
    async setAside(file) {
      write(() => put.run(file));
    },
    async takeBack(agent, key) {
      write(() => drop.run(agent, key));
    },
  };
}
