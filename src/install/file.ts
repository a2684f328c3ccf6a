// Somebody else's file: read whole or refused, replaced whole, with its mode, through links.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { explain, HoldfastError, systemCode } from '../errors.ts';
import { replaceFile } from '../replace-file.ts';

/** Undefined where there is no file. What is not UTF-8 would not survive, so it is refused. */
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

/** Null removes the file. A link stays a link: what it leads to is replaced. */
export function writeText(file: string, expected: string | undefined, text: string | null): void {
  if (readText(file) !== expected)
    throw new HoldfastError('CONFLICT', `${file} has just been changed by somebody else`, { hint: 'Try again.' });
  try {
    const target = targetOf(file);
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    if (text === null) {
      rmSync(file);
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
    // Neither a file nor a link to one that is yet to come.
    return file;
  }
}

/** The folders that do not exist yet on the way to one, outermost first. */
export function missingFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at);
  return missing;
}
