import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { autosave } from './autosave.ts';
import { SessionManager } from './manager.ts';
import type { StoredMessage } from './shape.ts';

let folder: string;
let manager: SessionManager;
let messages: StoredMessage[];
const say = (text: string) => messages.push({ role: 'user', content: text });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sessions-'));
  manager = new SessionManager({ sessionDir: folder });
  messages = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('16: events in quick succession cause one save, and all saves go to one session', async () => {
  const save = vi.spyOn(manager, 'saveSession');
  const saving = autosave(manager, () => messages, { debounceMs: 20, signals: [] });
  for (let i = 0; i < 10; i++) {
    say(`message ${i}`);
    saving.note('user-message');
  }
  await expect.poll(() => manager.listSessions()).toHaveLength(1);
  expect(save).toHaveBeenCalledTimes(1);
  say('one more');
  saving.note('response');
  await saving.close();
  expect(await manager.listSessions()).toMatchObject([{ messageCount: 11 }]);
});

it('16: autoSave: false saves only on request', async () => {
  const saving = autosave(manager, () => messages, { autoSave: false, debounceMs: 1 });
  expect(process.listeners('SIGTERM')).toEqual([]);
  say('quiet');
  saving.note('tool');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(await manager.listSessions()).toEqual([]);
  expect(await saving.flush()).toMatchObject({ messageCount: 1 });
  await saving.close();
});

it('16: an empty conversation is not saved', async () => {
  const saving = autosave(manager, () => messages, { signals: [] });
  saving.note('tool');
  expect(await saving.flush()).toBeUndefined();
  await saving.close();
  expect(await manager.getLastSession()).toBeNull();
});

it('16: a failed save is reported, and the next event tries again', async () => {
  const errors: unknown[] = [];
  vi.spyOn(manager, 'saveSession').mockRejectedValueOnce(new Error('disk full'));
  const saving = autosave(manager, () => messages, {
    debounceMs: 1,
    signals: [],
    onError: (error) => errors.push(error),
  });
  say('first');
  saving.note('user-message');
  await expect.poll(() => errors).toHaveLength(1);
  say('second');
  saving.note('response');
  await expect.poll(() => manager.listSessions()).toMatchObject([{ messageCount: 2 }]);
  await saving.close();
});
