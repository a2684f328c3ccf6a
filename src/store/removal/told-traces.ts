// Host rows repeat what a group's people were told. It is deleted with the session that said it.
import type { Connection } from '../sqlite/connection.ts';

/** Statements for a set of outgoing messages, given as an SQL condition on them. */
export const toldTraces = (condition: string): readonly string[] => {
  const texts = `(SELECT text FROM outgoing WHERE ${condition})`;
  return [
    `UPDATE host_runs SET result = NULL WHERE result IN ${texts}`,
    `UPDATE tasks SET last_result = NULL WHERE last_result IN ${texts}`,
    `DELETE FROM outgoing WHERE ${condition}`,
  ];
};

/** Deletes what people were told in a session since a moment. */
export function toldSince(connection: Connection): (session: string, since: number) => void {
  const statements = toldTraces('session = @session AND at >= @since').map((sql) => connection.statement(sql));
  return (session, since) => {
    for (const statement of statements) statement.run({ session, since });
  };
}
