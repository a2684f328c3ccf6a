// Some agents name a session's folder only in a file beside its transcript.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../agents/agent.ts';
import type { Walk } from './walk.ts';

const longestPath = 4096;

/** The folder that the file beside a transcript names; undefined if there is no such file. Never blocks on a pipe. */
export function folderBeside(agent: Agent, transcript: string, key: string): string | undefined {
  const beside = agent.folderFile?.(key);
  if (beside === undefined) return undefined;
  let fd: number | undefined;
  try {
    fd = fs.openSync(path.join(path.dirname(transcript), beside), fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const { size } = fs.fstatSync(fd);
    if (!fs.fstatSync(fd).isFile() || size > longestPath) return undefined;
    const folder = fs.readFileSync(fd, 'utf8').trim();
    return path.isAbsolute(folder) && !folder.includes('\n') ? folder : undefined;
  } catch {
    return undefined; // it is not there, or not readable
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** A folder that the lines name counts instead. */
export function startIn(folder: string | undefined, walk: Walk): void {
  if (folder !== undefined && walk.state.capture.cwd === undefined) walk.enter({ kind: 'header', cwd: folder });
}
