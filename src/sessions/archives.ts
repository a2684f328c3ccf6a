// Writes a session's archive. A session has one in a folder: archived again, it grows; under a new name, it moves. What a person
// has changed in the meantime is theirs, and stays beside the new one.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { explain, systemCode } from '../errors.ts';
import { syncFolder } from '../replace-file.ts';
import type { AgentName } from '../schema/agent-name.ts';
import type { Store } from '../store/store.ts';
import type { ArchiveRow } from '../store/vault.ts';
import { archiveBody, archiveName, archiveText, archiveTitle } from './archive-text.ts';
import { makeInside } from './make-inside.ts';

export interface ArchiveDeps {
  readonly store: Store;
  readonly config: Config;
  readonly clock: () => number;
}

export interface ArchiveRequest {
  readonly agent: AgentName;
  readonly session: string;
  /** What the person calls it. */
  readonly name?: string | undefined;
  /** Default: the setting `archivePath`. */
  readonly folder?: string | undefined;
}

export interface Archived {
  /** `none`: nobody said anything. */
  readonly outcome: 'new' | 'grown' | 'same' | 'none';
  readonly file?: string;
  readonly title: string;
}

const print = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

export async function archiveSession(deps: ArchiveDeps, request: ArchiveRequest): Promise<Archived> {
  const { store, config, clock } = deps;
  const { agent, session, name } = request;
  const folder = request.folder ?? config.archivePath;
  const { timeZone, assistantName } = config.settings;
  const entries = await store.transcript(agent, session);
  const known = (await store.findSessions(session)).find((one) => one.id === session && one.agent === agent);
  const now = clock();
  const before = await store.archive(agent, session, folder);
  const title = archiveTitle({ name: name ?? before?.name, title: known?.title ?? '', entries, at: now }, timeZone);
  const body = archiveBody(entries, assistantName);
  if (body === '') return { outcome: 'none', title };
  const untouched = before !== undefined && printOf(path.join(folder, before.file)) === before.filePrint;
  if (untouched && before.bodyPrint === print(body) && before.title === title)
    return { outcome: 'same', file: path.join(folder, before.file), title };

  const text = archiveText(title, now, timeZone, body);
  const stays = untouched && before.title === title;
  try {
    const isGroups = folder.startsWith(config.groupsPath + path.sep);
    fs.mkdirSync(isGroups ? config.groupsPath : folder, { recursive: true, mode: 0o700 });
    if (isGroups) makeInside(config.groupsPath, folder);
    const file = put(folder, stays ? before.file : undefined, archiveName(title, now, timeZone), text);
    const row: ArchiveRow = {
      agent,
      session,
      folder,
      file,
      title,
      bodyPrint: print(body),
      filePrint: print(text),
      at: now,
    };
    await store.saveArchive(name === undefined ? { ...row, name: before?.name } : { ...row, name });
    if (untouched && before.file !== file) fs.rmSync(path.join(folder, before.file), { force: true });
    syncFolder(folder);
    return { outcome: before === undefined ? 'new' : 'grown', file: path.join(folder, file), title };
  } catch (error) {
    throw explain(error, folder);
  }
}

/** Over the old file, or under a name that nothing has. Whole, or not at all. */
function put(folder: string, replaced: string | undefined, name: string, text: string): string {
  const draft = path.join(folder, `.${process.pid}.${Date.now()}.archiving`);
  try {
    fs.writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    if (replaced !== undefined) {
      fs.renameSync(draft, path.join(folder, replaced));
      return replaced;
    }
    for (let count = 1; ; count++) {
      const file = count === 1 ? `${name}.md` : `${name}-${count}.md`;
      try {
        fs.linkSync(draft, path.join(folder, file));
        return file;
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
        // A crash before the row was written left this very text under its name.
        if (printOf(path.join(folder, file)) === print(text)) return file;
      }
    }
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** Undefined where there is none. What an agent may have put in its place is nobody's archive: no link is followed, no pipe waited at. */
function printOf(file: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let opened: number;
  try {
    opened = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (['ELOOP', 'ENXIO', 'EACCES'].includes(systemCode(error) ?? '')) return '';
    throw error;
  }
  try {
    return fs.fstatSync(opened).isFile() ? print(fs.readFileSync(opened)) : '';
  } finally {
    fs.closeSync(opened);
  }
}

/** Removes archives, but for those that a person has changed. Returns the files that went, and those that stay. */
export function removeArchiveFiles(archives: Parameters<typeof removable>[0]): ReturnType<typeof removable> {
  const found = removable(archives);
  for (const file of found.removed) fs.rmSync(file, { force: true });
  return found;
}

/** Which files would go, and which stay since somebody has changed them. */
export function removable(archives: readonly Pick<ArchiveRow, 'folder' | 'file' | 'filePrint'>[]): {
  removed: string[];
  kept: string[];
} {
  const found = { removed: [] as string[], kept: [] as string[] };
  for (const { folder, file, filePrint } of archives) {
    const at = path.join(folder, file);
    const now = printOf(at);
    if (now !== undefined) (now === filePrint ? found.removed : found.kept).push(at);
  }
  return found;
}

/** Removes a session's archives, and forgets those that a person has changed. */
export async function dropArchives(
  { store }: Pick<ArchiveDeps, 'store'>,
  agent: AgentName,
  session: string,
): Promise<{ removed: string[]; kept: string[] }> {
  const done = removeArchiveFiles(await store.archives({ agent, session }));
  await store.dropArchives(agent, session);
  return done;
}
