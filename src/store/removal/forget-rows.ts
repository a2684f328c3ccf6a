// Deletes rows for good with everything derived from them, and leaves hashes that keep them from coming back. Runs in
// the caller's transaction.

import type { AgentName } from '../../schema/agent-name.ts';
import type { ConversationRules } from '../conversations/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import { branches } from '../transcripts/branches.ts';
import { grouping } from '../transcripts/grouping.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import { type UseRow, useRows } from './forget-use.ts';
import type { ForgottenTraces } from './port.ts';
import { toldSince } from './told-traces.ts';
import { tombstone } from './tombstone.ts';
import { tombstoneRows } from './tombstones.ts';

export interface EntryRow {
  readonly id: number;
  readonly uuid: string;
  readonly agent: AgentName;
  readonly session_id: number;
  readonly file_id: number;
  readonly pos: number;
  readonly at: number;
  readonly author: string;
  readonly text: string;
  readonly joins_at: number | null;
  readonly conversation_id: number | null;
  readonly inMain: number;
}

export interface DistilledRow {
  readonly id: number;
  readonly uid: string;
  readonly agent: AgentName;
  readonly session_id: number;
  readonly session: string;
  readonly first: string | null;
  readonly at: number;
}

/** A turn is distilled with the prompts before it, so this many later turns may repeat a forgotten prompt. */
const turnsThatRepeat = 3;

