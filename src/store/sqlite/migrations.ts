// Named and append-only: a released migration never changes; another one follows it.
import type { Database } from 'better-sqlite3';
import { choiceIn } from '../../schema/choice.ts';
import { partsOfCompleted } from '../../schema/completed-text.ts';
import { endingIn, formIn } from '../../schema/statement-form.ts';
import { withoutToolNames } from '../../schema/tool-names.ts';
import { HoldfastError } from '../../system/errors.ts';
import { labelOf } from '../projects/labels.ts';
import { writeAhead } from './write-ahead.ts';

interface Migration {
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [
  {
    name: '001-foundation',
    sql: `
      CREATE TABLE projects (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL
      );
      CREATE INDEX projects_by_name ON projects (name);

      CREATE TABLE files (
        id INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        key TEXT NOT NULL,
        subagent TEXT,
        offset INTEGER NOT NULL,
        lines INTEGER NOT NULL,
        head TEXT NOT NULL,
        tail TEXT NOT NULL,
        state TEXT NOT NULL,
        born_at INTEGER,
        malformed INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('ok', 'ignored', 'failed')),
        error TEXT,
        generation INTEGER NOT NULL DEFAULT 0, -- counts how often the file was read from the start
        sweeping INTEGER NOT NULL DEFAULT 0,   -- 1 while a read from the start has not reached the end
        shared INTEGER NOT NULL DEFAULT 0,     -- 1 when entries of this file stand in another file too
        UNIQUE (agent, key)
      );
      CREATE TABLE file_copies (
        file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
        root TEXT NOT NULL,
        size INTEGER NOT NULL,
        PRIMARY KEY (file_id, root)
      ) WITHOUT ROWID;

      CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        project_id INTEGER REFERENCES projects,
        cwd TEXT,
        title TEXT,
        started_at INTEGER,
        ended_at INTEGER,
        entries INTEGER NOT NULL DEFAULT 0,
        subagent_entries INTEGER NOT NULL DEFAULT 0,
        UNIQUE (session, agent)
      );
      CREATE INDEX sessions_by_end ON sessions (ended_at);
      CREATE INDEX sessions_by_project ON sessions (project_id, ended_at);
      CREATE TABLE file_sessions (
        file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        cwd TEXT,
        project_id INTEGER REFERENCES projects,
        title TEXT,
        PRIMARY KEY (file_id, session_id)
      ) WITHOUT ROWID;
      CREATE INDEX file_sessions_by_session ON file_sessions (session_id);

      CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        file_id INTEGER NOT NULL REFERENCES files,
        session_id INTEGER NOT NULL REFERENCES sessions,
        status TEXT NOT NULL CHECK (status IN ('active', 'ready', 'queued', 'processing', 'archived', 'skipped')),
        reason TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        lease_until INTEGER,
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        first_pos INTEGER NOT NULL,
        last_pos INTEGER NOT NULL,
        entries INTEGER NOT NULL
      );
      CREATE INDEX conversations_by_file ON conversations (file_id, first_pos);
      CREATE INDEX conversations_by_status ON conversations (status, last_at);

      CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        session_id INTEGER NOT NULL REFERENCES sessions,
        file_id INTEGER NOT NULL REFERENCES files,
        pos INTEGER NOT NULL,
        at INTEGER NOT NULL,
        role TEXT NOT NULL,
        author TEXT NOT NULL,
        text TEXT NOT NULL,
        tools TEXT,
        subagent TEXT,
        joins_at INTEGER,
        abandoned INTEGER NOT NULL DEFAULT 0,
        conversation_id INTEGER REFERENCES conversations,
        generation INTEGER NOT NULL
      );
      CREATE INDEX entries_by_file ON entries (file_id, pos);
      CREATE INDEX entries_by_session ON entries (session_id, pos);
      CREATE INDEX entries_that_join ON entries (file_id) WHERE joins_at IS NOT NULL;
      CREATE INDEX entries_abandoned ON entries (file_id) WHERE abandoned = 1;

      -- The places beside its owner where an entry stands as well: forked and resumed sessions copy their history.
      CREATE TABLE entry_copies (
        entry_id INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
        file_id INTEGER NOT NULL REFERENCES files,
        session_id INTEGER NOT NULL REFERENCES sessions,
        pos INTEGER NOT NULL,
        author TEXT NOT NULL, -- a subagent's prompts are the machine's, wherever they were copied from
        joins_at INTEGER,
        generation INTEGER NOT NULL,
        PRIMARY KEY (entry_id, file_id)
      ) WITHOUT ROWID;
      CREATE INDEX entry_copies_by_file ON entry_copies (file_id, pos);
      CREATE INDEX entry_copies_by_session ON entry_copies (session_id);

      CREATE TABLE tool_uses (
        id INTEGER PRIMARY KEY,
        use_id TEXT NOT NULL,
        entry_id INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
        tool TEXT NOT NULL,
        input TEXT NOT NULL,
        files TEXT,
        outcome TEXT CHECK (outcome IN ('ok', 'error')),
        output TEXT,
        UNIQUE (use_id, entry_id) -- some models number their calls anew in every session
      );
      CREATE INDEX tool_uses_by_entry ON tool_uses (entry_id);

      CREATE VIRTUAL TABLE entries_fts USING fts5 (
        text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
      );
    `,
  },
  {
    name: '002-session-states',
    sql: `
      -- What hooks and clients tell of a session, whether or not its transcript is known yet.
      CREATE TABLE session_states (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('initialized', 'active', 'summarizing', 'completed')),
        prompts INTEGER NOT NULL,
        prompt_id TEXT,
        end_reason TEXT,
        last_user TEXT,
        last_assistant TEXT,
        updated_at INTEGER NOT NULL,
        PRIMARY KEY (agent, session)
      ) WITHOUT ROWID;
      CREATE INDEX session_states_by_time ON session_states (updated_at);
    `,
  },
  {
    name: '003-briefings',
    sql: `
      -- What was given to a session. Its row in sessions may come later, so the agent's own id stands here.
      CREATE TABLE briefings (
        id INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        project TEXT NOT NULL,
        at INTEGER NOT NULL,
        source TEXT NOT NULL,
        text TEXT NOT NULL
      );
      CREATE INDEX briefings_by_session ON briefings (session, at);
      CREATE TABLE pins (
        kind TEXT NOT NULL CHECK (kind IN ('session', 'entry', 'project')),
        id TEXT NOT NULL,
        agent TEXT NOT NULL, -- empty for a project
        mark TEXT NOT NULL CHECK (mark IN ('pinned', 'muted')),
        at INTEGER NOT NULL,
        PRIMARY KEY (kind, id, agent)
      ) WITHOUT ROWID;
      CREATE TABLE project_links (
        old_path TEXT PRIMARY KEY,
        new_path TEXT NOT NULL
      ) WITHOUT ROWID;
      -- Few entries are prompts: the first and the last of a session are found without reading the others.
      CREATE INDEX entries_by_person ON entries (session_id, pos) WHERE author = 'person';
    `,
  },
  {
    name: '004-privacy',
    sql: `
      CREATE TABLE pauses (
        id INTEGER PRIMARY KEY,
        from_at INTEGER NOT NULL,
        until_at INTEGER -- empty while it runs
      );
      CREATE UNIQUE INDEX pauses_running ON pauses ((1)) WHERE until_at IS NULL;
      CREATE TABLE facts (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) WITHOUT ROWID;
    `,
  },
  {
    name: '005-vectors',
    sql: `
      -- Vectors of texts, for search by meaning. A subject is a row of the table that its kind stands for: 0 entries. The kinds
      -- that come later bring triggers like those below.
      CREATE TABLE vector_models (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        dimensions INTEGER,                   -- known with its first vector
        wanted INTEGER NOT NULL DEFAULT 0,    -- 1: what is new gets a vector of this model
        complete INTEGER NOT NULL DEFAULT 0   -- 1: there was a moment at which nothing lacked one
      );
      CREATE TABLE vectors (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: another number is another vector
        model_id INTEGER NOT NULL REFERENCES vector_models,
        kind INTEGER NOT NULL,
        subject_id INTEGER NOT NULL,
        part INTEGER NOT NULL,
        vector BLOB NOT NULL
      );
      CREATE UNIQUE INDEX vectors_by_subject ON vectors (kind, subject_id, model_id, part);
      -- What lacks a vector. The stamp tells whoever embeds that the text has changed meanwhile.
      CREATE TABLE vector_queue (
        kind INTEGER NOT NULL,
        subject_id INTEGER NOT NULL,
        stamp INTEGER NOT NULL,
        PRIMARY KEY (kind, subject_id)
      ) WITHOUT ROWID;
      INSERT INTO vector_queue SELECT 0, id, 0 FROM entries WHERE substr(text, 1, 13) <> '[Used tools: ' AND text <> '';
      CREATE TRIGGER entries_added AFTER INSERT ON entries WHEN substr(new.text, 1, 13) <> '[Used tools: ' AND new.text <> '' BEGIN
        INSERT INTO vector_queue VALUES (0, new.id, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      CREATE TRIGGER entries_changed AFTER UPDATE OF text ON entries WHEN old.text <> new.text BEGIN
        DELETE FROM vectors WHERE kind = 0 AND subject_id = new.id;
        INSERT INTO vector_queue VALUES (0, new.id, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      CREATE TRIGGER entries_gone AFTER DELETE ON entries BEGIN
        DELETE FROM vectors WHERE kind = 0 AND subject_id = old.id;
        DELETE FROM vector_queue WHERE kind = 0 AND subject_id = old.id;
      END;

      -- Sessions in the order in which their entries or vectors last changed, also those that are gone.
      CREATE TABLE session_changes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id INTEGER NOT NULL UNIQUE
      );
      INSERT INTO session_changes (session_id) SELECT id FROM sessions ORDER BY id;
      -- All that search keeps in memory of an entry, without a look at its text.
      DROP INDEX entries_by_session;
      CREATE INDEX entries_by_session ON entries
        (session_id, pos, file_id, at, role, subagent IS NOT NULL, abandoned, length(text));
    `,
  },
  {
    name: '006-words',
    sql: `
      -- The files that tools were used on. A path goes with the last use of it.
      CREATE TABLE touched_files (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL -- the last part of the path
      );
      CREATE INDEX touched_files_by_name ON touched_files (name);
      CREATE TABLE file_touches (
        touched_id INTEGER NOT NULL REFERENCES touched_files,
        at INTEGER NOT NULL,
        tool_use_id INTEGER NOT NULL REFERENCES tool_uses ON DELETE CASCADE,
        PRIMARY KEY (touched_id, at, tool_use_id)
      ) WITHOUT ROWID;
      CREATE INDEX file_touches_by_use ON file_touches (tool_use_id);
      CREATE TRIGGER touched_file_forgotten AFTER DELETE ON file_touches
        WHEN NOT EXISTS (SELECT 1 FROM file_touches WHERE touched_id = OLD.touched_id)
        BEGIN DELETE FROM touched_files WHERE id = OLD.touched_id; END;
      -- What stands here already gets its touches, and its new index text, later: see renewal.ts.
      INSERT INTO facts (name, value) SELECT 'derived', json_object('version', 1,
        'entries', (SELECT coalesce(max(id), 0) FROM entries), 'uses', (SELECT coalesce(max(id), 0) FROM tool_uses));
    `,
  },
  {
    name: '007-memories',
    sql: `
      -- What the librarian took from each conversation. Pages are made from this, from edits and from what was asked to remember.
      CREATE TABLE extractions (
        id INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        file TEXT NOT NULL,
        first_pos INTEGER NOT NULL, -- moments do not tell conversations apart: a tool may write many lines in one
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        session TEXT NOT NULL,
        project TEXT NOT NULL,
        by TEXT NOT NULL,
        json TEXT NOT NULL,
        UNIQUE (agent, file, first_pos)
      );
      CREATE INDEX extractions_by_session ON extractions (session);
      CREATE TABLE statements (
        id INTEGER PRIMARY KEY,
        extraction_id INTEGER REFERENCES extractions ON DELETE CASCADE, -- empty: somebody asked to remember it
        page TEXT NOT NULL,
        target TEXT NOT NULL, -- statements of one target are versions of one
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        file TEXT NOT NULL DEFAULT '',
        pos INTEGER NOT NULL DEFAULT 0,
        ordinal INTEGER NOT NULL,
        title TEXT NOT NULL,
        key TEXT NOT NULL,
        text TEXT NOT NULL,
        why TEXT NOT NULL,
        project TEXT NOT NULL,
        session TEXT NOT NULL,
        source TEXT NOT NULL,
        tags TEXT NOT NULL,
        promoted_from TEXT NOT NULL
      );
      CREATE INDEX statements_by_page ON statements (page, target);
      CREATE INDEX statements_by_extraction ON statements (extraction_id);
      CREATE TABLE memory_pages (
        page TEXT PRIMARY KEY,
        version INTEGER NOT NULL DEFAULT 0,
        due INTEGER NOT NULL DEFAULT 0,
        derived INTEGER NOT NULL DEFAULT 0,
        stamp TEXT NOT NULL DEFAULT '',
        written TEXT,
        written_targets TEXT,
        intended TEXT, -- set while a file is being replaced
        intended_targets TEXT,
        uncommitted INTEGER NOT NULL DEFAULT 0
      ) WITHOUT ROWID;
      CREATE TABLE memory_edits (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        page TEXT NOT NULL,
        target TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('change', 'remove', 'add', 'release')),
        text TEXT NOT NULL,
        tight INTEGER NOT NULL,
        front INTEGER NOT NULL,
        anchor TEXT NOT NULL,
        section TEXT NOT NULL,
        before TEXT NOT NULL,
        at INTEGER NOT NULL
      );
      CREATE INDEX memory_edits_by_page ON memory_edits (page, target);
      CREATE TABLE memory_merges (
        page TEXT NOT NULL,
        target TEXT NOT NULL,
        into_target TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (page, target)
      ) WITHOUT ROWID;
      CREATE TABLE memory_tombstones (print TEXT PRIMARY KEY) WITHOUT ROWID;
      -- What search finds: statements and short sections, as the files hold them.
      CREATE TABLE memories (
        id INTEGER PRIMARY KEY,
        memory TEXT NOT NULL UNIQUE,
        page TEXT NOT NULL,
        place INTEGER NOT NULL,
        target TEXT NOT NULL,
        title TEXT NOT NULL,
        text TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('dated', 'evergreen')),
        at INTEGER NOT NULL,
        project TEXT NOT NULL,
        session TEXT NOT NULL,
        source TEXT NOT NULL
      );
      CREATE INDEX memories_by_page ON memories (page, place);
      CREATE INDEX memories_by_session ON memories (session);
      CREATE VIRTUAL TABLE memories_fts USING fts5 (
        title, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
      );
      CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
        INSERT INTO vector_queue VALUES (3, new.id, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      CREATE TRIGGER memories_changed AFTER UPDATE OF title, text ON memories
        WHEN old.title <> new.title OR old.text <> new.text BEGIN
        DELETE FROM vectors WHERE kind = 3 AND subject_id = new.id;
        INSERT INTO vector_queue VALUES (3, new.id, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN
        DELETE FROM vectors WHERE kind = 3 AND subject_id = old.id;
        DELETE FROM vector_queue WHERE kind = 3 AND subject_id = old.id;
      END;
    `,
  },
  {
    name: '008-jobs',
    sql: `
      -- What remains to be distilled, and what was. A job's version is a print of its material: another one makes it ready again.
      CREATE TABLE jobs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('observe', 'summarize', 'remember')),
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        subject INTEGER NOT NULL,  -- the number of a prompt, the id of a conversation; 0 for a session
        version TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('ready', 'claimed', 'done', 'failed', 'cancelled')),
        material_at INTEGER NOT NULL,
        not_before INTEGER NOT NULL,
        waits_for TEXT,            -- budget or model: what not_before is about, beyond the silence
        claimant TEXT,
        claimed_version TEXT,
        lease_until INTEGER,
        reserved INTEGER NOT NULL DEFAULT 0, -- tokens of the budget, while claimed
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT,
        by TEXT,
        tokens INTEGER NOT NULL DEFAULT 0,
        updated_at INTEGER NOT NULL,
        UNIQUE (session_id, kind, subject)
      );
      CREATE INDEX jobs_newest ON jobs (material_at) WHERE status = 'ready';
      CREATE INDEX jobs_ready ON jobs (not_before) WHERE status = 'ready';
      CREATE INDEX jobs_claimed ON jobs (lease_until) WHERE status = 'claimed';
      CREATE INDEX jobs_by_status ON jobs (status, updated_at);
      -- Sessions that have changed since their jobs were last derived; written with what changed them.
      CREATE TABLE jobs_to_plan (session_id INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE);
      INSERT INTO jobs_to_plan SELECT id FROM sessions;

      CREATE TABLE spending (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        session_id INTEGER REFERENCES sessions ON DELETE SET NULL,
        kind TEXT NOT NULL,
        model TEXT NOT NULL,
        calls INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        instead_of INTEGER NOT NULL -- tokens that one call for each tool use would have taken
      );
      CREATE INDEX spending_by_time ON spending (at);
      CREATE INDEX spending_by_session ON spending (session_id);
    `,
  },
  {
    name: '009-distilled',
    sql: `
      -- What a distiller made of a turn. Goes with its session and with the entry that the turn begins with.
      CREATE TABLE observations (
        id INTEGER PRIMARY KEY AUTOINCREMENT, -- a text that changes gets a new one, so that nothing older can pass for it
        uid TEXT NOT NULL UNIQUE,
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        prompt INTEGER NOT NULL,
        first_entry INTEGER NOT NULL UNIQUE REFERENCES entries ON DELETE CASCADE,
        at INTEGER NOT NULL,
        type TEXT NOT NULL,
        title TEXT NOT NULL,
        subtitle TEXT NOT NULL,
        facts TEXT NOT NULL,
        narrative TEXT NOT NULL,
        concepts TEXT NOT NULL,
        files_read TEXT NOT NULL,
        files_modified TEXT NOT NULL,
        tools TEXT NOT NULL,
        by TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        UNIQUE (session_id, prompt)
      );
      CREATE INDEX observations_by_time ON observations (at);
      CREATE TABLE observation_entries (
        observation_id INTEGER NOT NULL REFERENCES observations ON DELETE CASCADE,
        place INTEGER NOT NULL,
        entry_id INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
        PRIMARY KEY (observation_id, place)
      ) WITHOUT ROWID;
      CREATE INDEX observation_entries_by_entry ON observation_entries (entry_id);
      CREATE TABLE summaries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        session_id INTEGER NOT NULL UNIQUE REFERENCES sessions ON DELETE CASCADE,
        at INTEGER NOT NULL,
        prompts INTEGER NOT NULL,
        title TEXT NOT NULL,
        request TEXT NOT NULL,
        investigated TEXT NOT NULL,
        learned TEXT NOT NULL,
        completed TEXT NOT NULL,
        next_steps TEXT NOT NULL,
        notes TEXT NOT NULL,
        files_read TEXT NOT NULL,
        files_modified TEXT NOT NULL,
        by TEXT NOT NULL,
        tokens INTEGER NOT NULL
      );
      CREATE INDEX summaries_by_time ON summaries (at);
      CREATE VIRTUAL TABLE observations_fts USING fts5 (
        title, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
      );
      CREATE VIRTUAL TABLE summaries_fts USING fts5 (
        title, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
      );
      -- Rows are never changed, only replaced: what comes wants a vector, what goes takes its vectors along.
      CREATE TRIGGER observations_added AFTER INSERT ON observations BEGIN
        INSERT INTO vector_queue (kind, subject_id, stamp) VALUES (1, new.id, random() & 0xffffffff)
          ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      CREATE TRIGGER observations_gone AFTER DELETE ON observations BEGIN
        DELETE FROM observations_fts WHERE rowid = old.id;
        DELETE FROM vectors WHERE kind = 1 AND subject_id = old.id;
        DELETE FROM vector_queue WHERE kind = 1 AND subject_id = old.id;
      END;
      CREATE TRIGGER summaries_added AFTER INSERT ON summaries BEGIN
        INSERT INTO vector_queue (kind, subject_id, stamp) VALUES (2, new.id, random() & 0xffffffff)
          ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      CREATE TRIGGER summaries_gone AFTER DELETE ON summaries BEGIN
        DELETE FROM summaries_fts WHERE rowid = old.id;
        DELETE FROM vectors WHERE kind = 2 AND subject_id = old.id;
        DELETE FROM vector_queue WHERE kind = 2 AND subject_id = old.id;
      END;
    `,
  },
  {
    name: '010-vault',
    sql: `
      -- The compressed copy of a transcript: how far it has come. The bytes are in files of their own.
      CREATE TABLE vault_copies (
        file_id INTEGER PRIMARY KEY REFERENCES files ON DELETE CASCADE,
        generation INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        state TEXT NOT NULL,
        updated_at INTEGER NOT NULL
      );
    `,
  },
  {
    name: '011-archives',
    sql: `
      CREATE TABLE archives (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        folder TEXT NOT NULL,
        file TEXT NOT NULL,
        name TEXT,
        title TEXT NOT NULL,
        body_print TEXT NOT NULL,
        file_print TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (agent, session, folder)
      ) WITHOUT ROWID;
    `,
  },
  {
    name: '012-tombstones',
    sql: `
      -- Prints of what was forgotten, and must not come back. Never removed; their number tells whether there are new ones.
      CREATE TABLE tombstones (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        print TEXT NOT NULL UNIQUE,
        at INTEGER NOT NULL
      );
      -- What a forgetting has still to do outside of the database: names, no texts.
      CREATE TABLE forgetting (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        traces TEXT NOT NULL,
        not_before INTEGER NOT NULL
      );
    `,
  },
  {
    name: '013-groups',
    sql: `
      -- Who shares memory and a sandbox, and the session that is active for them.
      CREATE TABLE groups (
        name TEXT PRIMARY KEY,
        created_at INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        agent TEXT,
        session TEXT,
        resume_at TEXT,
        since INTEGER
      ) WITHOUT ROWID;
      CREATE TABLE group_epoch (last INTEGER NOT NULL);
      INSERT INTO group_epoch VALUES (0);
      -- By the agents' own ids: a session may be active before the first of its entries is stored.
      CREATE TABLE group_sessions (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        group_name TEXT NOT NULL,
        PRIMARY KEY (agent, session)
      ) WITHOUT ROWID;
      CREATE INDEX group_sessions_by_group ON group_sessions (group_name, session, agent);
      CREATE TABLE bookmarks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        group_name TEXT NOT NULL,
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        name TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        archived_at INTEGER NOT NULL,
        UNIQUE (group_name, agent, session)
      );
      CREATE INDEX bookmarks_by_group ON bookmarks (group_name, archived_at, id);
    `,
  },
  {
    name: '014-host',
    sql: `
      -- What was said to the agents of groups. Texts go when they are answered: the sessions have them.
      CREATE TABLE incoming (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        group_name TEXT NOT NULL,
        text TEXT NOT NULL,
        sender TEXT,
        arrived_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        run INTEGER,
        output INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0
      );
      CREATE INDEX incoming_open ON incoming (state, group_name, id) WHERE state <> 'answered';
      CREATE INDEX incoming_by_run ON incoming (run) WHERE run IS NOT NULL;
      -- What the people of groups were told: the ids are those of the event stream, so they are never given twice.
      CREATE TABLE outgoing (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        group_name TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        answers TEXT NOT NULL,
        task INTEGER,
        session TEXT,
        at INTEGER NOT NULL
      );
      CREATE INDEX outgoing_by_group ON outgoing (group_name, id);
      -- Processes of agents. One without an end is running, or its host was killed.
      CREATE TABLE host_runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        group_name TEXT NOT NULL,
        task INTEGER,
        epoch INTEGER NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER,
        pid INTEGER,
        pid_started TEXT,
        output INTEGER NOT NULL DEFAULT 0,
        result TEXT,
        error TEXT
      );
      CREATE INDEX host_runs_open ON host_runs (task) WHERE ended_at IS NULL;
      CREATE INDEX host_runs_by_task ON host_runs (task, id) WHERE task IS NOT NULL;
      CREATE INDEX host_runs_failed ON host_runs (group_name, id) WHERE error IS NOT NULL;
      CREATE TABLE group_retries (
        group_name TEXT PRIMARY KEY,
        failures INTEGER NOT NULL,
        not_before INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE TABLE tasks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        group_name TEXT NOT NULL,
        prompt TEXT NOT NULL,
        kind TEXT NOT NULL,
        due TEXT NOT NULL,
        time_zone TEXT NOT NULL,
        context TEXT NOT NULL,
        state TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        next_at INTEGER,
        last_at INTEGER,
        last_result TEXT,
        last_error TEXT,
        failures INTEGER NOT NULL DEFAULT 0
      );
      CREATE INDEX tasks_by_group ON tasks (group_name, id);
      CREATE INDEX tasks_due ON tasks (next_at) WHERE state = 'active';
    `,
  },
  {
    name: '015-changes',
    sql: `
      -- What changed, in the order in which it did; of several changes of one thing the last. Live viewers go on from the number they saw.
      CREATE TABLE changes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        agent TEXT NOT NULL,
        subject TEXT NOT NULL, -- a session, or a page of memory
        UNIQUE (kind, agent, subject)
      );
      CREATE TRIGGER change_entries AFTER INSERT ON session_changes BEGIN
        DELETE FROM changes WHERE kind = 'entries' AND (agent, subject) IN (SELECT agent, session FROM sessions WHERE id = new.session_id);
        INSERT INTO changes (kind, agent, subject) SELECT 'entries', agent, session FROM sessions WHERE id = new.session_id;
      END;
      CREATE TRIGGER change_state_added AFTER INSERT ON session_states BEGIN
        DELETE FROM changes WHERE kind = 'state' AND agent = new.agent AND subject = new.session;
        INSERT INTO changes (kind, agent, subject) VALUES ('state', new.agent, new.session);
      END;
      CREATE TRIGGER change_state AFTER UPDATE OF status, prompts ON session_states BEGIN
        DELETE FROM changes WHERE kind = 'state' AND agent = new.agent AND subject = new.session;
        INSERT INTO changes (kind, agent, subject) VALUES ('state', new.agent, new.session);
      END;
      CREATE TRIGGER change_state_gone AFTER DELETE ON session_states BEGIN
        DELETE FROM changes WHERE kind = 'state' AND agent = old.agent AND subject = old.session;
      END;
      CREATE TRIGGER change_observations AFTER INSERT ON observations BEGIN
        DELETE FROM changes WHERE kind = 'observations' AND (agent, subject) IN (SELECT agent, session FROM sessions WHERE id = new.session_id);
        INSERT INTO changes (kind, agent, subject) SELECT 'observations', agent, session FROM sessions WHERE id = new.session_id;
      END;
      CREATE TRIGGER change_observations_gone AFTER DELETE ON observations BEGIN
        DELETE FROM changes WHERE kind = 'observations' AND (agent, subject) IN (SELECT agent, session FROM sessions WHERE id = old.session_id);
        INSERT INTO changes (kind, agent, subject) SELECT 'observations', agent, session FROM sessions WHERE id = old.session_id;
      END;
      CREATE TRIGGER change_summary AFTER INSERT ON summaries BEGIN
        DELETE FROM changes WHERE kind = 'summary' AND (agent, subject) IN (SELECT agent, session FROM sessions WHERE id = new.session_id);
        INSERT INTO changes (kind, agent, subject) SELECT 'summary', agent, session FROM sessions WHERE id = new.session_id;
      END;
      CREATE TRIGGER change_summary_gone AFTER DELETE ON summaries BEGIN
        DELETE FROM changes WHERE kind = 'summary' AND (agent, subject) IN (SELECT agent, session FROM sessions WHERE id = old.session_id);
        INSERT INTO changes (kind, agent, subject) SELECT 'summary', agent, session FROM sessions WHERE id = old.session_id;
      END;
      CREATE TRIGGER change_memory_added AFTER INSERT ON memories BEGIN
        DELETE FROM changes WHERE kind = 'memory' AND agent = '' AND subject = new.page;
        INSERT INTO changes (kind, agent, subject) VALUES ('memory', '', new.page);
      END;
      CREATE TRIGGER change_memory_gone AFTER DELETE ON memories BEGIN
        DELETE FROM changes WHERE kind = 'memory' AND agent = '' AND subject = old.page;
        INSERT INTO changes (kind, agent, subject) VALUES ('memory', '', old.page);
      END;
      CREATE TRIGGER change_memory AFTER UPDATE ON memories BEGIN
        DELETE FROM changes WHERE kind = 'memory' AND agent = '' AND subject IN (old.page, new.page);
        INSERT INTO changes (kind, agent, subject) VALUES ('memory', '', new.page);
      END;
      -- What is gone leaves no name here, only that something went.
      CREATE TRIGGER change_gone AFTER DELETE ON sessions BEGIN
        DELETE FROM changes WHERE agent = old.agent AND subject = old.session;
        DELETE FROM changes WHERE kind = 'gone';
        INSERT INTO changes (kind, agent, subject) VALUES ('gone', '', '');
      END;
      INSERT INTO changes (kind, agent, subject) SELECT 'entries', agent, session FROM sessions ORDER BY id;
    `,
  },
  {
    name: '016-asking',
    sql: `
      -- Entries with a question mark near their end: an index in memory learns it without a look at their texts.
      CREATE TABLE asking_entries (entry_id INTEGER PRIMARY KEY);
      CREATE TRIGGER entries_asking AFTER INSERT ON entries
        WHEN instr(substr(CAST(new.text AS BLOB), -220), x'3f') > 0 BEGIN
        INSERT OR IGNORE INTO asking_entries VALUES (new.id);
      END;
      CREATE TRIGGER entries_ask_otherwise AFTER UPDATE OF text ON entries WHEN old.text <> new.text BEGIN
        DELETE FROM asking_entries WHERE entry_id = new.id;
        INSERT INTO asking_entries SELECT new.id WHERE instr(substr(CAST(new.text AS BLOB), -220), x'3f') > 0;
      END;
      CREATE TRIGGER entries_ask_no_more AFTER DELETE ON entries BEGIN
        DELETE FROM asking_entries WHERE entry_id = old.id;
      END;
      -- Those that stand here already are looked at later: see renewal.ts. Up to this number their texts are asked.
      INSERT INTO facts (name, value) SELECT 'unread for questions', max(id) FROM entries HAVING max(id) IS NOT NULL;
    `,
  },
  {
    name: '017-imports',
    sql: `
      -- How much came in during each quarter of an hour since 1970.
      CREATE TABLE imports (
        quarter INTEGER PRIMARY KEY,
        entries INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        ms INTEGER NOT NULL -- from the reading to the storing
      );
    `,
  },
  {
    name: '018-removal',
    sql: `
      -- A session or conversation that goes is looked for in these, once for each.
      CREATE INDEX conversations_by_session ON conversations (session_id);
      CREATE INDEX entries_by_conversation ON entries (conversation_id) WHERE conversation_id IS NOT NULL;
      CREATE INDEX changes_by_subject ON changes (subject, agent);
    `,
  },
  {
    name: '019-pairs',
    sql: `
      -- Names are found by two parts written as one (authstore); what stands here already is indexed anew later: see renewal.ts.
      UPDATE facts SET value = json_set(value, '$.version', 2, '$.entries', (SELECT coalesce(max(id), 0) FROM entries))
        WHERE name = 'derived';
    `,
  },
  {
    name: '020-chat-seen',
    sql: `
      -- What the person has seen of what a group was told: the next chat begins after it.
      ALTER TABLE groups ADD COLUMN chat_seen INTEGER;
    `,
  },
  {
    name: '021-pauses-by-running-time',
    sql: `
      -- Which start of the machine, how long it had run, and the newest entry, when the pause began: the clock may have been wrong.
      ALTER TABLE pauses ADD COLUMN boot TEXT;
      ALTER TABLE pauses ADD COLUMN running_ms INTEGER;
      ALTER TABLE pauses ADD COLUMN seen_at INTEGER;
    `,
  },
  {
    name: '022-session-facts',
    sql: `
      ALTER TABLE entries ADD COLUMN form TEXT; -- empty for a prompt or an answer
      ALTER TABLE file_sessions ADD COLUMN title_by TEXT;
      ALTER TABLE sessions ADD COLUMN title_by TEXT;
      -- What a transcript says about a session beside what was said in it. Of several values of a kind the one at the highest place is current.
      CREATE TABLE session_facts (
        file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        pos INTEGER NOT NULL,
        PRIMARY KEY (session_id, kind, value, file_id)
      ) WITHOUT ROWID;
      CREATE INDEX session_facts_by_file ON session_facts (file_id);
      -- Names that a file gives to sessions of other files, by an entry of that session.
      CREATE TABLE leaf_titles (
        leaf TEXT NOT NULL,
        file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
        title TEXT NOT NULL,
        PRIMARY KEY (leaf, file_id)
      ) WITHOUT ROWID;
      CREATE INDEX leaf_titles_by_file ON leaf_titles (file_id);
    `,
  },
  {
    name: '023-said-by',
    sql: `
      -- Whose words a statement rests on, and in which group they were said. What a group said leaves the person's pages: statements are
      -- placed again when pages are next brought in line, and until then what groups gave is on no page.
      ALTER TABLE statements ADD COLUMN said_by TEXT NOT NULL DEFAULT 'person';
      ALTER TABLE memories ADD COLUMN said_by TEXT NOT NULL DEFAULT 'person';
      ALTER TABLE memories ADD COLUMN group_name TEXT NOT NULL DEFAULT '';
      ALTER TABLE extractions ADD COLUMN group_name TEXT NOT NULL DEFAULT '';
      UPDATE extractions SET group_name = coalesce(
        (SELECT m.group_name FROM group_sessions m WHERE m.agent = extractions.agent AND m.session = extractions.session), '');
      UPDATE memory_pages SET due = 1, version = version + 1 WHERE page IN (
        SELECT s.page FROM statements s JOIN extractions x ON x.id = s.extraction_id WHERE x.group_name <> '');
      DELETE FROM statements WHERE extraction_id IN (SELECT id FROM extractions WHERE group_name <> '');
      DELETE FROM memories_fts WHERE rowid IN (
        SELECT d.id FROM memories d JOIN group_sessions m ON m.session = d.session WHERE d.source = 'conversation');
      DELETE FROM memories WHERE source = 'conversation' AND session IN (SELECT session FROM group_sessions);
      DELETE FROM facts WHERE name = 'memories: placed by';
    `,
  },
  {
    name: '024-allowance',
    sql: `
      -- How much a group was told of late.
      CREATE INDEX outgoing_by_time ON outgoing (group_name, at);
    `,
  },
  {
    name: '025-rough-vectors',
    sql: `
      ALTER TABLE vectors ADD COLUMN rough INTEGER NOT NULL DEFAULT 0; -- 1: made at once; a closer reading of the text gives a better one
      CREATE INDEX vectors_rough ON vectors (seq) WHERE rough = 1;
    `,
  },
  {
    name: '026-set-aside',
    sql: `
      -- Transcripts that took too long to read.
      CREATE TABLE set_aside (
        agent TEXT NOT NULL,
        key TEXT NOT NULL,
        path TEXT NOT NULL,
        pos INTEGER NOT NULL,
        mark TEXT NOT NULL,
        version TEXT NOT NULL,
        reason TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (agent, key)
      ) WITHOUT ROWID;
    `,
  },
  {
    name: '027-entries-that-are-gone',
    sql: `
      -- 1: the transcript was cut or rewritten and no longer holds it. Its place is negative then, so it is not part of the file's order.
      ALTER TABLE entries ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX entries_gone ON entries (file_id) WHERE gone = 1;
    `,
  },
  {
    name: '028-tool-index',
    sql: `
      -- What tools were given and what came of it, one row for each entry that used some, under its id.
      CREATE VIRTUAL TABLE uses_fts USING fts5 (
        input, output, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
      );
      CREATE TRIGGER entries_used_no_more AFTER DELETE ON entries WHEN old.tools IS NOT NULL BEGIN
        DELETE FROM uses_fts WHERE rowid = old.id;
        DELETE FROM unindexed_uses WHERE entry_id = old.id;
      END;
      -- Searches by tool and outcome read the ids of entries from the index alone.
      CREATE INDEX tool_uses_by_tool ON tool_uses (tool, outcome, entry_id);
      -- Entries of an older version that are still to be indexed: see renewal.ts.
      CREATE TABLE unindexed_uses (entry_id INTEGER PRIMARY KEY);
      INSERT INTO unindexed_uses SELECT DISTINCT entry_id FROM tool_uses;
    `,
  },
  {
    name: '029-reader-versions',
    sql: `
      -- The version of the agent's reader that has read all of the file; 0: one from before readers had versions.
      ALTER TABLE files ADD COLUMN reader INTEGER NOT NULL DEFAULT 0;
    `,
  },
  {
    name: '030-sessions-named-by-leaf',
    sql: `
      -- The session that holds the leaf, once its entry is stored: a session finds its titles without a look at those of all others.
      ALTER TABLE leaf_titles ADD COLUMN session_id INTEGER REFERENCES sessions ON DELETE SET NULL;
      UPDATE leaf_titles SET session_id = (SELECT session_id FROM entries WHERE uuid = leaf);
      CREATE INDEX leaf_titles_by_session ON leaf_titles (session_id) WHERE session_id IS NOT NULL;
      CREATE TRIGGER entries_named AFTER INSERT ON entries WHEN EXISTS (SELECT 1 FROM leaf_titles WHERE leaf = new.uuid) BEGIN
        UPDATE leaf_titles SET session_id = new.session_id WHERE leaf = new.uuid;
      END;
      CREATE TRIGGER entries_named_elsewhere AFTER UPDATE OF session_id ON entries WHEN old.session_id <> new.session_id BEGIN
        UPDATE leaf_titles SET session_id = new.session_id WHERE leaf = new.uuid;
      END;
      CREATE TRIGGER entries_named_no_more AFTER DELETE ON entries BEGIN
        UPDATE leaf_titles SET session_id = NULL WHERE leaf = old.uuid;
      END;
    `,
  },
  {
    name: '031-session-labels',
    sql: `
      -- What a person said about a session: a name of their own, a star, tags (a JSON list). Under the agent's own id.
      CREATE TABLE session_labels (
        agent TEXT NOT NULL,
        session TEXT NOT NULL,
        name TEXT,
        starred INTEGER NOT NULL DEFAULT 0,
        tags TEXT NOT NULL DEFAULT '[]',
        at INTEGER NOT NULL,
        PRIMARY KEY (agent, session)
      ) WITHOUT ROWID;
    `,
  },
  {
    name: '032-memory-on-several-machines',
    sql: `
      -- Up to when a forgetting reaches what people wrote or asked to remember; 0: unknown, then it reaches conversations alone.
      ALTER TABLE memory_tombstones ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
      -- Edits hold in the order of their moments, not of their arrival: machines that exchange edits then agree.
      UPDATE memory_edits SET at = n.at FROM (
        SELECT id, max(at - place) OVER (PARTITION BY page ORDER BY id) + place AS at
        FROM (SELECT id, page, at, row_number() OVER (PARTITION BY page ORDER BY id) AS place FROM memory_edits)) n
        WHERE n.id = memory_edits.id;
      -- A person's own lines were counted on each page: two machines gave one number to two lines. Their first moment tells them apart.
      CREATE TEMP TABLE own_lines AS
        SELECT page, target, target || '.' || printf('%x', min(at)) AS name FROM memory_edits WHERE target GLOB 'own:*' GROUP BY page, target;
      UPDATE memory_edits SET target = o.name FROM own_lines o WHERE o.page = memory_edits.page AND o.target = memory_edits.target;
      UPDATE memory_edits SET anchor = o.name FROM own_lines o WHERE o.page = memory_edits.page AND o.target = memory_edits.anchor;
      UPDATE memory_edits SET section = o.name FROM own_lines o WHERE o.page = memory_edits.page AND o.target = memory_edits.section;
      UPDATE memories SET target = o.name FROM own_lines o WHERE o.page = memories.page AND o.target = memories.target;
      UPDATE memory_pages SET
        written_targets = CASE WHEN written_targets IS NULL THEN NULL ELSE (
          SELECT json_group_array(coalesce((SELECT o.name FROM own_lines o WHERE o.page = memory_pages.page AND o.target = j.value), j.value))
          FROM json_each(written_targets) j) END,
        intended_targets = CASE WHEN intended_targets IS NULL THEN NULL ELSE (
          SELECT json_group_array(coalesce((SELECT o.name FROM own_lines o WHERE o.page = memory_pages.page AND o.target = j.value), j.value))
          FROM json_each(intended_targets) j) END
        WHERE page IN (SELECT page FROM own_lines);
      DROP TABLE own_lines;
    `,
  },
  {
    name: '033-notes',
    sql: `
      -- What is not proven yet is few among all that was said.
      CREATE INDEX statements_notes ON statements (page, target) WHERE kind = 'note';
    `,
  },
  {
    name: '034-past-summaries',
    sql: `
      -- What a session came to at the ends of earlier turns; the last account is in summaries.
      CREATE TABLE past_summaries (
        session_id INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
        prompts INTEGER NOT NULL, -- how many prompts it covers
        json TEXT NOT NULL,
        PRIMARY KEY (session_id, prompts)
      ) WITHOUT ROWID;
      -- Sessions whose account is being renewed in this transaction: only then do the earlier ones outlive it.
      CREATE TABLE summaries_renewing (session_id INTEGER PRIMARY KEY);
      CREATE TRIGGER summaries_gone_with_past AFTER DELETE ON summaries
        WHEN NOT EXISTS (SELECT 1 FROM summaries_renewing WHERE session_id = old.session_id) BEGIN
        DELETE FROM past_summaries WHERE session_id = old.session_id;
      END;
    `,
  },
  {
    name: '035-times-of-copies',
    sql: `
      -- Some agents copy history into a fork under new times. The time in the file that owns the entry counts.
      ALTER TABLE entry_copies ADD COLUMN at INTEGER;
    `,
  },
  {
    name: '036-session-usage',
    sql: `
      -- The tokens of a session by model, as JSON, counted when its transcripts had this extent.
      CREATE TABLE session_usage (
        session_id INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
        extent INTEGER NOT NULL,
        models TEXT NOT NULL
      );
    `,
  },
  {
    name: '037-quiet-vectors',
    sql: `
      -- New vectors change what search finds, but nothing that a person sees: they do not wake live viewers.
      ALTER TABLE session_changes ADD COLUMN vectors_only INTEGER NOT NULL DEFAULT 0;
      DROP TRIGGER change_entries;
      CREATE TRIGGER change_entries AFTER INSERT ON session_changes WHEN new.vectors_only = 0 BEGIN
        DELETE FROM changes WHERE kind = 'entries' AND (agent, subject) IN (SELECT agent, session FROM sessions WHERE id = new.session_id);
        INSERT INTO changes (kind, agent, subject) SELECT 'entries', agent, session FROM sessions WHERE id = new.session_id;
      END;
    `,
  },
  {
    name: '038-texts-without-tool-names',
    sql: `
      -- Texts ended with a line that named the tools. Vectors do not rest on that line: they stay.
      DROP TRIGGER entries_added;
      DROP TRIGGER entries_changed;
      UPDATE entries SET text = without_tool_names(text, tools) WHERE tools IS NOT NULL AND instr(text, '[Used tools: ') > 0;
      CREATE TRIGGER entries_added AFTER INSERT ON entries WHEN new.text <> '' BEGIN
        INSERT INTO vector_queue VALUES (0, new.id, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      CREATE TRIGGER entries_changed AFTER UPDATE OF text ON entries WHEN old.text <> new.text BEGIN
        DELETE FROM vectors WHERE kind = 0 AND subject_id = new.id;
        INSERT INTO vector_queue VALUES (0, new.id, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
      END;
      -- The index of words follows in the background: see renewal.ts.
      UPDATE facts SET value = json_set(value, '$.version', 3, '$.entries', (SELECT coalesce(max(id), 0) FROM entries))
        WHERE name = 'derived';
    `,
  },
  {
    name: '039-repositories',
    sql: `
      -- NULL until the folder was looked at; empty if it is in no repository.
      ALTER TABLE projects ADD COLUMN repository TEXT;
    `,
  },
  {
    name: '040-vectors-with-entries',
    sql: `
      -- An import stores most vectors together with their entries. It queues the other entries itself.
      DROP TRIGGER entries_added;
    `,
  },
  {
    name: '041-uses-of-sessions',
    sql: `
      -- Every page about a session shows this count. Counting reads all entries of the session.
      ALTER TABLE sessions ADD COLUMN tool_uses INTEGER NOT NULL DEFAULT 0;
      UPDATE sessions SET tool_uses =
        (SELECT count(*) FROM entries e JOIN tool_uses t ON t.entry_id = e.id WHERE e.session_id = sessions.id);
      -- Few entries use tools, and what a session changed and committed is in those.
      CREATE INDEX entries_with_tools ON entries (session_id, pos) WHERE tools IS NOT NULL;
    `,
  },
  {
    name: '042-tools-without-entries',
    sql: `
      -- With these columns, the tool uses of a session are found without reading its entries.
      DROP INDEX entries_with_tools;
      CREATE INDEX entries_with_tools ON entries (session_id, pos, abandoned, file_id) WHERE tools IS NOT NULL;
    `,
  },
  {
    name: '043-parts-of-summaries',
    sql: `
      -- Readers found the outcome and the commits of a session in the wording of 'completed'.
      ALTER TABLE summaries ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
      ALTER TABLE summaries ADD COLUMN commits TEXT NOT NULL DEFAULT '[]';
      UPDATE summaries SET outcome = outcome_in(completed), commits = commits_in(completed);
      UPDATE past_summaries SET json = json_set(json, '$.outcome', outcome_in(json ->> '$.completed'),
        '$.commits', json(commits_in(json ->> '$.completed'))) WHERE json_valid(json);
    `,
  },
  {
    name: '044-choices',
    sql: `
      -- Readers found the question and the answer of a person's choice in the wording of the statement.
      ALTER TABLE statements ADD COLUMN question TEXT NOT NULL DEFAULT '';
      ALTER TABLE statements ADD COLUMN answer TEXT NOT NULL DEFAULT '';
      ALTER TABLE memories ADD COLUMN question TEXT NOT NULL DEFAULT '';
      ALTER TABLE memories ADD COLUMN answer TEXT NOT NULL DEFAULT '';
      UPDATE statements SET question = question_in(text), answer = answer_in(text)
        WHERE source = 'conversation' AND text LIKE 'Asked “%';
      UPDATE memories SET question = question_in(text), answer = answer_in(text)
        WHERE source = 'conversation' AND text LIKE 'Asked “%';
    `,
  },
  {
    name: '045-project-labels',
    sql: `
      -- The name that tells a project apart from others with the same name. NULL: its name is enough.
      ALTER TABLE projects ADD COLUMN label TEXT;
      UPDATE projects SET label =
        project_label(path, name, (SELECT json_group_array(path) FROM
          (SELECT q.path FROM projects q WHERE q.name = projects.name LIMIT 101)));
    `,
  },
  {
    name: '046-statement-forms',
    sql: `
      -- Readers recognised decisions of commits, plans and remarks by the first words of the statement.
      ALTER TABLE statements ADD COLUMN form TEXT NOT NULL DEFAULT '';
      ALTER TABLE memories ADD COLUMN form TEXT NOT NULL DEFAULT '';
      UPDATE statements SET form = form_in(text) WHERE source = 'conversation';
      UPDATE memories SET form = form_in(text) WHERE source = 'conversation';
    `,
  },
  {
    name: '047-marks-of-entries',
    sql: `
      -- Search read every row for these two marks when it loaded.
      DROP INDEX entries_by_session;
      CREATE INDEX entries_by_session ON entries
        (session_id, pos, file_id, at, role, subagent IS NOT NULL, abandoned, length(text), author = 'person', tools IS NOT NULL);
    `,
  },
  {
    name: '048-endings',
    sql: `
      -- Readers found the name that a commit removed, and the title that it amended, in the key of the statement.
      ALTER TABLE statements ADD COLUMN ends_by TEXT NOT NULL DEFAULT '';
      ALTER TABLE statements ADD COLUMN ends TEXT NOT NULL DEFAULT '';
      UPDATE statements SET ends_by = ending_in(key, 'by'), ends = ending_in(key, 'of') WHERE kind = 'retired';
    `,
  },
  {
    name: '049-changes-that-show',
    sql: `
      -- New vectors no longer count as changes of a session, so each change is one that a person may see.
      DROP TRIGGER change_entries;
      ALTER TABLE session_changes DROP COLUMN vectors_only;
      CREATE TRIGGER change_entries AFTER INSERT ON session_changes BEGIN
        DELETE FROM changes WHERE kind = 'entries' AND (agent, subject) IN (SELECT agent, session FROM sessions WHERE id = new.session_id);
        INSERT INTO changes (kind, agent, subject) SELECT 'entries', agent, session FROM sessions WHERE id = new.session_id;
      END;
    `,
  },
];

/** "HFst": marks a SQLite file as Holdfast's. */
const applicationId = 0x48467374;

/**
 * Migrates the database to this version. Refuses a database of a newer version or of another program before writing
 * anything. `before` runs when a database with content is about to change.
 */
export function migrate(db: Database, location: string, before?: () => void): void {
  refuseForeign(db, location);
  if (pending(db).length === 0) return;
  // A new database has nothing to lose.
  if (applied(db).length > 0) before?.();
  writeAhead(db);
  db.function('without_tool_names', { deterministic: true }, (text, tools) =>
    withoutToolNames(String(text), JSON.parse(String(tools)) as string[]),
  );
  db.function('outcome_in', { deterministic: true }, (completed) => partsOfCompleted(String(completed)).outcome);
  db.function('commits_in', { deterministic: true }, (completed) =>
    JSON.stringify(partsOfCompleted(String(completed)).commits),
  );
  for (const part of ['question', 'answer'] as const)
    db.function(`${part}_in`, { deterministic: true }, (text) => choiceIn(String(text))?.[part] ?? '');
  db.function('form_in', { deterministic: true }, (text) => formIn(String(text)) ?? '');
  db.function('ending_in', { deterministic: true }, (key, part) => endingIn(String(key))?.[part as 'by' | 'of'] ?? '');
  db.function('project_label', { deterministic: true }, (path, name, paths) =>
    labelOf(String(path), String(name), JSON.parse(String(paths)) as string[]),
  );
  db.transaction(() => {
    refuseForeign(db, location);
    db.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) WITHOUT ROWID');
    const note = db.prepare("INSERT INTO migrations (name, applied_at) VALUES (?, datetime('now'))");
    for (const { name, sql } of pending(db)) {
      db.exec(sql);
      note.run(name);
    }
    db.pragma(`application_id = ${applicationId}`);
  }).immediate();
}

