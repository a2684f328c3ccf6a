// Changes config.json: checked first, then written beside and renamed, so that a crash leaves the old or the new file.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Config, ensureHome, nest, parseSetting, readConfigFile, settingNamed } from './config.ts';
import { explain } from './errors.ts';

/** Sets one setting from text. A bad key or value changes nothing. Returns the value as stored. */
export function setSetting(config: Config, key: string, text: string): unknown {
  const value = parseSetting(settingNamed(key), text, key);
  const values = readConfigFile(config.filePath);
  values.set(key, value);
  write(config, values);
  return value;
}

/** Removes one setting from the file, so that its default holds again. Returns whether the file had it. */
export function unsetSetting(config: Config, key: string): boolean {
  settingNamed(key);
  const values = readConfigFile(config.filePath);
  if (!values.delete(key)) return false;
  write(config, values);
  return true;
}

function write(config: Config, values: ReadonlyMap<string, unknown>): void {
  ensureHome(config);
  const temporary = `${config.filePath}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, 'w', 0o600);
    try {
      writeSync(file, `${JSON.stringify(nest(values), null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, config.filePath);
    syncFolder(dirname(config.filePath));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw explain(error, config.filePath);
  }
}

/** Without this a power cut may undo the rename. Windows cannot open folders, and needs no such call. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
