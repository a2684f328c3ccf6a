// What the people of a group were told is said again in rows of the host: it goes with the session that it was said in.
import type { Connection } from '../sqlite/connection.ts';

/** Statements for a set of outgoing messages, given as a condition on them. */
export const toldTraces = (condition: string): readonly string[] => {
  const texts = `(SELECT text FROM outgoing WHERE ${condition})`;
  return [
    `UPDATE host_runs SET result = NULL WHERE result IN ${texts}`,
    `UPDATE tasks SET last_result = NULL WHERE last_result IN ${texts}`,
    `DELETE FROM outgoing WHERE ${condition}`,
  ];
};

/** Takes out what was told in a session since a moment. */
export function toldSince(connection: Connection): (session: string, since: number) => void {
  const statements = toldTraces('session = @session AND at >= @since').map((sql) => connection.statement(sql));
  return (session, since) => {
    for (const statement of statements) statement.run({ session, since });
  };
}
