import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { explain } from '../errors.ts';
import { operation } from './operation.ts';

export const backup = operation({
  name: 'backup',
  summary: 'Write a consistent copy of the database, also while the worker runs',
  input: z.object({
    file: z.string().min(1).optional().describe('where to (default: backups/ in the data folder)'),
  }),
  output: z.object({ file: z.string(), bytes: z.number().int() }),
  surfaces: ['cli'],
  positional: ['file'],
  examples: ['holdfast backup', 'holdfast backup /mnt/usb/holdfast.db'],
  async run({ config, store, clock }, input) {
    const file = resolve(input.file ?? join(config.home, 'backups', `holdfast-${stamp(clock())}.db`));
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw explain(error, dirname(file));
    }
    await store.backup(file);
    return { file, bytes: statSync(file).size };
  },
});

/** A time that can stand in a file name. */
export const stamp = (ms: number): string => new Date(ms).toISOString().replace(/[-:]/g, '').replace('.', '-');
