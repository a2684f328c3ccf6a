// Layout of prepared briefings in the data folder. Only this file knows it, and it gives the hook the names.
//   briefings/folders/<path of a folder>/.holdfast-briefing/project     hash of the text for a new session there; empty: none
//   briefings/folders/<path of a folder>/.holdfast-briefing/<session>   the same for a session of that project that continues
//   briefings/texts/<hash>.json, <hash>.project                         the line that a hook prints, and the project's name
//   briefings/separate-worktrees                                        exists if each worktree is a separate project
//   briefings/state.json                                                the store's change up to which all of it is fresh
// All of it is derived and can be removed at any time: a session then starts without a briefing, and the worker writes
// it again.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemCode } from './errors.ts';
import { makeFolder } from './make-folder.ts';

export const briefingNames = {
  folder: 'briefings',
  folders: 'folders',
  texts: 'texts',
  /** People do not use this name for folders; a folder with this name cannot have a briefing. */
  notes: '.holdfast-briefing',
  project: 'project',
  separateWorktrees: 'separate-worktrees',
} as const;

const hashPattern = /^[0-9a-f]{64}$/;
/** Session ids that are safe in a shell and in a file system. */
const sessionPattern = /^[0-9A-Za-z_-]{1,100}$/;

export interface GivenText {
  readonly project: string;
  readonly text: string;
}

export interface BriefingState {
  /** The number of the store's last change that was processed. */
  readonly seq: number;
  /** What else decides the content: settings, pins, links, the version. */
  readonly rules: string;
}

/** `project` and session ids → hash of a text; an empty hash means that there is nothing to say. */
export type Notes = ReadonlyMap<string, string>;

export interface BriefingFolder {
  /** Stores a text; returns its hash. */
  putText(project: string, text: string): string;
  /** The text of a hash; undefined if it is gone, or was forgotten. */
  text(hash: string): GivenText | undefined;
  /** Replaces the notes of a folder. False if the file system cannot hold them. */
  putNotes(folder: string, notes: Notes): boolean;
  /** Removes the notes of all folders but these. */
  keepOnly(folders: ReadonlySet<string>): void;
  /** Removes texts that no note names and that are older than this. */
  sweep(olderThan: number): void;
  separateWorktrees(on: boolean): void;
  state(): BriefingState | undefined;
  putState(state: BriefingState): void;
  readonly location: string;
  exists(): boolean;
  /** Removes everything: after something is forgotten, no old text may stay. */
  clear(): void;
}

export function briefingFolder(home: string): BriefingFolder {
  const root = path.join(home, briefingNames.folder);
  const put = (file: string, text: string) => putBelow(home, file, text);
  const folders = path.join(root, briefingNames.folders);
  const texts = path.join(root, briefingNames.texts);
  const marker = path.join(root, briefingNames.separateWorktrees);
  const stateFile = path.join(root, 'state.json');
  const notesOf = (folder: string) => path.join(folders, folder, briefingNames.notes);
  const textFile = (hash: string) => path.join(texts, `${hash}.json`);
  const nameFile = (hash: string) => path.join(texts, `${hash}.project`);

  return {
    putText(project, text) {
      const line = outputOf(text);
      const hash = createHash('sha256').update(`${project}\0${line}`).digest('hex');
      if (read(nameFile(hash)) !== project) put(nameFile(hash), project);
      if (read(textFile(hash)) !== line) put(textFile(hash), line);
      return hash;
    },

    text(hash) {
      if (!hashPattern.test(hash)) return undefined;
      const [line, project] = [read(textFile(hash)), read(nameFile(hash))];
      const text = line === undefined ? undefined : textIn(line);
      return text === undefined || project === undefined ? undefined : { text, project };
    },

    putNotes(folder, notes) {
      const place = notesOf(folder);
      try {
        const there = new Set(names(place));
        for (const [name, hash] of notes) {
          there.delete(name);
          if (name !== briefingNames.project && !sessionPattern.test(name)) continue;
          const file = path.join(place, name);
          const line = hash === '' ? '' : `${hash}\n`;
          if (read(file) !== line) put(file, line);
        }
        for (const name of there) rmSync(path.join(place, name), { recursive: true, force: true });
        return true;
      } catch (error) {
        // The path is too long here, or a file is in the place of a folder.
        if (['ENAMETOOLONG', 'ENOTDIR', 'EEXIST', 'EISDIR'].includes(systemCode(error) ?? '')) return false;
        throw error;
      }
    },

    keepOnly(keep) {
      const wanted = new Set([...keep].map(notesOf));
      walk(folders, (place) => {
        if (!wanted.has(place)) rmSync(place, { recursive: true, force: true });
      });
    },

    sweep(olderThan) {
      const named = new Set<string>();
      walk(folders, (place) => {
        for (const name of names(place)) named.add((read(path.join(place, name)) ?? '').trim());
      });
      for (const name of names(texts)) {
        const file = path.join(texts, name);
        const stat = statSync(file, { throwIfNoEntry: false });
        // Also removes a draft of a killed process.
        const isNamed = named.has(name.split('.')[0] ?? '') && !(name.endsWith('.tmp') && Number.isFinite(olderThan));
        if (!isNamed && (stat?.mtimeMs ?? 0) < olderThan) rmSync(file, { force: true });
      }
    },

    separateWorktrees(on) {
      if (!on) rmSync(marker, { force: true });
      else if (read(marker) === undefined) put(marker, '');
    },

    state() {
      try {
        const { seq, rules } = JSON.parse(read(stateFile) ?? 'null') ?? {};
        return Number.isInteger(seq) && typeof rules === 'string' ? { seq, rules } : undefined;
      } catch {
        // A power cut truncated the file: then everything is written again.
        return undefined;
      }
    },
    putState: (state) => put(stateFile, `${JSON.stringify(state)}\n`),
    location: root,
    exists: () => existsSync(root),
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Context for Claude Code in the form of a hook's output, in one line: a shell only has to print it. */
const outputOf = (additionalContext: string): string =>
  `${JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } })}\n`;

function textIn(line: string): string | undefined {
  try {
    const text = JSON.parse(line)?.hookSpecificOutput?.additionalContext;
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Calls `found` with each folder of notes below, and removes empty folders. */
function walk(folder: string, found: (place: string) => void): void {
  for (const entry of dirents(folder)) {
    if (!entry.isDirectory()) continue;
    const below = path.join(folder, entry.name);
    if (entry.name === briefingNames.notes) found(below);
    else walk(below, found);
    try {
      if (dirents(below).length === 0) rmdirSync(below);
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
    }
  }
}

const absent = ['ENOENT', 'ENOTDIR', 'EISDIR'];

function dirents(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (absent.includes(systemCode(error) ?? '')) return [];
    throw error;
  }
}

const names = (folder: string): string[] => dirents(folder).map(({ name }) => name);

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (absent.includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Replaces the file in one step. It need not survive a power cut: the next comparison finds a wrong file and rewrites
 * it.
 */
function putBelow(home: string, file: string, text: string): void {
  makeFolder(home, path.dirname(file));
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
