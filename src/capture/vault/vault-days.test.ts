// How long copies of transcripts are kept.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { claudeCode } from '../../agents/claude-code/index.ts';
import { copyPath, fillVault, thinVault } from './vault.ts';
import { restoreSession } from './vault-restore.ts';

const day = 86_400_000;

it('copies that have not grown for vaultDays are removed with their bytes; 0 keeps all; a transcript that continues is copied whole again', async () => {
  const memory = await emptyMemory();
  const { store, config, clock } = memory.context;
  const keeping = (vaultDays: number, now: number) => ({
    store,
    config: { ...config, settings: { ...config.settings, vaultDays } },
    clock: () => now,
  });
  const say = (session: string, ...texts: string[]) =>
    tell(
      memory,
      session,
      '/home/dev/tide',
      '2026-10-01T10:00:00Z',
      texts.map((text) => ({ by: 'user', text })),
    );
  const now = clock();
  await say('old', 'Mend the lamp');
  await fillVault(keeping(0, now), { quietMs: Number.NEGATIVE_INFINITY });
  await say('young', 'And the horn');
  await fillVault(keeping(0, now + 20 * day), { quietMs: Number.NEGATIVE_INFINITY });
  const files = async () => (await store.vault.copies()).map(({ agent, key }) => copyPath(config, agent, key));
  const [first, second] = (await files()) as [string, string];

  expect(await thinVault(keeping(0, now + 1000 * day))).toBe(0);
  expect(await thinVault(keeping(30, now + 30 * day))).toBe(0);
  expect(await files()).toEqual([first, second]);

  expect(await thinVault(keeping(30, now + 30 * day + 1))).toBe(1);
  expect(await files()).toEqual([second]);
  expect([first, second].map((file) => fs.existsSync(file))).toEqual([false, true]);
  // The copy does not come back from what was copied before.
  await fillVault(keeping(30, now + 31 * day), { quietMs: Number.NEGATIVE_INFINITY });
  expect(await files()).toEqual([second]);
  expect(await thinVault(keeping(30, now + 31 * day))).toBe(0);

  await say('old', 'Mend the lamp', 'The lamp again');
  await fillVault(keeping(30, now + 32 * day), { quietMs: Number.NEGATIVE_INFINITY });
  const [copy] = await store.vault.sessionCopies('claude-code', 'old');
  const transcript = path.join(config.watchPath(claudeCode), copy?.key ?? '');
  fs.rmSync(transcript);
  await restoreSession(memory.context, 'claude-code', 'old');
  expect(fs.readFileSync(transcript, 'utf8')).toMatch(/Mend the lamp[\s\S]*The lamp again/);
});
