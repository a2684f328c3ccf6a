// Changes config.json: checks first, then replaces the whole file.

import { explain } from '../system/errors.ts';
import { replaceFile } from '../system/replace-file.ts';
import { type Config, ensureHome, nest, parseSetting, readConfigFile, settingNamed } from './config.ts';

/** Sets one setting from text. A bad key or value changes nothing. Returns the value as stored. */
export function setSetting(config: Config, key: string, text: string): unknown {
  const value = parseSetting(settingNamed(key), text, key);
  const { values } = takeOut(config, key);
  values.set(key, value);
  write(config, values);
  return value;
}

/** Removes one setting from the file, so that its default applies again. Returns whether the file had it. */
export function unsetSetting(config: Config, key: string): boolean {
  settingNamed(key);
  const { values, had } = takeOut(config, key);
  if (had) write(config, values);
  return had;
}

/** What the file holds besides one setting. Refuses other bad values, unless this change repairs them. */
function takeOut(config: Config, key: string) {
  const { values, faults } = readConfigFile(config.filePath);
  // A plain value in place of a section blocks every setting in that section.
  const taken = [...values.keys()].filter((stored) => stored === key || key.startsWith(`${stored}.`));
  const [fault] = faults.values();
  if (fault && !taken.some((stored) => faults.has(stored))) throw fault;
  for (const stored of taken) values.delete(stored);
  return { values, had: taken.length > 0 };
}

function write(config: Config, values: ReadonlyMap<string, unknown>): void {
  ensureHome(config);
  try {
    replaceFile(config.filePath, `${JSON.stringify(nest(values), null, 2)}\n`, 0o600);
  } catch (error) {
    throw explain(error, config.filePath);
  }
}
