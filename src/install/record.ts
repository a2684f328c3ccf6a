// What an installation records in the data folder, so that uninstalling restores the bytes that were there before.
import { mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Agent } from '../agents/agent.ts';
import type { Config } from '../config/config.ts';
import { systemCode } from '../system/errors.ts';
import { replaceFile } from '../system/replace-file.ts';

/** As long as the text has this hash, `put` takes the place of the `cut` characters at `at`. Such a file may be large, and hold secrets. */
const Undo = z.object({ hash: z.string(), at: z.number(), cut: z.number(), put: z.string() });
export type Undo = z.infer<typeof Undo>;

export const Record = z.object({
  /** The settings file, and its text before and after; null if there was no file. */
  settings: z.object({ file: z.string(), before: z.string().nullable(), after: z.string() }).optional(),
  /** The file with our MCP server, how much of it was created for that, and how to take the change back. */
  mcp: z.object({ file: z.string(), made: z.enum(['file', 'list', 'entry']), undo: Undo.optional() }).optional(),
  /** Folders that were created for it, outermost first. */
  folders: z.array(z.string()).default([]),
  /** Generated plugin folders, each with the folders created for it. */
  plugins: z.array(z.object({ folder: z.string(), made: z.array(z.string()) })).default([]),
});
export type Record = z.infer<typeof Record>;

const nothing: Record = { folders: [], plugins: [] };

const fileOf = (config: Config, agent: Agent): string => join(config.home, 'installs', `${agent.name}.json`);

/** An unreadable record counts as none: uninstalling then goes by the settings. */
export function readRecord(config: Config, agent: Agent): Record {
  try {
    return Record.catch(nothing).parse(JSON.parse(readFileSync(fileOf(config, agent), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR')
      return nothing;
    throw error;
  }
}

export function writeRecord(config: Config, agent: Agent, record: Record): void {
  const file = fileOf(config, agent);
  if (record.settings === undefined && record.mcp === undefined && record.plugins.length === 0) {
    rmSync(file, { force: true });
    removeIfEmpty(dirname(file));
    return;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  replaceFile(file, `${JSON.stringify(record)}\n`, 0o600);
}

/** Leaves a folder that is not empty, or that no longer exists. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
  }
}
