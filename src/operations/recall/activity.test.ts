import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { chunk, entry, rules } from '../../../test/contracts/chunks.ts';
import { demoMemory, emptyMemory, tell } from '../../../test/demo-memory.ts';
import { activitySql } from '../../store/entries/activity.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { activity } from './activity.ts';

const said = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ by: i % 2 === 0 ? 'user' : 'assistant', text: `line ${i}` }) as const);
const asked = { since: '2026-10-01' };

it('counts each entry once: the days, the hours, the projects and the store agree', async () => {
  const { context, store } = await demoMemory();
  const { total, days, hours, projects } = await activity.run(context, { since: '2020-01-01' });
  const counts = await store.entries.counts();
  expect(total).toMatchObject({ entries: counts.entries - counts.subagentEntries, sessions: counts.sessions });
  const sum = (rows: readonly { entries: number; prompts: number }[]) => ({
    entries: rows.reduce((all, { entries }) => all + entries, 0),
    prompts: rows.reduce((all, { prompts }) => all + prompts, 0),
  });
  for (const rows of [days, hours, projects])
    expect(sum(rows)).toEqual({ entries: total.entries, prompts: total.prompts });
  expect(total.prompts).toBeGreaterThan(0);
  expect(total.prompts).toBeLessThan(total.entries);
  expect(projects.map(({ name, sessions }) => [name, sessions])).toEqual(
    (await store.projects.list()).map(({ name, sessions }) => [name, sessions]),
  );
});

it('a session that runs past midnight counts on both days, and once in total', async () => {
  const memory = await emptyMemory();
  await tell(memory, 'night', '/srv/shop', '2026-10-20T23:58:00Z', said(5));
  expect(await activity.run(memory.context, asked)).toMatchObject({
    from: '2026-10-01',
    to: '2026-11-03',
    total: { entries: 5, prompts: 3, sessions: 1 },
    days: [
      { day: '2026-10-20', entries: 2, prompts: 1, sessions: 1 },
      { day: '2026-10-21', entries: 3, prompts: 2, sessions: 1 },
    ],
    hours: [
      { weekday: 2, hour: 23, entries: 2 },
      { weekday: 3, hour: 0, entries: 3 },
    ],
  });
});

it('days are those of the zone, even of one with an offset of three quarters of an hour', async () => {
  const memory = await emptyMemory();
  // 00:10 in Kathmandu, 5:45 ahead; the evening before in New York.
  await tell(memory, 'far', '/srv/shop', '2026-10-20T18:25:00Z', said(1));
  const dayIn = async (timeZone: string) => {
    const { days, hours } = await activity.run(memory.context, { ...asked, timeZone });
    return `${days[0]?.day} ${hours[0]?.hour}`;
  };
  expect(await dayIn('Asia/Kathmandu')).toBe('2026-10-21 0');
  expect(await dayIn('America/New_York')).toBe('2026-10-20 14');
  expect(await dayIn('UTC')).toBe('2026-10-20 18');
});

