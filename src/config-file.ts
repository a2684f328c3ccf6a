// Changes config.json: checked first, then replaced as a whole.
import { type Config, ensureHome, nest, parseSetting, readConfigFile, settingNamed } from './config.ts';
import { explain } from './errors.ts';
import { replaceFile } from './replace-file.ts';

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
  try {
    replaceFile(config.filePath, `${JSON.stringify(nest(values), null, 2)}\n`, 0o600);
  } catch (error) {
    throw explain(error, config.filePath);
  }
}
