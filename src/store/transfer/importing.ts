// Imports the rows of an export other than entries, in one transaction. Existing rows stay unchanged.

import type { ExportedRow } from '../../schema/exported.ts';
import { distilledWrites } from '../distilled/observations.ts';
import { markDueSql, rulesFact } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { TransferPort } from './port.ts';

type Is<K extends ExportedRow['is']> = Extract<ExportedRow, { is: K }>;
type Take = (row: ExportedRow) => number;

export function importing(connection: Connection): Pick<TransferPort, 'takeRows' | 'knownEntries'> {
  const { write } = connection;
  const writes = distilledWrites(connection);
  const conversation = `(SELECT c.id FROM conversations c JOIN files f ON f.id = c.file_id WHERE f.agent = @agent AND f.key = @file AND c.first_pos = @firstPos)`;
  const session = '(SELECT id FROM sessions WHERE agent = @agent AND session = @session)';
  const simple = {
    link: 'INSERT INTO project_links (old_path, new_path) VALUES (@from, @to) ON CONFLICT DO NOTHING',
    pause: `INSERT INTO pauses (from_at, until_at) SELECT @from, @until
      WHERE NOT EXISTS (SELECT 1 FROM pauses WHERE from_at = @from) AND (@until IS NOT NULL OR NOT EXISTS (SELECT 1 FROM pauses WHERE until_at IS NULL))`,
    state: `INSERT INTO session_states (agent, session, status, prompts, prompt_id, end_reason, last_user, last_assistant, updated_at)
      VALUES (@agent, @session, @status, @prompts, @promptId, @endReason, @lastUser, @lastAssistant, @updatedAt) ON CONFLICT DO NOTHING`,
    conversation: `UPDATE conversations SET status = @status, reason = @reason, attempts = @attempts
      WHERE id = ${conversation} AND status IN ('active', 'ready', 'skipped') AND status <> @status`,
    extraction: `INSERT INTO extractions (agent, file, first_pos, first_at, last_at, session, project, by, json)
      VALUES (@agent, @file, @firstPos, @firstAt, @lastAt, @session, @project, @by, @json) ON CONFLICT DO NOTHING`,
    // The later merge wins. Of two from the same moment, every machine picks the same one.
    merge: `INSERT INTO memory_merges (page, target, into_target, at) VALUES (@page, @target, @into, @at)
      ON CONFLICT DO UPDATE SET into_target = excluded.into_target, at = excluded.at
      WHERE (excluded.at, excluded.into_target) > (memory_merges.at, memory_merges.into_target)`,
    pin: 'INSERT INTO pins (kind, id, agent, mark, at) VALUES (@kind, @id, @agent, @mark, @at) ON CONFLICT DO NOTHING',
    briefing: `INSERT INTO briefings (agent, session, project, at, source, text) SELECT @agent, @session, @project, @at, @source, @text
      WHERE NOT EXISTS (SELECT 1 FROM briefings WHERE session = @session AND agent = @agent AND at = @at AND source = @source AND text = @text)`,
    'group-session':
      'INSERT INTO group_sessions (agent, session, group_name) VALUES (@agent, @session, @group) ON CONFLICT DO NOTHING',
    // Only if the session belongs to the group here too.
    bookmark: `INSERT INTO bookmarks (group_name, agent, session, name, created_at, archived_at)
      SELECT m.group_name, @agent, @session, @name, @createdAt, @archivedAt FROM group_sessions m
      WHERE m.agent = @agent AND m.session = @session AND m.group_name = @group ON CONFLICT DO NOTHING`,
    task: `INSERT INTO tasks (group_name, prompt, kind, due, time_zone, context, state, created_at, next_at, last_at)
      SELECT @group, @prompt, @kind, @when, @timeZone, @context, @state, @createdAt, @nextAt, @lastAt FROM groups
      WHERE name = @group AND created_at = @groupCreatedAt
        AND @nth > (SELECT count(*) FROM tasks WHERE group_name = @group AND created_at = @createdAt)`,
    message: `INSERT INTO incoming (group_name, text, sender, arrived_at, state, attempts)
      SELECT @group, @text, @from, @arrivedAt, @state, @attempts FROM groups
      WHERE name = @group AND created_at = @groupCreatedAt
        AND @nth > (SELECT count(*) FROM incoming WHERE group_name = @group AND arrived_at = @arrivedAt AND sender IS @from)`,
  } as const;
  const statements = Object.fromEntries(Object.entries(simple).map(([is, sql]) => [is, connection.statement(sql)]));
  const placeAnew = connection.statement('DELETE FROM facts WHERE name = ?');
  const dueNow = connection.statement(markDueSql);
  const addStatement = connection.statement(
    `INSERT INTO statements (page, target, kind, at, ordinal, title, key, text, why, project, session, source, said_by, tags, promoted_from)
     SELECT @page, @target, @kind, @at, @order, @title, @key, @text, @why, @project, @session, @source, @saidBy, @tags, @from
     WHERE NOT EXISTS (SELECT 1 FROM statements WHERE page = @page AND target = @target AND at = @at AND text = @text AND extraction_id IS NULL)`,
  );
  const addLabel = connection.statement(
    `INSERT INTO session_labels (agent, session, name, starred, tags, at) VALUES (@agent, @session, @name, @starred, @tags, @at)
     ON CONFLICT DO NOTHING`,
  );
  const addEdit = connection.statement(
    `INSERT INTO memory_edits (page, target, kind, text, tight, front, anchor, section, before, at)
     SELECT @page, @target, @kind, @text, @tight, @front, @anchor, @section, @before, @at
     WHERE NOT EXISTS (SELECT 1 FROM memory_edits WHERE page = @page AND target = @target AND kind = @kind AND text = @text AND at = @at)`,
  );
  const hasObservation = connection.statement(
    `SELECT 1 FROM observations WHERE session_id = ${session} AND prompt = @prompt`,
  );
  const hasSummary = connection.statement(`SELECT 1 FROM summaries WHERE session_id = ${session}`);
  const addJob = connection.statement(
    `INSERT INTO jobs (kind, session_id, subject, version, status, material_at, not_before, attempts, error, by, tokens, updated_at)
     SELECT @kind, s.id, CASE @kind WHEN 'remember' THEN ${conversation} ELSE @subject END, @version, @status, @at, 0, @attempts, @error, @by, @tokens, @updatedAt
     FROM sessions s WHERE s.agent = @agent AND s.session = @session AND (@kind <> 'remember' OR ${conversation} IS NOT NULL)
     ON CONFLICT (session_id, kind, subject) DO UPDATE SET version = excluded.version, status = excluded.status, by = excluded.by,
       tokens = excluded.tokens, error = excluded.error, attempts = excluded.attempts, updated_at = excluded.updated_at, not_before = 0
     WHERE jobs.status = 'ready' AND jobs.attempts = 0`,
  );
  const endJob = connection.statement(
    `UPDATE jobs SET status = @status, by = @by, tokens = @tokens, updated_at = @updatedAt
     WHERE session_id = ${session} AND kind = @kind AND subject = @subject AND status = 'ready'`,
  );

  const hasGroup = connection.statement('SELECT 1 FROM groups WHERE name = @name');
  const nextEpoch = connection.statement<[], number>('UPDATE group_epoch SET last = last + 1 RETURNING last').pluck();
  const isOfGroup = connection.statement(
    'SELECT 1 FROM group_sessions WHERE agent = @agent AND session = @session AND group_name = @name',
  );
  const addGroup = connection.statement(
    `INSERT INTO groups (name, created_at, epoch, agent, session, resume_at, since)
     VALUES (@name, @createdAt, @epoch, @agent, @session, @resumeAt, @since)`,
  );

  const own: Partial<Record<ExportedRow['is'], Take>> = {
    observation: (row) => {
      const { is: _, ...given } = row as Is<'observation'>;
      if (hasObservation.get(given) !== undefined) return 0;
      return Number(writes.putObservation(given));
    },
    summary: (row) => {
      const { is: _, ...given } = row as Is<'summary'>;
      if (hasSummary.get(given) !== undefined) return 0;
      return Number(writes.putSummary(given));
    },
    job: (row) => {
      const { version, ...job } = row as Is<'job'>;
      if (version === null) return endJob.run(job).changes;
      return addJob.run({ ...job, version, firstPos: job.subject }).changes;
    },
    group: (row) => {
      const group = row as Is<'group'>;
      if (hasGroup.get(group) !== undefined) return 0;
      const pointer =
        isOfGroup.get(group) === undefined ? { agent: null, session: null, resumeAt: null, since: null } : {};
      return addGroup.run({ ...group, ...pointer, epoch: nextEpoch.get() }).changes;
    },
    label: (row) => {
      const { tags, starred, ...label } = row as Is<'label'>;
      return addLabel.run({ ...label, starred: Number(starred), tags: JSON.stringify(tags) }).changes;
    },
    statement: (row) => {
      const statement = row as Is<'statement'>;
      const { changes } = addStatement.run({ ...statement, tags: JSON.stringify(statement.tags) });
      if (changes > 0) dueNow.run(statement.page);
      return changes;
    },
    edit: (row) => {
      const edit = row as Is<'edit'>;
      const { changes } = addEdit.run({ ...edit, tight: Number(edit.tight), front: Number(edit.front) });
      if (changes > 0) dueNow.run(edit.page);
      return changes;
    },
    // `takeTombstones` imports these, because it also forgets the items.
    tombstone: () => 0,
    'memory-tombstone': () => 0,
  };

  function take(row: ExportedRow): number {
    const special = own[row.is];
    if (special !== undefined) return special(row);
    const { is, ...values } = row;
    const changes = statements[is]?.run(values).changes ?? 0;
    if (changes > 0 && row.is === 'merge') dueNow.run(row.page);
    if (changes > 0 && row.is === 'extraction') placeAnew.run(rulesFact);
    return changes;
  }

  const known = connection
    .statement<[string], string>('SELECT uuid FROM entries WHERE uuid IN (SELECT value FROM json_each(?))')
    .pluck();

  return {
    async knownEntries(uuids) {
      return new Set(known.all(JSON.stringify(uuids)));
    },
    async takeRows(rows) {
      return write(() => {
        const taken: Record<string, number> = {};
        for (const row of rows) taken[row.is] = (taken[row.is] ?? 0) + take(row);
        return taken;
      });
    },
  };
}
