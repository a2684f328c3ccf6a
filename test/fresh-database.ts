// An empty database for a test: a copy of one that has all migrations. To migrate each takes ten times as long.
import fs from 'node:fs';
import path from 'node:path';
import { type Config, ensureHome, loadConfig } from '../src/config/config.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';

let template: Promise<Buffer> | undefined;

async function migrated(folder: string): Promise<Buffer> {
  const file = path.join(folder, 'template.db');
  await (await openSqliteStore(file)).close();
  const bytes = fs.readFileSync(file);
  fs.rmSync(file);
  return bytes;
}

/** The memory that the environment names exists afterwards. One that exists already stays as it is. */
export async function freshDatabase(env: NodeJS.ProcessEnv): Promise<Config> {
  const config = loadConfig(env);
  ensureHome(config);
  template ??= migrated(config.home);
  if (!fs.existsSync(config.databasePath)) fs.writeFileSync(config.databasePath, await template, { mode: 0o600 });
  return config;
}
