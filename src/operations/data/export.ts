import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { exportFormat, exportVersion } from '../../schema/exported.ts';
import { everyone } from '../../schema/group.ts';
import { toMoment } from '../../schema/time.ts';
import { stamp } from '../../store/sqlite/backup-files.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import { syncFolder } from '../../system/replace-file.ts';
import { type Context, operation } from '../operation.ts';
import { toFilter } from '../recall/filters.ts';

const flushBytes = 1 << 20;

export const exportAll = operation({
  name: 'export',
  ending: 'guarded',
  summary: 'Write all memory as JSON Lines, for `holdfast import` elsewhere or for your own tools',
  input: z.object({
    file: z
      .string()
      .min(1)
      .optional()
      .describe('where to write it; - is standard output (default: a new file in this folder)'),
    project: z.string().min(1).optional().describe('only sessions of this project, by name or a path inside it'),
    since: z.string().min(1).optional().describe('only sessions active since then: 2026-03-01, 3d, yesterday'),
  }),
  output: z.object({ file: z.string(), bytes: z.int(), counts: z.record(z.string(), z.int()) }),
  surfaces: ['cli'],
  positional: ['file'],
  examples: [
    'holdfast export',
    'holdfast export courier.jsonl --project courier',
    'holdfast export - | gzip > all.jsonl.gz',
  ],
  async run(context: Context<'projects' | 'sessions' | 'transfer'>, { file, project, since }) {
    const { store, clock, progress, signal, out } = context;
    const filter = await toFilter(context, { project, since });
    // Do not write an empty file: it would look like a backup.
    if (
      project !== undefined &&
      (await store.sessions.list({ project: filter.project, group: everyone, limit: 1 })).length === 0
    )
      throw new HoldfastError('NOT_FOUND', `No session is known in the project ${project}`, {
        hint: 'List projects with `holdfast projects`. Nothing was written.',
      });
    const { counts, lines } = await store.transfer.exported(filter);
    const header = { is: 'header', format: exportFormat, version: exportVersion, at: toMoment(clock()), counts };
    const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
    const target = file === '-' ? undefined : path.resolve(file ?? `holdfast-${stamp(clock())}.jsonl`);
    if (target === undefined && out === undefined)
      throw new HoldfastError('BAD_INPUT', 'There is no standard output here', { hint: 'Name a file.' });
    const sink =
      target === undefined ? { write: out as (text: string) => Promise<void>, end() {}, drop() {} } : draft(target);
    let bytes = 0;
    try {
      let text = `${JSON.stringify(header)}\n`;
      let done = 0;
      const flush = async () => {
        signal?.throwIfAborted();
        bytes += Buffer.byteLength(text);
        await sink.write(text);
        text = '';
        progress?.({ lines: done, totalLines: total });
        await new Promise(setImmediate);
      };
      for await (const line of lines) {
        text += `${JSON.stringify(line)}\n`;
        done++;
        if (text.length >= flushBytes) await flush();
      }
      await flush();
      sink.end();
    } catch (error) {
      sink.drop();
      if (signal?.aborted) throw error;
      throw explain(error, target ?? 'standard output');
    }
    return { file: target ?? '-', bytes, counts: { ...counts } };
  },
});

/** A file for its owner alone that appears only when it is complete. */
function draft(target: string) {
  if (fs.existsSync(target))
    throw new HoldfastError('CONFLICT', `${target} exists already`, { hint: 'Name a file that does not exist yet.' });
  const temporary = `${target}.${process.pid}.tmp`;
  let fd: number;
  try {
    fd = fs.openSync(temporary, 'w', 0o600);
  } catch (error) {
    throw explain(error, target);
  }
  return {
    write: async (text: string) => fs.writeFileSync(fd, text),
    end() {
      fs.fsyncSync(fd);
      fs.closeSync(fd);
      fs.renameSync(temporary, target);
      syncFolder(path.dirname(target));
    },
    drop() {
      fs.closeSync(fd);
      fs.rmSync(temporary, { force: true });
    },
  };
}
