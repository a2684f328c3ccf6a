// Which entries contain each term of a query, in their texts or in their tool uses.
import type { Connection } from '../sqlite/connection.ts';
import { toTerm } from './keywords.ts';
import type { SearchPort } from './port.ts';

export function termRows(connection: Connection): Pick<SearchPort, 'termRows'> {
  const select = ['entries_fts', 'uses_fts'].map((table) =>
    connection.statement<[string, number], number>(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? LIMIT ?`).pluck(),
  );
  return {
    async termRows(terms, most) {
      let left = most;
      return connection.read(() =>
        terms.map((forms) => {
          const match = [...new Set(forms.map(toTerm))].join(' OR ');
          const rows: number[] = [];
          for (const statement of select) {
            if (match === '') return undefined;
            rows.push(...statement.all(match, left - rows.length + 1));
            if (rows.length > left) return undefined;
          }
          left -= rows.length;
          return rows;
        }),
      );
    },
  };
}
