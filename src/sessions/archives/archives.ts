// Writes a session's archive. A session has one archive per folder. Archiving again updates the file; a new name moves it. A file that a
// person has changed stays, and the new archive goes beside it.
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import type { ArchiveRow } from '../../store/archives/port.ts';
import type { Store } from '../../store/store.ts';
import { type Folder, openBeneath, openFileIn, readAtMost, writeNewIn } from '../../system/beneath.ts';
import { explain, HoldfastError, systemCode } from '../../system/errors.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { archiveBody, archiveName, archiveText, archiveTitle } from './archive-text.ts';

export interface ArchiveDeps {
  readonly store: Pick<Store, 'archives' | 'entries' | 'sessions'>;
  readonly config: Config;
  readonly clock: () => number;
}

export interface ArchiveRequest {
  readonly agent: AgentName;
  readonly session: string;
  /** The person's name for the session. */
  readonly name?: string | undefined;
  /** Default: the setting `archivePath`. */
  readonly folder?: string | undefined;
}

export interface Archived {
  /** `none`: the session holds no words, so there is no file. */
  readonly outcome: 'new' | 'grown' | 'same' | 'none';
  readonly file?: string;
  readonly title: string;
}

/** For archives of earlier versions, whose rows do not tell the length: agents can write to the folder, so a file may have any size. */
const largestArchive = 256 << 20;
/** After this many files of the same name, the next one gets a random name: an agent can make any number of them. */
const mostOfOneName = 100;

const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
/** The hash and the length of a file: a file of another length need not be read. */
const fileHash = (text: string): string => `${hashOf(text)}-${Buffer.byteLength(text)}`;

export async function archiveSession(deps: ArchiveDeps, request: ArchiveRequest): Promise<Archived> {
  const { store, config, clock } = deps;
  const { agent, session, name } = request;
  const folder = request.folder ?? config.archivePath;
  const { timeZone, assistantName } = config.settings;
  const entries = await store.entries.transcript(agent, session);
  const known = (await store.sessions.find(session)).find((one) => one.id === session && one.agent === agent);
  const now = clock();
  const before = await store.archives.get(agent, session, folder);
  const title = archiveTitle({ name: name ?? before?.name, title: known?.title ?? '', entries, at: now }, timeZone);
  const body = archiveBody(entries, assistantName);
  if (body === '') return { outcome: 'none', title };
  const untouched = before !== undefined && isUntouched(config, before) === true;
  if (untouched && before.bodyHash === hashOf(body) && before.title === title)
    return { outcome: 'same', file: path.join(folder, before.file), title };

  const text = archiveText(title, now, timeZone, body);
  const stays = untouched && before.title === title;
  let opened: Folder | undefined;
  try {
    makeFolder(config.home, rootFor(config, folder));
    opened = openBeneath(rootFor(config, folder), folder, { make: true });
    const file = put(opened, stays ? before.file : undefined, archiveName(title, now, timeZone), text);
    const row: ArchiveRow = {
      agent,
      session,
      folder,
      file,
      title,
      bodyHash: hashOf(body),
      fileHash: fileHash(text),
      at: now,
    };
    await store.archives.save(name === undefined ? { ...row, name: before?.name } : { ...row, name });
    if (untouched && before.file !== file) fs.rmSync(opened.at(before.file), { force: true });
    opened.sync();
    return { outcome: before === undefined ? 'new' : 'grown', file: path.join(folder, file), title };
  } catch (error) {
    throw explain(error, folder);
  } finally {
    opened?.close();
  }
}

/** A group's agent can write to the group's folder, so we follow no links below `groupsPath`. Other folders belong to the person. */
const rootFor = (config: Config, folder: string): string =>
  folder.startsWith(config.groupsPath + path.sep) ? config.groupsPath : folder;

/** Whether an archive is as we wrote it. Undefined if there is no such file or folder. */
function isUntouched(
  config: Config,
  { folder, file, fileHash: expected }: Pick<ArchiveRow, 'folder' | 'file' | 'fileHash'>,
): boolean | undefined {
  try {
    const opened = openBeneath(rootFor(config, folder), folder);
    try {
      return hasHash(opened, file, expected);
    } finally {
      opened.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof HoldfastError && error.code === 'CONFLICT') return false;
    throw error;
  }
}

/** Replaces the old file, or writes under an unused name. Writes the whole file or nothing. */
function put(folder: Folder, replaced: string | undefined, name: string, text: string): string {
  const draftName = `.${process.pid}.${Date.now()}.archiving`;
  const draft = folder.at(draftName);
  const expected = fileHash(text);
  try {
    writeNewIn(folder, draftName, text);
    if (replaced !== undefined) {
      fs.renameSync(draft, folder.at(replaced));
      return replaced;
    }
    for (let count = 1; ; count++) {
      const end = count === 1 ? '' : `-${count <= mostOfOneName ? count : randomUUID().slice(0, 8)}`;
      const file = `${name}${end}.md`;
      try {
        fs.linkSync(draft, folder.at(file));
        return file;
      } catch (error) {
        if (systemCode(error) !== 'EEXIST') throw error;
        // An earlier attempt wrote this file and crashed before it stored the row.
        if (hasHash(folder, file, expected)) return file;
      }
    }
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** Undefined if there is no such file. An agent may have put a link or a pipe in its place, which is no archive. */
function hasHash(folder: Folder, file: string, expected: string): boolean | undefined {
  let opened: number;
  try {
    opened = openFileIn(folder, file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'EACCES' || (error instanceof HoldfastError && error.code === 'UNREADABLE')) return false;
    throw error;
  }
  try {
    const [hash, length] = expected.split('-');
    const { size } = fs.fstatSync(opened);
    if (length === undefined ? size > largestArchive : size !== Number(length)) return false;
    return hashOf(readAtMost(opened, size)) === hash;
  } finally {
    fs.closeSync(opened);
  }
}

/** Removes archives, except those that a person has changed. Returns the removed and the kept files. */
export function removeArchiveFiles(
  config: Config,
  archives: Parameters<typeof removable>[1],
): ReturnType<typeof removable> {
  const found = removable(config, archives);
  for (const file of found.removed) {
    const folder = path.dirname(file);
    const opened = openBeneath(rootFor(config, folder), folder);
    try {
      fs.rmSync(opened.at(path.basename(file)), { force: true });
    } finally {
      opened.close();
    }
  }
  return found;
}

/** Which files can go, and which stay because a person has changed them. */
export function removable(
  config: Config,
  archives: readonly Pick<ArchiveRow, 'folder' | 'file' | 'fileHash'>[],
): {
  removed: string[];
  kept: string[];
} {
  const found = { removed: [] as string[], kept: [] as string[] };
  for (const archive of archives) {
    const untouched = isUntouched(config, archive);
    if (untouched !== undefined) (untouched ? found.removed : found.kept).push(path.join(archive.folder, archive.file));
  }
  return found;
}

/** Removes a session's archives and their rows. Files that a person has changed stay on disk. */
export async function dropArchives(
  { store, config }: Pick<ArchiveDeps, 'store' | 'config'>,
  agent: AgentName,
  session: string,
): Promise<{ removed: string[]; kept: string[] }> {
  const done = removeArchiveFiles(config, await store.archives.list({ agent, session }));
  await store.archives.drop(agent, session);
  return done;
}
