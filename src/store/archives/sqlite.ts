// Records of the archives that were written, with hashes of their content.
import type { Connection } from '../sqlite/connection.ts';
import type { ArchiveRow, ArchivesPort } from './port.ts';

type Row = Omit<ArchiveRow, 'name'> & { name: string | null };

const toArchive = ({ name, ...row }: Row): ArchiveRow => ({ ...row, name: name ?? undefined });

export function archivesPort(connection: Connection): ArchivesPort {
  const { read, write } = connection;
  const columns = 'agent, session, folder, file, name, title, body_print AS bodyHash, file_print AS fileHash, at';
  const one = connection.statement<[string, string, string], Row>(
    `SELECT ${columns} FROM archives WHERE agent = ? AND session = ? AND folder = ?`,
  );
  const ofSession = connection.statement<[string, string], Row>(
    `SELECT ${columns} FROM archives WHERE agent = ? AND session = ?`,
  );
  const save = connection.statement(
    `INSERT INTO archives (agent, session, folder, file, name, title, body_print, file_print, at)
     VALUES (@agent, @session, @folder, @file, @name, @title, @bodyHash, @fileHash, @at)
     ON CONFLICT DO UPDATE SET file = excluded.file, name = excluded.name, title = excluded.title,
       body_print = excluded.body_print, file_print = excluded.file_print, at = excluded.at`,
  );
  const drop = connection.statement('DELETE FROM archives WHERE agent = ? AND session = ?');
  return {
    async get(agent, session, folder) {
      const row = read(() => one.get(agent, session, folder));
      return row && toArchive(row);
    },
    async list({ agent, session }) {
      return read(() => ofSession.all(agent, session).map(toArchive));
    },
    async save(archive) {
      write(() => save.run({ ...archive, name: archive.name ?? null }));
    },
    async drop(agent, session) {
      write(() => drop.run(agent, session));
    },
  };
}
