// A database as claude-mem writes it: the tables that Holdfast reads, and one that it does not.
import Database from 'better-sqlite3';

/** `old`: the column names of the ids in its first versions. */
export function claudeMemDatabase(file: string, { old = false }: { old?: boolean } = {}): Database.Database {
  const [content, memory] = old ? ['claude_session_id', 'sdk_session_id'] : ['content_session_id', 'memory_session_id'];
  const db = new Database(file);
  db.exec(`
    CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, ${content} TEXT UNIQUE NOT NULL, ${memory} TEXT UNIQUE,
      project TEXT NOT NULL, ${old ? '' : "platform_source TEXT NOT NULL DEFAULT 'claude',"} user_prompt TEXT, started_at TEXT NOT NULL,
      started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER, status TEXT NOT NULL DEFAULT 'active');
    CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, ${memory} TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
      type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
      prompt_number INTEGER, ${old ? '' : 'discovery_tokens INTEGER DEFAULT 0,'} created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
    CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, ${memory} TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
      investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
      prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
    CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, ${content} TEXT NOT NULL, prompt_number INTEGER NOT NULL,
      prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
  `);
  if (!old)
    db.exec(`CREATE TABLE directives (id INTEGER PRIMARY KEY, content TEXT NOT NULL);
      INSERT INTO directives (content) VALUES ('Always answer in verse')`);
  return db;
}

export interface ClaudeMemSession {
  readonly session: string;
  readonly project: string;
  readonly at: string;
  readonly source?: string;
  readonly prompts?: readonly string[];
  readonly observations?: readonly { prompt: number | null; type?: string; title: string; facts?: readonly string[] }[];
  readonly summary?: { readonly request: string; readonly completed: string; readonly nextSteps: string };
}

/** One minute between prompts, and half a minute to their observations. */
export function addSession(db: Database.Database, told: ClaudeMemSession): void {
  const columns = (table: string) => (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const old = columns('sdk_sessions').includes('claude_session_id');
  const [content, memory] = old ? ['claude_session_id', 'sdk_session_id'] : ['content_session_id', 'memory_session_id'];
  const start = Date.parse(told.at);
  const times = (ms: number) => ({ created_at: new Date(ms).toISOString(), created_at_epoch: ms });
  const insert = (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row).filter((name) => columns(table).includes(name));
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(
      row,
    );
  };
  const { project, source = 'claude' } = told;
  const own = { [content as string]: told.session, [memory as string]: `memory-${told.session}`, project };
  insert('sdk_sessions', { ...own, platform_source: source, started_at: told.at, started_at_epoch: start });
  told.prompts?.forEach((text, i) => {
    insert('user_prompts', { ...own, prompt_number: i + 1, prompt_text: text, ...times(start + i * 60_000) });
  });
  told.observations?.forEach(({ prompt, type = 'change', title, facts = [] }, i) => {
    insert('observations', {
      ...own,
      ...{
        type,
        title,
        subtitle: `${title}, in short`,
        facts: JSON.stringify(facts),
        narrative: `${title}, at length.`,
      },
      ...{ concepts: '["how-it-works"]', files_read: '["src/a.ts"]', files_modified: '["src/b.ts"]' },
      ...{ prompt_number: prompt, discovery_tokens: 100, ...times(start + ((prompt ?? 1) - 1) * 60_000 + 30_000 + i) },
    });
  });
  if (told.summary !== undefined) {
    const { request, completed, nextSteps } = told.summary;
    const rest = { investigated: '', learned: 'Much', notes: '', files_edited: '["src/b.ts"]' };
    insert('session_summaries', {
      ...own,
      request,
      completed,
      next_steps: nextSteps,
      ...rest,
      ...times(start + 600_000),
    });
  }
}
