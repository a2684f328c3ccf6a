// The vault and a list of ignored folders that changes while the worker runs.
import fs from 'node:fs';
import zlib from 'node:zlib';
import { expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { copyPath, fillVault } from './vault.ts';

it('a folder that was put on the ignore list after the start is not copied', async () => {
  const memory = await emptyMemory();
  const { store, config } = memory.context;
  const say = (session: string, folder: string, text: string) =>
    tell(memory, session, folder, '2026-10-01T10:00:00Z', [{ by: 'user', text }]);
  await say('open', '/srv/app', 'To the point');
  await say('closed', '/srv/diary', 'Dear diary');
  fs.writeFileSync(config.filePath, JSON.stringify({ ignore: ['/srv/diary'] }));
  await fillVault(memory.context, { quietMs: Number.NEGATIVE_INFINITY });

  const copies = (await store.vault.copies()).map(({ agent, key }) => copyPath(config, agent, key));
  const kept = copies
    .filter((file) => fs.existsSync(file))
    .map((file) => zlib.gunzipSync(fs.readFileSync(file)).toString('utf8'))
    .join('');
  expect(kept).toContain('To the point');
  expect(kept).not.toContain('Dear diary');
});
