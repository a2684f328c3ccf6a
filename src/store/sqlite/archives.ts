// Which archives were written, of what, and how they looked then.
import type { Database } from 'better-sqlite3';
import type { Store } from '../store.ts';
import type { ArchiveRow } from '../vault.ts';

type Run = <T>(work: () => T) => T;
type Row = Omit<ArchiveRow, 'name'> & { name: string | null };

const toArchive = ({ name, ...row }: Row): ArchiveRow => ({ ...row, name: name ?? undefined });

export function archiveRows(
  db: Database,
  read: Run,
  write: Run,
): Pick<Store, 'archive' | 'archives' | 'saveArchive' | 'dropArchives'> {
  const columns = 'agent, session, folder, file, name, title, body_print AS bodyPrint, file_print AS filePrint, at';
  const one = db.prepare<[string, string, string], Row>(
    `SELECT ${columns} FROM archives WHERE agent = ? AND session = ? AND folder = ?`,
  );
  const ofSession = db.prepare<[string, string], Row>(
    `SELECT ${columns} FROM archives WHERE agent = ? AND session = ?`,
  );
  const save = db.prepare(
    `INSERT INTO archives (agent, session, folder, file, name, title, body_print, file_print, at)
     VALUES (@agent, @session, @folder, @file, @name, @title, @bodyPrint, @filePrint, @at)
     ON CONFLICT DO UPDATE SET file = excluded.file, name = excluded.name, title = excluded.title,
       body_print = excluded.body_print, file_print = excluded.file_print, at = excluded.at`,
  );
  const drop = db.prepare('DELETE FROM archives WHERE agent = ? AND session = ?');
  return {
    async archive(agent, session, folder) {
      const row = read(() => one.get(agent, session, folder));
      return row && toArchive(row);
    },
    async archives({ agent, session }) {
      return read(() => ofSession.all(agent, session).map(toArchive));
    },
    async saveArchive(archive) {
      write(() => save.run({ ...archive, name: archive.name ?? null }));
    },
    async dropArchives(agent, session) {
      write(() => drop.run(agent, session));
    },
  };
}
