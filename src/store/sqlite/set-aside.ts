// Transcripts that took too long to read, and why.
import type { Database } from 'better-sqlite3';
import type { FileStore, SetAside } from '../files.ts';

type Run = <T>(work: () => T) => T;

export function setAsideRows(
  db: Database,
  read: Run,
  write: Run,
): Pick<FileStore, 'setAsides' | 'setAside' | 'takeBack'> {
  const all = db.prepare<[], SetAside>(
    'SELECT agent, key, path, pos, mark, version, reason, at FROM set_aside ORDER BY at, path',
  );
  const put = db.prepare(
    `INSERT OR REPLACE INTO set_aside (agent, key, path, pos, mark, version, reason, at)
     VALUES (@agent, @key, @path, @pos, @mark, @version, @reason, @at)`,
  );
  const drop = db.prepare('DELETE FROM set_aside WHERE agent = ? AND key = ?');
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
