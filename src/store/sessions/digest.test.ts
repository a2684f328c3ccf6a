import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../sqlite/open.ts';
import type { Store } from '../store.ts';
import { digestSql } from './digest.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-digest-'));
  store = await openSqliteStore(path.join(folder, 'x.db'));
});

afterEach(async () => {
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

describe('the queries of a briefing', () => {
  it.each(Object.entries(digestSql))('%s uses indexes and sorts no table', (name, sql) => {
    const db = new Database(path.join(folder, 'x.db'), { readonly: true });
    const values = sql.match(/\?/g)?.map(() => 1) ?? [];
    const plan = (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]).map(
      ({ detail }) => detail,
    );
    db.close();
    for (const step of plan) expect(step).not.toMatch(/^SCAN [est]\b/);
    if (['prompts', 'recent', 'digest'].includes(name)) expect(plan.join('\n')).toContain('entries_by_person');
    if (['entries', 'toolUses'].includes(name)) expect(plan.join('\n')).toContain('entries_by_session');
    if (name === 'touches') expect(plan.join('\n')).toContain('entries_with_tools');
    if (['recent', 'prompts', 'touches'].includes(name)) expect(plan.join('\n')).not.toContain('TEMP B-TREE');
  });
});

describe('given briefings', () => {
  const one = { agent: 'claude-code', session: 'abc', project: 'shop', at: 1, source: 'startup', text: 'a' } as const;

  it('are stored, newest first, and found by the beginning of the session id', async () => {
    await store.briefings.save(one);
    await store.briefings.save({ ...one, at: 2, source: 'compact', text: 'b' });
    await store.briefings.save({ ...one, at: 3, session: 'xyz' });
    expect((await store.briefings.list({ session: 'ab', limit: 10 })).map(({ text }) => text)).toEqual(['b', 'a']);
    expect((await store.briefings.list({ limit: 2 })).map(({ session }) => session)).toEqual(['xyz', 'abc']);
    expect(await store.briefings.list({ session: 'q', limit: 10 })).toEqual([]);
  });

  it('are stored once when the same text comes twice', async () => {
    await store.briefings.save(one);
    await store.briefings.save({ ...one, at: 2 });
    expect(await store.briefings.list({ limit: 10 })).toHaveLength(1);
  });
});

describe('links of moved folders', () => {
  const link = (from: string, to: string) => store.projects.link({ from, to }, []);

  it("lead to the folder's current path, also after it moves on or back", async () => {
    await link('/a', '/b');
    await link('/b', '/c');
    expect(await store.projects.links()).toEqual([
      { from: '/a', to: '/c' },
      { from: '/b', to: '/c' },
    ]);
    await link('/c', '/a');
    expect(await store.projects.links()).toEqual([
      { from: '/b', to: '/a' },
      { from: '/c', to: '/a' },
    ]);
  });
});

describe('pins', () => {
  it('an item is pinned or muted, not both', async () => {
    const key = { kind: 'session', id: 's', agent: 'pi' } as const;
    await store.pins.set(key, 'pinned', 1);
    await store.pins.set(key, 'muted', 2);
    expect(await store.pins.list()).toMatchObject([{ mark: 'muted', id: 's', agent: 'pi' }]);
    expect(await store.pins.remove(key, 'pinned')).toBe(false);
    expect(await store.pins.remove(key, 'muted')).toBe(true);
    expect(await store.pins.list()).toEqual([]);
  });
});