export function forgetRows(connection: Connection) {
  const entryColumns = `e.id, e.uuid, s.agent, e.session_id, e.file_id, e.pos, e.at, e.author, e.text, e.joins_at, e.conversation_id,
    e.subagent IS NULL AND e.abandoned = 0 AS inMain`;
  const entryNamed = connection.statement<[string, string], EntryRow>(
    `SELECT ${entryColumns} FROM entries e JOIN sessions s ON s.id = e.session_id WHERE e.uuid = ? AND s.agent = ?`,
  );
  const entriesOf = connection.statement<[number], EntryRow>(
    `SELECT ${entryColumns} FROM entries e JOIN sessions s ON s.id = e.session_id WHERE e.session_id = ?`,
  );
  const sessionNamed = connection
    .statement<[string, string], number>('SELECT id FROM sessions WHERE session = ? AND agent = ?')
    .pluck();
  const sessionName = connection.statement<
    [number],
    { agent: AgentName; session: string; project: string; path: string }
  >(
    `SELECT s.agent, s.session, coalesce(p.name, '') AS project, coalesce(p.path, '') AS path
     FROM sessions s LEFT JOIN projects p ON p.id = s.project_id WHERE s.id = ?`,
  );
  const places = connection.statement<[number, number], { file_id: number; session_id: number }>(
    `SELECT file_id, session_id FROM entries WHERE id = ? UNION SELECT file_id, session_id FROM entry_copies WHERE entry_id = ?`,
  );
  const filesOfSession = connection
    .statement<[number, number, number], number>(
      `SELECT file_id FROM file_sessions WHERE session_id = ? UNION SELECT file_id FROM entries WHERE session_id = ?
     UNION SELECT file_id FROM entry_copies WHERE session_id = ?`,
    )
    .pluck();
  const file = connection.statement<[number], { agent: AgentName; key: string }>(
    'SELECT agent, key FROM files WHERE id = ?',
  );
  const roots = connection
    .statement<[number], string>('SELECT root FROM file_copies WHERE file_id = ? ORDER BY size DESC')
    .pluck();
  const uses = connection.statement<[number], string>('SELECT use_id FROM tool_uses WHERE entry_id = ?').pluck();
  const nextInFile = connection
    .statement<[number, number], number>('SELECT id FROM entries WHERE file_id = ? AND pos > ? ORDER BY pos LIMIT 1')
    .pluck();
  const joinFrom = connection.statement('UPDATE entries SET joins_at = coalesce(joins_at, ?) WHERE id = ?');
  const unindex = connection.statement('DELETE FROM entries_fts WHERE rowid = ?');
  const dropLeafTitles = connection.statement('DELETE FROM leaf_titles WHERE leaf = ?');
  const dropEntry = connection.statement('DELETE FROM entries WHERE id = ?');
  const dropLabel = connection.statement('DELETE FROM session_labels WHERE agent = ? AND session = ?');
  const dropPin = connection.statement('DELETE FROM pins WHERE kind = ? AND id = ? AND agent = ?');

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
  const dropObservations = connection.statement('DELETE FROM observations WHERE session_id = ?');
  const dropSummary = connection.statement('DELETE FROM summaries WHERE session_id = ?');
  const distilled = {
    observation: connection.statement<[string], DistilledRow>(
      `SELECT d.id, d.uid, s.agent, d.session_id, s.session, e.uuid AS first, d.at FROM observations d
       JOIN sessions s ON s.id = d.session_id JOIN entries e ON e.id = d.first_entry WHERE d.uid = ?`,
    ),
    summary: connection.statement<[string], DistilledRow>(
      `SELECT d.id, d.uid, s.agent, d.session_id, s.session, NULL AS first, d.at FROM summaries d
       JOIN sessions s ON s.id = d.session_id WHERE d.uid = ?`,
    ),
  };
  const dropOne = {
    observation: connection.statement('DELETE FROM observations WHERE id = ?'),
    summary: connection.statement('DELETE FROM summaries WHERE id = ?'),
  };
  const redoSummary = connection.statement("UPDATE jobs SET version = '' WHERE session_id = ? AND kind = 'summarize'");

  const conversation = connection.statement<[number], { file: string; firstPos: number; lease_until: number | null }>(
    'SELECT f.key AS file, c.first_pos AS firstPos, c.lease_until FROM conversations c JOIN files f ON f.id = c.file_id WHERE c.id = ?',
  );
  const loosen = connection.statement(
    "UPDATE conversations SET status = 'active', reason = NULL, attempts = 0, lease_until = NULL WHERE id = ?",
  );
  const dropRemembering = connection.statement("DELETE FROM jobs WHERE kind = 'remember' AND subject = ?");
  const conversationsOf = connection
    .statement<[number], number>('SELECT id FROM conversations WHERE session_id = ?')
    .pluck();
  const detach = connection.statement('UPDATE entries SET conversation_id = NULL WHERE conversation_id = ?');
  const dropConversation = connection.statement('DELETE FROM conversations WHERE id = ?');
  const extractions = connection.statement<[string, string], { file: string; firstPos: number }>(
    'SELECT file, first_pos AS firstPos FROM extractions WHERE agent = ? AND session = ?',
  );
  // Drops the result of a process that is working on the text.
  const dropClaimed = connection.statement("DELETE FROM jobs WHERE session_id = ? AND status = 'claimed'");
  const dropErrors = connection.statement('UPDATE jobs SET error = NULL WHERE session_id = ?');

  const titles = connection.statement<[number], { file_id: number; title: string }>(
    'SELECT file_id, title FROM file_sessions WHERE session_id = ? AND title IS NOT NULL',
  );
  const dropTitle = connection.statement('UPDATE file_sessions SET title = NULL WHERE session_id = ? AND title = ?');
  const dropHeldTitle = connection.statement(
    // Rows of earlier versions use the other name.
    `UPDATE files SET state = json_remove(state, '$.capture.title', '$."@title"')
     WHERE id = ? AND coalesce(json_extract(state, '$.capture.title'), json_extract(state, '$."@title"')) = ?`,
  );
  const hush = connection.statement(
    'UPDATE session_states SET last_user = NULL, last_assistant = NULL WHERE agent = ? AND session = ?',
  );
  const dropState = connection.statement('DELETE FROM session_states WHERE agent = ? AND session = ?');
  const dropBookmark = connection.statement('DELETE FROM bookmarks WHERE agent = ? AND session = ?');
  const dropBriefings = connection.statement(
    'DELETE FROM briefings WHERE (agent = ? AND session = ?) OR (at >= ? AND project IN (?, ?))',
  );
  const dropLaterBriefings = connection.statement('DELETE FROM briefings WHERE at >= ?');
  const dropCopies = connection.statement('DELETE FROM entry_copies WHERE session_id = ?');
  const dropFromFiles = connection.statement('DELETE FROM file_sessions WHERE session_id = ?');
  const dropSession = connection.statement('DELETE FROM sessions WHERE id = ?');
  const sessionsIn = connection
    .statement<[number], number>('SELECT DISTINCT session_id FROM entries WHERE file_id = ?')
    .pluck();
  const tombstones = tombstoneRows(connection);
  const groups = grouping(connection);
  const sessions = sessionRows(connection);
  const markAbandoned = branches(connection);
  const dropTold = toldSince(connection);
  const toolUses = useRows(connection);

  /** What one call of forget has touched; `settle` updates the rest before the transaction ends. */
  function work(now: number) {
    /** Transcripts that contain forgotten items, and those whose conversations must be rebuilt. */
    const files = new Set<number>();
    const regrouped = new Set<number>();
    const touched = new Set<number>();
    const gone = new Set<number>();
    const conversations = new Map<string, { agent: AgentName; session: string; file: string; firstPos: number }>();
    const named = new Map<number, { agent: AgentName; session: string }>();
    let busyUntil = 0;
    let firstAt = Number.POSITIVE_INFINITY;

    const name = (session: number) => {
      const found = named.get(session) ?? sessionName.get(session);
      if (found !== undefined) named.set(session, found);
      return found;
    };

    function noteConversation(id: number, session: number): void {
      const found = conversation.get(id);
      const of = name(session);
      if (found === undefined || of === undefined) return;
      busyUntil = Math.max(busyUntil, found.lease_until ?? 0);
      const { agent, session: own } = of;
      conversations.set(`${agent} ${found.file} ${found.firstPos}`, {
        ...{ agent, session: own, file: found.file, firstPos: found.firstPos },
      });
    }

    /** Withdraws what was remembered from the conversation; its job runs again. */
    function forgetConversation({ conversation_id, session_id, file_id }: EntryRow): void {
      if (conversation_id === null) return;
      noteConversation(conversation_id, session_id);
      dropRemembering.run(conversation_id);
      loosen.run(conversation_id);
      regrouped.add(file_id);
    }

    /** Drops titles that an agent gave if they share a word with the forgotten text. */
    function dropTitles(session: number, text: string): void {
      const of = name(session);
      const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
      for (const { file_id, title } of titles.all(session)) {
        if (
          of === undefined ||
          !title
            .toLowerCase()
            .match(/[\p{L}\p{N}]{3,}/gu)
            ?.some((word) => words.has(word))
        )
          continue;
        tombstones.add(tombstone.title(of.agent, of.session, title), now);
        dropTitle.run(session, title);
        dropHeldTitle.run(file_id, title);
      }
    }

    function dropDistilled({ id, session_id, file_id, pos, author, inMain }: EntryRow): void {
      dropCiting.run(id, id);
      if (inMain === 0) return;
      const prompt = promptBefore.get(session_id, file_id, pos);
      const number = prompt === undefined ? 0 : prompts.all(session_id).indexOf(prompt) + 1;
      dropTurns.run(session_id, number, number + (author === 'person' ? turnsThatRepeat : 0));
      dropSummary.run(session_id);
    }

    /** Everything made from an entry: titles, memories, briefings, observations, summaries. */
    function dropDerived(entry: EntryRow, text: string): void {
      for (const { session_id } of places.all(entry.id, entry.id)) {
        dropTitles(session_id, text);
        dropClaimed.run(session_id);
        dropErrors.run(session_id);
        const of = name(session_id);
        if (of !== undefined) hush.run(of.agent, of.session);
      }
      forgetConversation(entry);
      const { agent, session, project, path } = sessionName.get(entry.session_id) as NonNullable<
        ReturnType<typeof sessionName.get>
      >;
      dropBriefings.run(agent, session, entry.at, project, path);
      dropTold(session, entry.at);
      dropDistilled(entry);
    }

    /** Marks every transcript that holds the entry. */
    function markPlaces({ id, agent }: EntryRow, mark: (key: string) => void): void {
      for (const { file_id, session_id } of places.all(id, id)) {
        files.add(file_id);
        touched.add(session_id);
        name(session_id);
        const { key } = file.get(file_id) as { key: string };
        tombstones.add(tombstone.file(agent, key), now);
        mark(key);
      }
    }

    function dropText(entry: EntryRow): void {
      const { id, uuid, agent, at } = entry;
      firstAt = Math.min(firstAt, at);
      tombstones.add(tombstone.entry(agent, uuid), now);
      const used = uses.all(id);
      markPlaces(entry, (key) => {
        for (const use of used) tombstones.add(tombstone.use(agent, key, use), now);
      });
      if (entry.joins_at !== null) {
        const next = nextInFile.get(entry.file_id, entry.pos);
        if (next !== undefined) joinFrom.run(entry.joins_at, next);
      }
      dropPin.run('entry', uuid, agent);
      dropLeafTitles.run(uuid);
      unindex.run(id);
      dropEntry.run(id);
    }

    return {
      entry(entry: EntryRow): void {
        dropDerived(entry, entry.text);
        dropText(entry);
      },
      /** The entry stays, but what was derived from it may repeat what the tool said. */
      use({ id, use, agent, text }: UseRow, entry: EntryRow): void {
        dropDerived(entry, text);
        firstAt = Math.min(firstAt, entry.at);
        markPlaces(entry, (key) => tombstones.add(tombstone.use(agent, key, use), now));
        toolUses.drop(id, entry.id);
      },
      session(id: number): void {
        const of = sessionName.get(id);
        if (of === undefined) return;
        name(id);
        dropTold(of.session, 0);
        const { agent, session } = of;
        gone.add(id);
        tombstones.add(tombstone.session(agent, session), now);
        for (const one of filesOfSession.all(id, id, id)) {
          files.add(one);
          tombstones.add(tombstone.file(agent, (file.get(one) as { key: string }).key), now);
          for (const { title } of titles.all(id)) dropHeldTitle.run(one, title);
        }
        for (const { file: key, firstPos } of extractions.all(agent, session))
          conversations.set(`${agent} ${key} ${firstPos}`, { agent, session, file: key, firstPos });
        for (const each of conversationsOf.all(id)) {
          noteConversation(each, id);
          detach.run(each);
          dropConversation.run(each);
        }
        dropCopies.run(id);
        dropObservations.run(id);
        dropSummary.run(id);
        for (const entry of entriesOf.all(id)) dropText(entry);
        dropPin.run('session', session, agent);
        dropLabel.run(agent, session);
        dropState.run(agent, session);
        dropBookmark.run(agent, session);
        dropBriefings.run(agent, session, firstAt, of.project, of.path);
        dropFromFiles.run(id);
        dropLeafTitles.run(session);
        dropSession.run(id);
        sessions.noteChange(id);
      },
      distilled(kind: 'observation' | 'summary', row: DistilledRow): void {
        const print = kind === 'observation' ? tombstone.observation(row.agent, row.first ?? '') : undefined;
        tombstones.add(print ?? tombstone.summary(row.agent, row.session), now);
        dropOne[kind].run(row.id);
        firstAt = Math.min(firstAt, row.at);
        const of = sessionName.get(row.session_id);
        dropBriefings.run(row.agent, row.session, row.at, of?.project ?? '', of?.path ?? '');
        dropClaimed.run(row.session_id);
        // Summaries and memories are made from observations, so they are made again without this one.
        if (kind === 'observation') {
          const first = entryNamed.get(row.first ?? '', row.agent);
          if (first !== undefined) forgetConversation(first);
          dropSummary.run(row.session_id);
          redoSummary.run(row.session_id);
        }
        touched.add(row.session_id);
        name(row.session_id);
      },
      /** Updates the remaining rows; returns the traces outside the database. */
      settle(rules: ConversationRules): { traces: ForgottenTraces; busyUntil: number } {
        if (conversations.size > 0 && firstAt !== Number.POSITIVE_INFINITY) dropLaterBriefings.run(firstAt);
        for (const id of new Set([...files, ...regrouped])) {
          markAbandoned(id);
          groups.rebuild(id, rules);
          for (const other of sessionsIn.all(id)) sessions.noteChange(other);
        }
        for (const id of touched) if (!gone.has(id)) sessions.refresh(id);
        const of = (id: number) => named.get(id) as { agent: AgentName; session: string };
        const transcripts = [...files].map((id) => ({
          ...(file.get(id) as { agent: AgentName; key: string }),
          roots: roots.all(id),
        }));
        return {
          busyUntil,
          traces: {
            transcripts,
            conversations: [...conversations.values()],
            sessions: [...new Set([...touched, ...gone])].map((id) => {
              const { agent, session } = of(id);
              return { agent, session, gone: gone.has(id) };
            }),
          },
        };
      },
    };
  }

  return {
    work,
    useNamed: toolUses.named,
    usesInFiles: toolUses.inFiles,
    entryNamed: (agent: AgentName, uuid: string): EntryRow | undefined => entryNamed.get(uuid, agent),
    sessionNamed: (agent: AgentName, session: string): number | undefined => sessionNamed.get(session, agent),
    distilledNamed: (kind: keyof typeof distilled, uid: string): DistilledRow | undefined => distilled[kind].get(uid),
  };
}
