import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { backupFolder, stamp } from '../../store/sqlite/backup-files.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';

export const backup = operation({
  name: 'backup',
  ending: 'guarded',
  summary: 'Write a consistent copy of the database, also while the worker runs',
  input: z.object({
    file: z.string().min(1).optional().describe('where to write it (default: backups/ in the data folder)'),
    rotate: z
      .boolean()
      .optional()
      .describe('as the worker does each day: make a copy only when one is due, and keep the newest three'),
  }),
  output: z.object({
    file: z.string().describe('empty: no copy was made'),
    bytes: z.number().int(),
    removed: z.array(z.string()).optional().describe('removed copies that held something forgotten since'),
    why: z.string().optional().describe('why no copy was made'),
  }),
  surfaces: ['cli'],
  positional: ['file'],
  examples: ['holdfast backup', 'holdfast backup /mnt/usb/holdfast.db', 'holdfast backup --rotate'],
  async run({ config, store, clock }: Context<'admin' | 'location'>, input) {
    if (input.rotate) {
      if (input.file !== undefined)
        throw new HoldfastError('BAD_INPUT', '--rotate takes no file', {
          hint: `It keeps its copies in ${backupFolder(config.home)}.`,
        });
      const { keepBackups } = await import('./backups.ts');
      await store.admin.keepLedger();
      const { file, removed, why } = await keepBackups({ store, config, clock });
      const made = file === undefined ? { file: '', bytes: 0 } : { file, bytes: statSync(file).size };
      return { ...made, removed: [...removed], ...(why === undefined ? {} : { why }) };
    }
    const file = resolve(input.file ?? join(backupFolder(config.home), `holdfast-${stamp(clock())}.db`));
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    } catch (error) {
      throw explain(error, dirname(file));
    }
    await store.admin.backup(file);
    return { file, bytes: statSync(file).size };
  },
});
