// Forgets one entry, or one of its tool uses, with everything derived from it.
import type { Connection } from '../sqlite/connection.ts';
import { type EntryRow, forgetLookup } from './forget-lookup.ts';
import { textForgetting } from './forget-texts.ts';
import { type UseRow, useRows } from './forget-use.ts';
import { sharedSteps, type Work } from './forget-work.ts';
import { toldSince } from './told-traces.ts';

/** A turn is distilled with the prompts before it, so this many later turns may repeat a forgotten prompt. */
const turnsThatRepeat = 3;

export function entryForgetting(connection: Connection) {
  const { sessionName } = forgetLookup(connection);
  const { name, forgetConversation, dropBriefings } = sharedSteps(connection);
  const { places, markUses, dropTitles, dropText } = textForgetting(connection);
  const toolUses = useRows(connection);
  const dropTold = toldSince(connection);
  const prompts = connection
    .statement<[number], number>(
      `SELECT e.id FROM entries e JOIN files f ON f.id = e.file_id WHERE e.session_id = ? AND e.author = 'person'
       AND e.subagent IS NULL AND e.abandoned = 0 ORDER BY f.born_at, f.key, e.pos`,
    )
    .pluck();
  const promptBefore = connection
    .statement<[number, number, number], number>(
      `SELECT id FROM entries WHERE session_id = ? AND file_id = ? AND pos <= ? AND author = 'person' AND subagent IS NULL
       AND abandoned = 0 ORDER BY pos DESC LIMIT 1`,
    )
    .pluck();
  const dropTurns = connection.statement('DELETE FROM observations WHERE session_id = ? AND prompt BETWEEN ? AND ?');
  const dropCiting = connection.statement(
    'DELETE FROM observations WHERE id IN (SELECT observation_id FROM observation_entries WHERE entry_id = ?) OR first_entry = ?',
  );
  const dropSummary = connection.statement('DELETE FROM summaries WHERE session_id = ?');
  // Drops the result of a process that is working on the text.
  const dropClaimed = connection.statement("DELETE FROM jobs WHERE session_id = ? AND status = 'claimed'");
  const dropErrors = connection.statement('UPDATE jobs SET error = NULL WHERE session_id = ?');
  const hush = connection.statement(
    'UPDATE session_states SET last_user = NULL, last_assistant = NULL WHERE agent = ? AND session = ?',
  );

  function dropDistilled({ id, session_id, file_id, pos, author, inMain }: EntryRow): void {
    dropCiting.run(id, id);
    if (inMain === 0) return;
    const prompt = promptBefore.get(session_id, file_id, pos);
    const number = prompt === undefined ? 0 : prompts.all(session_id).indexOf(prompt) + 1;
    dropTurns.run(session_id, number, number + (author === 'person' ? turnsThatRepeat : 0));
    dropSummary.run(session_id);
  }

  /** Everything made from an entry: titles, memories, briefings, observations, summaries. */
  function dropDerived(work: Work, entry: EntryRow, text: string): void {
    for (const { session_id } of places(entry.id)) {
      dropTitles(work, session_id, text);
      dropClaimed.run(session_id);
      dropErrors.run(session_id);
      const of = name(work, session_id);
      if (of !== undefined) hush.run(of.agent, of.session);
    }
    forgetConversation(work, entry);
    const of = sessionName(entry.session_id);
    if (of !== undefined) {
      dropBriefings(of, entry.at, of);
      dropTold(of.session, entry.at);
    }
    dropDistilled(entry);
  }

  return {
    entry(work: Work, entry: EntryRow): void {
      dropDerived(work, entry, entry.text);
      dropText(work, entry);
    },
    /** The entry stays, but what was derived from it may repeat what the tool said. */
    use(work: Work, { id, use, text }: UseRow, entry: EntryRow): void {
      dropDerived(work, entry, text);
      work.firstAt = Math.min(work.firstAt, entry.at);
      markUses(work, entry, [use]);
      toolUses.drop(id, entry.id);
    },
  };
}
