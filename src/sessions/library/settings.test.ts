// 16: the settings are for agents that use our configuration. The library itself reads no settings.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/config.ts';
import { autosave, SessionManager } from './index.ts';

it('16: an agent can take session.autoSave and session.maxSessions from the configuration', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-session-settings-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  expect(loadConfig({ HOME: folder }).settings.session).toEqual({ autoSave: true, maxSessions: 50 });
  const env = { HOME: folder, HOLDFAST_SESSION_AUTO_SAVE: 'false', HOLDFAST_SESSION_MAX_SESSIONS: '2' };
  const { autoSave, maxSessions } = loadConfig(env).settings.session;
  const manager = new SessionManager({ sessionDir: path.join(folder, 'sessions'), maxSessions });
  for (const name of ['a', 'b', 'c']) await manager.saveSession([{ role: 'user', content: name }], { name });
  expect(await manager.listSessions()).toHaveLength(2);
  const saving = autosave(manager, () => [{ role: 'user', content: 'd' }], { autoSave, name: 'd', debounceMs: 0 });
  saving.note('response');
  await saving.close();
  expect((await manager.listSessions()).map(({ id }) => id)).not.toContain('d');
});
