import fs from 'node:fs';
import { z } from 'zod';
import { copyPath, fillVault, vaultFolder } from '../../capture/vault/vault.ts';
import { type Context, operation } from '../operation.ts';

export const vault = operation({
  name: 'vault',
  ending: 'guarded',
  summary: 'Show how many transcripts are kept for resuming; with --fill, copy what is missing now',
  input: z.object({
    fill: z.boolean().default(false).describe('copy what is missing, without waiting for the worker'),
  }),
  output: z.object({
    folder: z.string(),
    enabled: z.boolean(),
    keptDays: z.int().describe('0: no expiry'),
    transcripts: z.int(),
    bytes: z.int().describe('on disk'),
    read: z.int().describe('bytes of the transcripts that the copies cover'),
    due: z.int().describe('transcripts that are not fully copied'),
    missing: z.int().describe('copies whose file is gone'),
  }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  examples: ['holdfast vault', 'holdfast vault --fill'],
  async run(context: Context<'pauses' | 'projects' | 'removal' | 'transcripts' | 'vault'>, { fill }) {
    const { store, config } = context;
    if (fill) await fillVault(context, { quietMs: 0 });
    const copies = await store.vault.copies();
    const sum = (of: (copy: (typeof copies)[number]) => number) => copies.reduce((all, copy) => all + of(copy), 0);
    return {
      folder: vaultFolder(config),
      enabled: config.settings.vault,
      keptDays: config.settings.vaultDays,
      transcripts: copies.length,
      bytes: sum(({ bytes }) => bytes),
      read: sum(({ offset }) => offset),
      due: (await store.vault.due()).length,
      missing: copies.filter(({ agent, key }) => !fs.existsSync(copyPath(config, agent, key))).length,
    };
  },
});