const applied = (db: Database): string[] =>
  hasTable(db, 'migrations') ? (db.prepare('SELECT name FROM migrations').pluck().all() as string[]) : [];

const pending = (db: Database): Migration[] => {
  const done = new Set(applied(db));
  return migrations.filter(({ name }) => !done.has(name));
};

/** Whether the database has every migration of this version, and none that this version does not know. */
export const isUpToDate = (db: Database): boolean => {
  const known = new Set(migrations.map(({ name }) => name));
  return pending(db).length === 0 && applied(db).every((name) => known.has(name));
};

function refuseForeign(db: Database, location: string): void {
  const known = new Set(migrations.map(({ name }) => name));
  const newer = applied(db).filter((name) => !known.has(name));
  if (newer.length > 0) {
    throw new HoldfastError(
      'STORE_NEWER',
      `${location} was written by a newer version of Holdfast (${newer.join(', ')})`,
      {
        hint: 'Update Holdfast, or set HOLDFAST_HOME to another folder. The database was not touched.',
      },
    );
  }
  const tables = db.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table'").pluck().get() as number;
  if (tables > 0 && !hasTable(db, 'migrations')) {
    throw new HoldfastError('STORE_DAMAGED', `${location} is a database of another program`, {
      hint: 'Set HOLDFAST_HOME to another folder. The database was not touched.',
    });
  }
}

const hasTable = (db: Database, name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
