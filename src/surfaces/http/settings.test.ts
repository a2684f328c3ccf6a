// Which settings a browser may change, and what takes too long for the worker itself.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStand, type Stand } from '../../../test/http-stand.ts';
import { settingList } from '../../schema/settings.ts';
import { operationRoutes } from './operation-routes.ts';
import type { Caller } from './route.ts';

let stand: Stand;
let file: string;
beforeEach(async () => {
  stand = await openStand();
  file = stand.holdfast.config.filePath;
});
afterEach(() => stand.close());

const set = (key: string, value: string) => stand.post('/api/config/set', { key, value }, stand.tokens.full);

it('a setting is changed in the file and shown at once, and its default applies again when it is removed', async () => {
  expect((await set('budget.tokensPerDay', '1234')).json).toMatchObject({ value: 1234, origin: 'file', stored: 1234 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ budget: { tokensPerDay: 1234 } });
  const shown = async () =>
    (await stand.get('/api/config/list')).json.settings.find(
      (one: { key: string }) => one.key === 'budget.tokensPerDay',
    );
  expect(await shown()).toMatchObject({ value: 1234, origin: 'file', kind: 'number', atTerminal: false });
  const { json } = await stand.post('/api/config/unset', { key: 'budget.tokensPerDay' }, stand.tokens.full);
  expect(json).toMatchObject({ value: 500_000, origin: 'default', removed: true });
  expect(await shown()).toMatchObject({ value: 500_000, origin: 'default' });
});

it('a bad value changes nothing, and the error names the allowed values', async () => {
  writeFileSync(file, '{"vault":false}\n');
  const { status, json } = await set('budget.tokensPerDay', 'lots');
  expect([status, json.error.code]).toEqual([400, 'BAD_INPUT']);
  expect(json.error.hint).toContain('whole number');
  expect((await set('no.such', '1')).status).toBe(400);
  expect(readFileSync(file, 'utf8')).toBe('{"vault":false}\n');
});

it('a bad value in the file can be repaired, and other bad values are reported', async () => {
  writeFileSync(file, '{"vault":"perhaps","timeZone":"Mars/Olympus"}\n');
  const { status, json } = await set('vault', 'off');
  expect([status, json.error.code]).toEqual([400, 'BAD_INPUT']);
  expect(json.error.message).toMatch(/^vault is false in the file now, but .*timeZone is "Mars\/Olympus"/);
  expect((await stand.post('/api/config/unset', { key: 'timeZone' }, stand.tokens.full)).json.removed).toBe(true);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ vault: false });
});

it('programs, folders, addresses, keys and what agents may do can only be changed at the terminal', async () => {
  const kept = settingList.filter(({ atTerminal }) => atTerminal).map(({ key }) => key);
  expect(kept).toEqual(
    expect.arrayContaining([
      ...['distill.program', 'distill.url', 'distill.key', 'embedding.url', 'host.program', 'host.engine'],
      ...['host.sandbox', 'host.network', 'memoryPath', 'archivePath', 'agents.claude-code.watchPath', 'port'],
    ]),
  );
  for (const key of kept)
    for (const path of ['/api/config/set', '/api/config/unset']) {
      const body = path.endsWith('unset') ? { key } : { key, value: '/srv/elsewhere' };
      const { status, json } = await stand.post(path, body, stand.tokens.full);
      expect([key, status, json.error.hint]).toEqual([key, 403, `holdfast config set ${key} <value>`]);
    }
  expect(existsSync(file)).toBe(false);
});

it('a long check runs in a separate process, once for any number of callers', async () => {
  const started: string[] = [];
  let finish: (report: unknown) => void = () => {};
  const apart = (words: readonly string[]) => {
    started.push(words.join(' '));
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const routes = operationRoutes({ ...stand.holdfast.context, apart });
  const doctor = routes.find(({ path }) => path === '/api/doctor');
  const ask = () => doctor?.run({}, {} as Caller);
  const asked = [ask(), ask()];
  finish({ ok: true });
  expect(await Promise.all(asked)).toEqual([{ ok: true }, { ok: true }]);
  void ask();
  expect(started).toEqual(['doctor', 'doctor']);
});
