import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../config/config.ts';
import { liveEvents } from '../../schema/live-event.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import type { LiveDeps } from './hook.ts';
import { openSpool } from './spool.ts';

let home: string;
let folder: string;
let store: Store;
let deps: LiveDeps;
const complaints: unknown[] = [];

beforeEach(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-spool-'));
  folder = path.join(home, 'spool');
  store = await openSqliteStore(path.join(home, 'holdfast.db'));
  const clock = Date.now;
  deps = {
    store,
    config: loadConfig({ HOME: home, HOLDFAST_HOME: home }),
    clock,
    events: liveEvents(clock),
    wake: () => {},
  };
  complaints.length = 0;
});
afterEach(async () => {
  await store.close();
  fs.rmSync(home, { recursive: true, force: true });
});

function leave(name: string, text: string, at = Date.now()): void {
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  fs.writeFileSync(`${file}.new`, text);
  fs.utimesSync(`${file}.new`, at / 1000, at / 1000);
  fs.renameSync(`${file}.new`, file);
}
const payload = (name: string, more: object = {}) =>
  JSON.stringify({ session_id: 's1', hook_event_name: name, cwd: '/w', ...more });
const open = (own = deps) => openSpool(own, (error) => complaints.push(error));
const state = () => store.sessions.state('claude-code', 's1');

it('the spool takes in waiting payloads, oldest first, with the time when they were left', async () => {
  leave('claude-code.9.json', payload('SessionEnd', { reason: 'other' }), Date.parse('2026-02-01T00:00:02Z'));
  leave('claude-code.10.json', payload('SessionStart', { source: 'startup' }), Date.parse('2026-02-01T00:00:01Z'));
  const spool = await open();
  expect(await state()).toMatchObject({
    status: 'completed',
    endReason: 'other',
    updatedAt: '2026-02-01T00:00:02.000Z',
  });
  expect(fs.readdirSync(folder)).toEqual([]);
  await spool.close();
});

it('the spool takes in a new payload at once', async () => {
  const spool = await open();
  leave('claude-code.1.json', payload('SessionEnd', { reason: 'clear' }));
  await expect.poll(state).toMatchObject({ endReason: 'clear' });
  await expect.poll(() => fs.readdirSync(folder)).toEqual([]);
  await spool.close();
});

it('the spool tells the worker of each session that starts, and of nothing else', async () => {
  let starts = 0;
  const note = (event: string) => `\n{"given":"","event":"${event}","payload":${payload(event)}}\n`;
  leave('claude-code.1.note', note('SessionStart'));
  leave('claude-code.2.note', note('SessionEnd'));
  const spool = await open({ ...deps, starts: () => starts++ });
  expect(starts).toBe(1);
  leave('claude-code.3.note', note('SessionStart'));
  await expect.poll(() => starts).toBe(2);
  await spool.close();
});

it('the spool removes invalid payloads and abandoned halves, and waits for the rest of a half-written file', async () => {
  leave('claude-code.1.json', '{"session_id":');
  leave('claude-code.2.json', '[]');
  leave('somebody.3.json', payload('SessionEnd'));
  leave('claude-code.4.tmp', '{"ses');
  leave('claude-code.5.tmp', '{"ses', Date.now() - 2 * 3_600_000);
  const spool = await open();
  expect(fs.readdirSync(folder)).toEqual(['claude-code.4.tmp']);
  expect(complaints).toEqual([]);
  await spool.close();
});

it('3. a failing store loses no payload: the next pass takes it in', async () => {
  leave('claude-code.1.json', payload('SessionEnd', { reason: 'other' }));
  let full = true;
  const failing: Store = {
    ...store,
    sessions: {
      ...store.sessions,
      note: (change) =>
        full ? Promise.reject(new HoldfastError('DISK_FULL', 'No space left')) : store.sessions.note(change),
    },
  };
  const spool = await open({ ...deps, store: failing });
  expect(complaints).toHaveLength(1);
  expect(fs.readdirSync(folder)).toHaveLength(1);
  full = false;
  await spool.drain();
  expect(await state()).toMatchObject({ status: 'completed' });
  expect(fs.readdirSync(folder)).toEqual([]);
  await spool.close();
});

it('3. unreadable settings lose no payload either', async () => {
  const settings = path.join(home, 'config.json');
  fs.writeFileSync(settings, '{ "ignore": [');
  leave('claude-code.1.json', payload('SessionEnd', { reason: 'other', cwd: '/srv/shop' }));
  const spool = await open();
  expect(complaints).toHaveLength(1);
  expect(fs.readdirSync(folder)).toHaveLength(1);
  fs.rmSync(settings);
  await spool.drain();
  expect(await state()).toMatchObject({ status: 'completed', endReason: 'other' });
  expect(fs.readdirSync(folder)).toEqual([]);
  await spool.close();
});
