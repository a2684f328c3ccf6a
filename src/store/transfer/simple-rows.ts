// Rows of an export that one statement imports. Existing rows stay unchanged.

/** The row of the exported conversation. */
export const conversationRow = `(SELECT c.id FROM conversations c JOIN files f ON f.id = c.file_id WHERE f.agent = @agent AND f.key = @file AND c.first_pos = @firstPos)`;
/** The row of the exported session. */
export const sessionRow = '(SELECT id FROM sessions WHERE agent = @agent AND session = @session)';

export const simpleRows = {
  link: 'INSERT INTO project_links (old_path, new_path) VALUES (@from, @to) ON CONFLICT DO NOTHING',
  pause: `INSERT INTO pauses (from_at, until_at) SELECT @from, @until
    WHERE NOT EXISTS (SELECT 1 FROM pauses WHERE from_at = @from) AND (@until IS NOT NULL OR NOT EXISTS (SELECT 1 FROM pauses WHERE until_at IS NULL))`,
  state: `INSERT INTO session_states (agent, session, status, prompts, prompt_id, end_reason, last_user, last_assistant, updated_at)
    VALUES (@agent, @session, @status, @prompts, @promptId, @endReason, @lastUser, @lastAssistant, @updatedAt) ON CONFLICT DO NOTHING`,
  conversation: `UPDATE conversations SET status = @status, reason = @reason, attempts = @attempts
    WHERE id = ${conversationRow} AND status IN ('active', 'ready', 'skipped') AND status <> @status`,
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
