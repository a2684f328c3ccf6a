// Finds sessions by name: the title, the name that a person gave, the branch, and the summary's title.
import type { Connection } from '../sqlite/connection.ts';
import type { NamedSession, SessionsPort } from './port.ts';

/** More words are a sentence, not a name. */
const mostWords = 8;
const mostSessions = 50;

/** All names of a session in one text. */
const called = `lower(coalesce(s.title, '') || ' ' || coalesce(l.name, '') || ' ' || coalesce(m.title, '') || ' ' || coalesce(b.names, ''))`;

export function namedSessions(connection: Connection): Pick<SessionsPort, 'named'> {
  return {
    async named(words) {
      if (words.length === 0 || words.length > mostWords) return [];
      return connection.read(() =>
        connection
          .statement<string[], { row: number; branches: string | null }>(
            `SELECT s.id AS row, b.names AS branches FROM sessions s
             LEFT JOIN session_labels l ON l.agent = s.agent AND l.session = s.session
             LEFT JOIN summaries m ON m.session_id = s.id
             LEFT JOIN (SELECT session_id, group_concat(value, ' ') AS names FROM session_facts WHERE kind = 'branch' GROUP BY session_id) b
               ON b.session_id = s.id
             WHERE ${words.map(() => `instr(${called}, ?) > 0`).join(' AND ')}
             ORDER BY s.ended_at DESC LIMIT ${mostSessions}`,
          )
          .all(...words.map((word) => word.toLowerCase()))
          .map(({ row, branches }): NamedSession => {
            const branch = branches
              ?.split(' ')
              .find((name) => words.every((word) => name.toLowerCase().includes(word)));
            return branch === undefined ? { row } : { row, branch };
          }),
      );
    },
  };
}
