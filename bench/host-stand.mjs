// A data folder for benches of the host: the real client and SDK, and a mock of the model's API.
import fs from 'node:fs';
import path from 'node:path';
import { openHoldfast } from '../dist/app/open.js';
import { installClients, installSdk } from '../scripts/setup.mjs';
import { scratchFolder } from './corpus.mjs';
import { startMock } from './mock.mjs';

/** `settings` are further variables of the environment. */
export async function hostStand(settings = {}) {
  await installClients();
  await installSdk();
  const cache = new URL('../node_modules/.cache/', import.meta.url).pathname;
  const folder = fs.realpathSync(scratchFolder());
  const mock = await startMock(folder);
  const home = path.join(folder, 'data');
  fs.mkdirSync(home, { mode: 0o700 });
  fs.symlinkSync(path.join(cache, 'sdk/node_modules'), path.join(home, 'node_modules'));
  const env = {
    PATH: process.env.PATH,
    HOME: path.join(folder, 'user'),
    HOLDFAST_HOME: home,
    HOLDFAST_HOST_PROGRAM: path.join(cache, 'clients/2.1.325/claude'),
    ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
    ANTHROPIC_BASE_URL: mock.url,
    ...settings,
  };
  return { mock, home, env, holdfast: await openHoldfast(env) };
}
