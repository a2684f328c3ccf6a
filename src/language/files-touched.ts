// Tool uses → the files that a project's work was about: modified before read, paths relative to the project.
import path from 'node:path';
import { isWithin } from '../store/projects/follow-links.ts';
import type { CountedTouch, Touch } from '../store/search/port.ts';

export interface TouchedFile {
  readonly file: string;
  readonly modified: number;
  readonly read: number;
  readonly lastAt: number;
}

/** Tools that change the file they are given. */
export const modifies =
  /^(?!write_stdin$|.*todo).*(?:edit|apply_diff|write|create|patch|replace|insert|delete|rename|move)/i;
/** Tools that name a folder to look in, not a file. */
export const looksAround = /^(?:grep\w*|rg|glob|ls|list\w*|find\w*|(?:\w+_)?search\w*)$/i;

export function filesTouched(touches: readonly (Touch | CountedTouch)[], project: string): TouchedFile[] {
  const files = new Map<string, { modified: number; read: number; lastAt: number }>();
  // Most touches are of the same few files.
  const seen = new Map<string, string | undefined>();
  for (const touch of touches) {
    if (touch.failed || looksAround.test(touch.tool)) continue;
    const key = JSON.stringify([touch.cwd, touch.file]);
    if (!seen.has(key)) seen.set(key, seenFrom(project, touch));
    const file = seen.get(key);
    if (file === undefined) continue;
    const known = files.get(file) ?? { modified: 0, read: 0, lastAt: 0 };
    const times = 'times' in touch ? touch.times : 1;
    if (modifies.test(touch.tool)) known.modified += times;
    else known.read += times;
    known.lastAt = Math.max(known.lastAt, touch.at);
    files.set(file, known);
  }
  return [...files]
    .map(([file, counts]) => ({ file, ...counts }))
    .sort((a, b) => b.modified - a.modified || b.read - a.read || b.lastAt - a.lastAt || (a.file < b.file ? -1 : 1));
}

/** The path below the project. In a worktree or a folder that was moved since then, below the session's working folder. */
export function seenFrom(project: string, { file, cwd }: Pick<Touch, 'file' | 'cwd'>): string | undefined {
  const home = cwd !== '' && !isWithin(cwd, project) ? cwd : project;
  const whole = path.isAbsolute(file) ? path.normalize(file) : path.join(cwd === '' ? project : cwd, file);
  const root = isWithin(whole, project) ? project : home;
  return isWithin(whole, root) && whole !== root ? path.relative(root, whole) : undefined;
}
