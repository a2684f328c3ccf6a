// Names, stars and tags that a person gave to sessions. Stored under the
// agents' own ids, so reading a transcript again changes nothing.
import type { Connection } from '../sqlite/connection.ts';
import type { SessionsPort } from './port.ts';

interface LabelRow {
  name: string | null;
  starred: number;
  tags: string;
}

export function labelRows(connection: Connection): Pick<SessionsPort, 'label'> {
  const { write } = connection;
  const get = connection.statement<[string, string], LabelRow>(
    'SELECT name, starred, tags FROM session_labels WHERE agent = ? AND session = ?',
  );
  const put = connection.statement(
    `INSERT INTO session_labels (agent, session, name, starred, tags, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, starred = excluded.starred, tags = excluded.tags, at = excluded.at`,
  );
  const drop = connection.statement('DELETE FROM session_labels WHERE agent = ? AND session = ?');

  return {
    async label({ agent, session }, change, at) {
      return write(() => {
        const row = get.get(agent, session);
        const tags = new Set(JSON.parse(row?.tags ?? '[]') as string[]);
        for (const tag of change.addTags ?? []) tags.add(tag);
        for (const tag of change.removeTags ?? []) tags.delete(tag);
        const name = change.name === undefined ? (row?.name ?? undefined) : change.name || undefined;
        const starred = change.starred ?? row?.starred === 1;
        const label = { ...(name === undefined ? {} : { name }), starred, tags: [...tags].sort() };
        // A session without labels has no row, so that an import can add its labels.
        if (name === undefined && !starred && tags.size === 0) drop.run(agent, session);
        else put.run(agent, session, name ?? null, starred ? 1 : 0, JSON.stringify(label.tags), at);
        return label;
      });
    },
  };
}