it('a day of 25 hours has one hour more, and one of 23 has one less; no entry is lost or counted twice', async () => {
  const memory = await emptyMemory();
  const berlin = { timeZone: 'Europe/Berlin' };
  // Clocks go back on 25 October 2026 at 01:00 UTC: half past two comes twice.
  await tell(memory, 'back-1', '/srv/shop', '2026-10-25T00:30:00Z', said(1));
  await tell(memory, 'back-2', '/srv/shop', '2026-10-25T01:30:00Z', said(1));
  await tell(memory, 'back-3', '/srv/shop', '2026-10-25T22:59:00Z', said(1));
  await tell(memory, 'after', '/srv/shop', '2026-10-25T23:00:00Z', said(1));
  const autumn = await activity.run(memory.context, { since: '2026-10-25', until: '2026-10-25', ...berlin });
  expect(autumn).toMatchObject({ from: '2026-10-25', to: '2026-10-25', total: { entries: 3, sessions: 3 } });
  expect(autumn.hours.map(({ hour, entries }) => [hour, entries])).toEqual([
    [2, 2],
    [23, 1],
  ]);
  // And forward on 29 March at 01:00 UTC: there is no half past two.
  await tell(memory, 'before', '/srv/shop', '2026-03-28T22:59:00Z', said(1));
  await tell(memory, 'forth-1', '/srv/shop', '2026-03-28T23:00:00Z', said(1));
  await tell(memory, 'forth-2', '/srv/shop', '2026-03-29T01:30:00Z', said(1));
  await tell(memory, 'forth-3', '/srv/shop', '2026-03-29T21:59:00Z', said(1));
  await tell(memory, 'next', '/srv/shop', '2026-03-29T22:00:00Z', said(1));
  const spring = await activity.run(memory.context, { since: '2026-03-29', until: '2026-03-29', ...berlin });
  expect(spring.hours.map(({ hour, entries }) => [hour, entries])).toEqual([
    [0, 1],
    [3, 1],
    [23, 1],
  ]);
});

it('covers one project if one is named, and always whole days', async () => {
  const memory = await emptyMemory();
  await tell(memory, 'one', '/srv/shop', '2026-10-20T08:00:00Z', said(4));
  await tell(memory, 'two', '/srv/till', '2026-10-20T09:00:00Z', said(2));
  const { total, projects } = await activity.run(memory.context, {
    project: '/srv/till',
    since: '2026-10-20T15:00:00Z',
    until: '2026-10-20T16:00:00Z',
  });
  expect(total).toEqual({ entries: 2, prompts: 1, sessions: 1 });
  expect(projects).toEqual([{ name: 'till', path: '/srv/till', entries: 2, prompts: 1, sessions: 1 }]);
});

it('accepts a time without entries, and refuses an unknown zone and a century', async () => {
  const { context } = await emptyMemory();
  expect(await activity.run(context, asked)).toMatchObject({
    total: { entries: 0 },
    days: [],
    hours: [],
    projects: [],
  });
  expect(activity.input.safeParse({ timeZone: 'Mars/Olympus' }).success).toBe(false);
  await expect(activity.run(context, { since: '1926-01-01' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
});

it('uses the sessions of the time and covering indexes', async () => {
  const { store } = await demoMemory();
  const db = new Database(store.location, { readonly: true });
  const plan = (of: 'entries' | 'prompts') =>
    (db.prepare(`EXPLAIN QUERY PLAN ${activitySql(of)}`).all(1, 2, 1, 2) as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n');
  expect(plan('entries')).toContain('SEARCH e USING COVERING INDEX entries_by_session');
  expect(plan('prompts')).toContain('SEARCH e USING INDEX entries_by_person');
  for (const of of ['entries', 'prompts'] as const) {
    expect(plan(of)).toContain('SEARCH s USING INDEX sessions_by_end');
    expect(plan(of)).not.toMatch(/SCAN [se]\b/);
  }
  db.close();
});

it('counts a session again when it has grown, and not at all when it is gone', async () => {
  const { store } = await emptyMemory();
  const amounts = async () =>
    (await store.entries.activity({ since: 0, until: 9e12 })).map(({ entries, prompts }) => [entries, prompts]);
  await store.transcripts.commit([chunk([entry('a', 'one')])], rules);
  expect(await amounts()).toEqual([[1, 1]]);
  expect(await amounts()).toEqual([[1, 1]]);
  const other = await openSqliteStore(store.location);
  await other.transcripts.commit(
    [chunk([entry('b', 'two', { role: 'assistant', author: 'model' })], { from: 10 })],
    rules,
  );
  await other.close();
  expect(await amounts()).toEqual([[2, 1]]);
  await store.removal.deleteSessions([{ agent: 'claude-code', session: 's1' }], rules);
  expect(await amounts()).toEqual([]);
});
