// A file that belongs to another program: read whole or refused, replaced whole, with its mode, through links.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { explain, HoldfastError, systemCode } from '../system/errors.ts';
import { replaceFile } from '../system/replace-file.ts';
import { waitSync } from '../system/wait.ts';

/** Undefined if there is no file. Text that is not UTF-8 would not survive, so it is refused. */
export function readText(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    if (systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new HoldfastError('UNREADABLE', `${file} is not UTF-8 text`, { hint: 'Correct it; nothing was changed.' });
    throw explain(error, file);
  }
}

/** Null removes the file. A link stays a link: its target is replaced or removed. */
export function writeText(file: string, expected: string | undefined, text: string | null): void {
  if (readText(file) !== expected)
    throw new HoldfastError('CONFLICT', `${file} was changed by another program at the same time`, {
      hint: 'Try again.',
    });
  try {
    const target = targetOf(file);
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    if (text === null) {
      rmSync(target);
      return;
    }
    if (mode !== undefined) accessSync(target, constants.W_OK);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    replaceFile(target, text, mode === undefined ? 0o600 : mode & 0o7777);
  } catch (error) {
    if (systemCode(error) === 'EACCES' || systemCode(error) === 'EPERM' || systemCode(error) === 'EROFS')
      throw new HoldfastError('NO_PERMISSION', `${file} cannot be written`, {
        hint: 'Check its owner and mode.',
        cause: error,
      });
    throw explain(error, file);
  }
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  try {
    return resolve(dirname(file), readlinkSync(file));
  } catch {
    // Neither a file nor a link to a file that does not exist yet.
    return file;
  }
}

/** The missing folders on the way to one, outermost first. */
export function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at);
  return missing;
}

/** How long to wait for the holder of the lock, who writes one file. */
const patienceMs = 500;
/** A lock that was not renewed for this long was left behind. */
const staleMs = 10_000;

/** Runs the work while holding a lock that other programs respect: a folder. Without a lock, just runs it. */
export function holdingLock<T>(lock: string | undefined, work: () => T): T {
  if (lock === undefined) return work();
  const giveUp = Date.now() + patienceMs;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      const code = systemCode(error);
      // Without the folder there is no program to lock out.
      if (code === 'ENOENT') return work();
      if (code !== 'EEXIST') throw explain(error, lock);
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > staleMs) rmSync(lock, { recursive: true, force: true });
      else if (Date.now() > giveUp)
        throw new HoldfastError('CONFLICT', `${lock} says that another program is writing the file`, {
          hint: 'Try again.',
        });
      else waitSync(20);
    }
  }
  try {
    return work();
  } finally {
    rmdirSync(lock);
  }
}
