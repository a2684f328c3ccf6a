import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openSqliteStore } from './open.ts';

const require = createRequire(import.meta.url);

/** Another process that holds the write lock of the database for a while. Resolves when it has begun. */
async function writerOf(file: string, heldMs: number) {
  const script = `
    const db = new (require(${JSON.stringify(require.resolve('better-sqlite3'))}))(${JSON.stringify(file)});
    db.exec('BEGIN IMMEDIATE');
    process.stdout.write('begun');
    setTimeout(() => db.exec('COMMIT'), ${heldMs});
  `;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { ended };
}

it('opening a new database waits for another process that has begun to write it', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'holdfast-open-')), 'holdfast.db');
  new Database(file).close();
  const writer = await writerOf(file, 400);
  const store = await openSqliteStore(file);
  expect(await store.sessions.list({})).toBeDefined();
  await store.close();
  expect(await writer.ended).toEqual([0, null]);
});
