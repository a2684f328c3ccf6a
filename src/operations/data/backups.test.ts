import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { demoMemory, emptyMemory, type Memory, now, tell } from '../../../test/demo-memory.ts';
import { rowCounts } from '../../store/sqlite/merge-tables.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { doctor } from '../machine/doctor.ts';
import { status } from '../machine/status.ts';
import { rememberThis } from '../memory/memory-change.ts';
import { checkDamage, isBackupDue, keepBackups } from './backups.ts';
import { forget } from './forget.ts';
import { ingest } from './ingest.ts';

const dayMs = 86_400_000;
const folderOf = ({ config }: Memory) => path.join(config.home, 'backups');
const names = (memory: Memory) => (fs.existsSync(folderOf(memory)) ? fs.readdirSync(folderOf(memory)).sort() : []);
const bytesOf = (memory: Memory) =>
  names(memory)
    .map((name) => fs.readFileSync(path.join(folderOf(memory), name), 'latin1'))
    .join();
const at = (memory: Memory, ms: number) => ({ ...memory.context, clock: () => ms });
const set = (memory: Memory, backup: Record<string, unknown>) =>
  fs.writeFileSync(memory.config.filePath, JSON.stringify({ backup }), { mode: 0o600 });

describe('automatic backups', () => {
  it('are made once a day, three at most, and hold everything', async () => {
    const memory = await demoMemory();
    const born = fs.statSync(memory.config.databasePath).birthtimeMs;
    expect(isBackupDue(memory.config, born + dayMs - 1)).toBe(false);
    for (let day = 1; day <= 5; day++)
      for (const hour of [0, 12]) await keepBackups(at(memory, born + day * dayMs + hour * 3_600_000));
    expect(names(memory)).toHaveLength(3);
    const [first = '', , last = ''] = names(memory);
    expect(first < last).toBe(true);
    expect(isBackupDue(memory.config, born + 5 * dayMs + 1000)).toBe(false);
    for (const name of names(memory)) {
      const file = path.join(folderOf(memory), name);
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
      expect(rowCounts(file)).toEqual(rowCounts(memory.config.databasePath));
    }
  });

  it('stay within their limit; none is made if even one is too large, or if they are off', async () => {
    const memory = await demoMemory();
    const later = (day: number) => at(memory, Date.now() + day * dayMs);
    await memory.store.briefings.save({
      ...{ agent: 'claude-code', session: 's', project: 'p', at: 1, source: 'startup' },
      text: 'x'.repeat(3_000_000),
    });
    const sizes = () => names(memory).map((name) => fs.statSync(path.join(folderOf(memory), name)).size);
    await keepBackups(later(2));
    const [size = 0] = sizes();
    expect(size).toBeGreaterThan(3_000_000);
    // Two fit, three do not.
    const maxMb = Math.ceil((size * 2.5) / 1e6);
    set(memory, { maxMb });
    for (const day of [4, 6, 8]) {
      await keepBackups(later(day));
      expect(sizes().reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(maxMb * 1e6);
    }
    expect(names(memory)).toHaveLength(2);
    fs.rmSync(folderOf(memory), { recursive: true });
    set(memory, { maxMb: 1 });
    expect((await keepBackups(later(10))).why).toContain('backup.maxMb');
    set(memory, { automatic: false });
    expect(isBackupDue(memory.config, Date.now() + 100 * dayMs)).toBe(false);
    expect(names(memory)).toEqual([]);
  });

  it('are replaced when something in them is forgotten or redacted by a newer rule', async () => {
    const memory = await demoMemory();
    await tell(memory, 'secretive', '/home/dev/tide', '2026-10-20T09:00:00Z', [
      { by: 'user', text: 'The zanzibarite codeword is quetzalcoatl' },
    ]);
    await rememberThis.run(memory.context, { text: 'The password hint is xylophonist', key: 'hint' });
    await keepBackups(memory.context, true);
    const manual = path.join(folderOf(memory), 'holdfast-mine.db');
    await memory.store.admin.backup(manual);
    expect(bytesOf(memory)).toContain('quetzalcoatl');
    fs.rmSync(manual);
    const [before = ''] = names(memory);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await forget.run({ ...memory.context, clock: () => now + 1 }, { id: 'secretive-e0', dryRun: false, yes: true });
    expect(bytesOf(memory)).not.toMatch(/quetzalcoatl|zanzibarite/);
    expect(names(memory)).toHaveLength(1);
    expect(names(memory)[0]).not.toBe(before);
    const [known] = await memory.store.memory.find('m');
    await forget.run(
      { ...memory.context, clock: () => now + 2 },
      { id: known?.id as string, dryRun: false, yes: true },
    );
    expect(bytesOf(memory)).not.toContain('xylophonist');
    // A later rule: the database is clean, the copy is from before.
    const old = path.join(folderOf(memory), names(memory)[0] as string);
    const db = new Database(old);
    db.exec(`UPDATE facts SET value = json_set(value, '$.done', 0) WHERE name = 'redaction'`);
    db.close();
    await ingest.run({ ...memory.context, clock: () => now + 3 }, { reimport: false });
    expect(fs.existsSync(old)).toBe(false);
    expect(names(memory)).toHaveLength(1);
  });

  it('names a copy that a person made, and does not change it', async () => {
    const memory = await demoMemory();
    const manual = path.join(folderOf(memory), 'holdfast-mine.db');
    fs.mkdirSync(folderOf(memory), { mode: 0o700 });
    await memory.store.admin.backup(manual);
    const [session] = await memory.store.sessions.list({});
    const { left } = await forget.run(memory.context, { id: session?.id as string, dryRun: true, yes: true });
    expect(left.join()).toContain('holdfast-mine.db');
  });

  it('include one from before each migration, among the three', async () => {
    const memory = await demoMemory();
    const { databasePath } = memory.config;
    const before = rowCounts(databasePath);
    for (const days of [3, 2, 1]) await keepBackups(at(memory, Date.now() - days * dayMs), true);
    const [oldest = ''] = names(memory);
    // As if this version had one more migration.
    const db = new Database(databasePath);
    db.exec(`DELETE FROM migrations WHERE name = '020-chat-seen'; ALTER TABLE groups DROP COLUMN chat_seen`);
    db.close();
    const plan = { folder: folderOf(memory), maxBytes: 1e9 };
    await (await openSqliteStore(databasePath, undefined, plan)).close();
    const name = names(memory).at(-1) ?? '';
    expect(names(memory)).toHaveLength(3);
    expect(names(memory)).not.toContain(oldest);
    expect(name).toMatch(/^auto-.*-migration\.db$/);
    expect(rowCounts(path.join(folderOf(memory), name))).toEqual(before);
    // A new database has nothing to lose.
    const fresh = path.join(memory.home, 'fresh', 'holdfast.db');
    fs.mkdirSync(path.dirname(fresh));
    await (await openSqliteStore(fresh, undefined, plan)).close();
    expect(names(memory).at(-1)).toBe(name);
  });

  it('a damaged database replaces no good copy, and status reports it in one line', async () => {
    const memory = await demoMemory();
    await keepBackups(memory.context, true);
    const { databasePath } = memory.config;
    await memory.close();
    const db = new Database(databasePath);
    db.pragma('wal_checkpoint(TRUNCATE)');
    const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = 'entries_by_file'").pluck().all() as number[];
    db.close();
    const fd = fs.openSync(databasePath, 'r+');
    for (const page of pages) fs.writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
    fs.closeSync(fd);
    const store = await openSqliteStore(databasePath);
    const damaged = { store, config: memory.config, clock: () => now + 2 * dayMs };
    await expect(keepBackups(damaged, true)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await store.close();
    expect(names(memory)).toHaveLength(1);
    const [check] = checkDamage(memory.config);
    expect(check).toMatchObject({ ok: false, hint: expect.stringContaining('holdfast recover') });
    for (const report of [await status.run(memory.context, {}), await doctor.run(memory.context, {})]) {
      const found = report.checks.find(({ name }) => name === 'store');
      expect(found?.ok).toBe(false);
      expect(found?.message).not.toContain('\n');
      expect(found?.message).toMatch(/is damaged: a check of its pages found|is damaged or not/);
      expect(found?.message).not.toMatch(/Tree|btree|page \d+|cell/i);
    }
  });

  it('leaves nothing of a copy whose process was killed', async () => {
    const memory = await emptyMemory();
    fs.mkdirSync(folderOf(memory), { mode: 0o700 });
    fs.writeFileSync(path.join(folderOf(memory), 'auto-20261101T000000-000Z.db.999999999.tmp'), 'half');
    await keepBackups(memory.context, true);
    expect(names(memory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(names(memory)).toHaveLength(1);
  });
});
