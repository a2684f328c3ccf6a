// A data folder of a version that stored the names of tools in the texts: SIGKILL at each call that makes the migration durable, an import
// of the same transcripts, and an export from that version.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { indexText } from '../../src/store/search/index-text.ts';
import { because } from '../because.ts';
import { ask, type Place, place, root, temporaryFolder } from './holdfast.ts';
import { killAtEach, noTrace } from './kill-at.ts';
import { expectSameRows, type Rows, rowsOf } from './rows.ts';

const asBefore = (text: string, tools: readonly string[]): string =>
  `${text === '' ? '' : `${text}\n`}[Used tools: ${tools.join(', ')}]`;

/** Puts the names back into texts and index, as the older version wrote them. */
function age(database: string): number {
  const db = new Database(database);
  try {
    const triggers = db
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'entries'")
      .all() as { name: string; sql: string }[];
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    const rows = db.prepare('SELECT id, text, tools FROM entries WHERE tools IS NOT NULL').all() as {
      id: number;
      text: string;
      tools: string;
    }[];
    for (const { id, text, tools } of rows) {
      const older = asBefore(text, JSON.parse(tools) as string[]);
      db.prepare('UPDATE entries SET text = ? WHERE id = ?').run(older, id);
      db.prepare('DELETE FROM entries_fts WHERE rowid = ?').run(id);
      db.prepare('INSERT INTO entries_fts (rowid, text) VALUES (?, ?)').run(id, indexText(older));
    }
    for (const { sql } of triggers) db.exec(sql);
    // A later migration has dropped this trigger.
    db.exec(`DELETE FROM migrations WHERE name IN ('038-texts-without-tool-names', '040-vectors-with-entries');
      CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN SELECT 1; END;
      UPDATE facts SET value = json_set(value, '$.version', 2) WHERE name = 'derived'`);
    return rows.length;
  } finally {
    db.close();
  }
}

interface Older {
  readonly own: Place;
  readonly origin: string;
  /** The rows of a fresh import by this version. */
  readonly fresh: Rows;
}

async function older(): Promise<Older> {
  const own = place();
  cpSync(path.join(root, 'demo/claude-code/projects'), own.claude, { recursive: true });
  await ask(own.env, 'ingest');
  const fresh = rowsOf(own.database);
  expect(age(own.database)).toBeGreaterThan(10);
  const origin = path.join(temporaryFolder(), 'origin');
  cpSync(own.home, origin, { recursive: true });
  return { own, origin, fresh };
}

function again({ own, origin }: Older): void {
  rmSync(own.home, { recursive: true, force: true });
  cpSync(origin, own.home, { recursive: true });
}

it('its rows become those of a fresh import: texts, index and vectors; reading the transcripts again adds nothing', async () => {
  const { own, fresh } = await older();
  await ask(own.env, 'ingest');
  expectSameRows(rowsOf(own.database), fresh, 'migrated');
  expect(await ask(own.env, 'ingest', '--reimport')).toMatchObject({ entries: { added: 0 } });
  expectSameRows(rowsOf(own.database), fresh, 'read again');
});

it('its export gives the same entries as the transcripts, and importing it twice adds nothing', async () => {
  const { own, fresh } = await older();
  const file = path.join(temporaryFolder(), 'export.jsonl');
  await ask(own.env, 'export', file);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      const row = line === '' ? undefined : JSON.parse(line);
      return row?.is === 'entry' && row.tools.length > 0
        ? JSON.stringify({ ...row, text: asBefore(row.text, row.tools) })
        : line;
    });
  writeFileSync(file, lines.join('\n'));
  const other = place();
  await ask(other.env, 'import', file);
  const imported = rowsOf(other.database);
  expect(imported.get('entries')).toEqual(fresh.get('entries'));
  expect(imported.get('search index')).toEqual(fresh.get('search index'));
  await ask(other.env, 'import', file);
  expect(rowsOf(other.database).get('entries')).toEqual(fresh.get('entries'));
});

describe.skipIf(noTrace)(because('the migration, killed at each call that makes a change durable', noTrace), () => {
  it('leaves the rows of a fresh import after the next start', async () => {
    const stand = await older();
    const { own, fresh } = stand;
    const kills = await killAtEach(
      own,
      () => {
        again(stand);
        return ['ingest'];
      },
      async (round) => {
        await ask(own.env, 'ingest');
        expectSameRows(rowsOf(own.database), fresh, `killed at call ${round}`);
      },
    );
    expect(kills).toBeGreaterThan(3);
  });
});
