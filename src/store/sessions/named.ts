// Finds sessions by name: the branch, the name that a person gave, and the title.
import type { Connection } from '../sqlite/connection.ts';
import type { NamedSession, SessionsPort } from './port.ts';

/** More words are a sentence, not a name. */
const mostWords = 8;
const mostSessions = 50;

export function namedSessions(connection: Connection): Pick<SessionsPort, 'named'> {
  return {
    async named(words) {
      if (words.length === 0 || words.length > mostWords) return [];
      // The longest word rules out most names, so SQLite compares it first. LIKE ignores the case of ASCII letters only.
      const patterns = words
        .toSorted((a, b) => b.length - a.length)
        .map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
      const holds = (column: string) => patterns.map(() => `${column} LIKE ? ESCAPE '\\'`).join(' AND ');
      return connection.read(() => {
        const rows = connection
          .statement<string[], { row: number; branch: string | null }>(
            `SELECT session_id AS row, value AS branch FROM session_facts WHERE kind = 'branch' AND ${holds('value')}
             UNION ALL SELECT s.id, NULL FROM session_labels l JOIN sessions s ON s.agent = l.agent AND s.session = l.session
               WHERE ${holds('l.name')}
             UNION ALL SELECT id, NULL FROM sessions WHERE ${holds('title')} LIMIT ${4 * mostSessions}`,
          )
          .all(...patterns, ...patterns, ...patterns);
        const found = new Map<number, NamedSession>();
        for (const { row, branch } of rows)
          if (!found.has(row)) found.set(row, branch === null ? { row } : { row, branch });
        return [...found.values()].slice(0, mostSessions);
      });
    },
  };
}
