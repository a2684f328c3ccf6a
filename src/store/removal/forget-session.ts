// Forgets one session with everything derived from it.
import type { Connection } from '../sqlite/connection.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import { forgetLookup } from './forget-lookup.ts';
import { textForgetting } from './forget-texts.ts';
import { noteSource, sharedSteps, type Work } from './forget-work.ts';
import { toldSince } from './told-traces.ts';
import { tombstone } from './tombstone.ts';
import { tombstoneRows } from './tombstones.ts';

export function sessionForgetting(connection: Connection) {
  const { sessionName, entriesOf } = forgetLookup(connection);
  const { name, noteConversation, dropBriefings } = sharedSteps(connection);
  const { dropText, dropHeldTitle, titlesOf } = textForgetting(connection);
  const dropTold = toldSince(connection);
  const tombstones = tombstoneRows(connection);
  const sessions = sessionRows(connection);
  const filesOfSession = connection
    .statement<[number, number, number], number>(
      `SELECT file_id FROM file_sessions WHERE session_id = ? UNION SELECT file_id FROM entries WHERE session_id = ?
     UNION SELECT file_id FROM entry_copies WHERE session_id = ?`,
    )
    .pluck();
  const keyOf = connection.statement<[number], string>('SELECT key FROM files WHERE id = ?').pluck();
  const extractions = connection.statement<[string, string], { file: string; firstPos: number }>(
    'SELECT file, first_pos AS firstPos FROM extractions WHERE agent = ? AND session = ?',
  );
  const conversationsOf = connection
    .statement<[number], number>('SELECT id FROM conversations WHERE session_id = ?')
    .pluck();
  const detach = connection.statement('UPDATE entries SET conversation_id = NULL WHERE conversation_id = ?');
  const dropConversation = connection.statement('DELETE FROM conversations WHERE id = ?');
  const byId = ['entry_copies WHERE session_id', 'observations WHERE session_id', 'summaries WHERE session_id'].map(
    (rows) => connection.statement(`DELETE FROM ${rows} = ?`),
  );
  const byName = ['session_labels', 'session_states', 'bookmarks'].map((table) =>
    connection.statement(`DELETE FROM ${table} WHERE agent = ? AND session = ?`),
  );
  const dropPin = connection.statement('DELETE FROM pins WHERE kind = ? AND id = ? AND agent = ?');
  const dropFromFiles = connection.statement('DELETE FROM file_sessions WHERE session_id = ?');
  const dropLeafTitles = connection.statement('DELETE FROM leaf_titles WHERE leaf = ?');
  const dropSession = connection.statement('DELETE FROM sessions WHERE id = ?');

  return (work: Work, id: number): void => {
    const of = sessionName(id);
    if (of === undefined) return;
    name(work, id);
    const { agent, session } = of;
    dropTold(session, 0);
    work.gone.add(id);
    tombstones.add(tombstone.session(agent, session), work.now);
    for (const file of filesOfSession.all(id, id, id)) {
      work.files.add(file);
      tombstones.add(tombstone.file(agent, keyOf.get(file) as string), work.now);
      for (const title of titlesOf(id)) dropHeldTitle(file, title);
    }
    for (const { file, firstPos } of extractions.all(agent, session))
      noteSource(work, { agent, session, file, firstPos });
    for (const each of conversationsOf.all(id)) {
      noteConversation(work, each, id);
      detach.run(each);
      dropConversation.run(each);
    }
    for (const drop of byId) drop.run(id);
    for (const entry of entriesOf(id)) dropText(work, entry);
    dropPin.run('session', session, agent);
    for (const drop of byName) drop.run(agent, session);
    dropBriefings(of, work.firstAt, of);
    dropFromFiles.run(id);
    dropLeafTitles.run(session);
    dropSession.run(id);
    sessions.noteChange(id);
  };
}
