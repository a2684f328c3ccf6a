// Installs an agent's hooks into its settings and removes them. The agent says what they are; this file only keeps
// files safe.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../agents/agent.ts';
import type { AgentHookFile, AgentHooks, HookLink, HooksFound, JsonPath } from '../agents/hooks.ts';
import type { Config } from '../config/config.ts';
import { packageRoot, version } from '../package.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import { replaceFile } from '../system/replace-file.ts';
import { unifiedDiff } from './difference.ts';
import { missingFolders, readText, writeText } from './file.ts';
import { readRecord, removeIfEmpty, writeRecord } from './record.ts';
import { insert, readSettings, remove } from './settings-text.ts';
import { assertOurs, findWhole, isOurs, isWhole } from './whole-file.ts';

export interface Change {
  readonly file: string;
  readonly changed: boolean;
  /** The change that was or would be made. */
  readonly diff: string;
}

/** Where hooks leave their notes. */
const spoolFolder = (config: Pick<Config, 'home'>): string => join(config.home, 'spool');

export const linkTo = (config: Config): HookLink => ({
  version: version(),
  home: config.home,
  node: process.execPath,
  program: join(packageRoot, 'bin', 'holdfast-hook.cjs'),
  cli: join(packageRoot, 'bin', 'holdfast'),
  recall: config.settings.recallOnPrompt,
});

export interface Inspection extends HooksFound {
  readonly file: string;
  readonly obstacles: readonly string[];
  /** Whether the scripts that the hooks run are of this version. */
  readonly scripts: 'current' | 'outdated';
}

export function inspectHooks(config: Config, agent: Agent): Inspection {
  const { hooks, file } = hooksOf(config, agent);
  const link = linkTo(config);
  const scripts = scriptsDiffer(hooks, link) ? 'outdated' : 'current';
  if (isWhole(hooks)) return { file, ...findWhole(hooks, readText(file), link), obstacles: [], scripts };
  const { value, plain } = readSettings(readText(file) ?? '', file);
  const obstacles = [...hooks.obstacles(value, (name) => readText(join(dirname(file), name)))];
  if (!plain)
    obstacles.unshift(`${file} has comments or trailing commas, and ${agent.title} does not read such a file.`);
  return { file, ...hooks.find(value, link), obstacles, scripts };
}

/** Installing twice is the same as once. Replaces hooks of another version or data folder. */
export function installHooks(config: Config, agent: Agent, dryRun = false): Change {
  const { hooks, file } = hooksOf(config, agent);
  const link = linkTo(config);
  const text = readText(file);
  if (isWhole(hooks)) return installWhole(config, agent, hooks, { file, text, dryRun });
  const { value } = readSettings(text ?? '', file);
  const found = hooks.find(value, link);
  if (found.missing.length === 0 && found.outdated.length === 0)
    return { file, changed: !dryRun && writeScripts(config, hooks), diff: '' };

  const record = readRecord(config, agent);
  const untouched = record.settings?.file === file && record.settings.after === text ? record.settings : undefined;
  let before = text ?? null;
  if (found.events.length > 0) before = untouched ? untouched.before : withoutHooks(config, agent, text ?? '').text;
  const base = readSettings(before ?? '', file).value;
  const after = insert(before ?? '', hooks.additions(base, link), file);
  const added = readSettings(after, file).value;
  assertSame(without(added, hooks.removals(added, base)), base, file);
  assertSame(hooks.find(added, link).missing, [], file);
  if (!dryRun) {
    // Write the scripts first, so that no hook ever looks for a missing script.
    writeScripts(config, hooks);
    const folders = before === null && record.settings === undefined ? missingFolders(dirname(file)) : record.folders;
    writeRecord(config, agent, { ...record, settings: { file, before, after }, folders });
    writeText(file, text, after);
  }
  return { file, changed: true, diff: unifiedDiff(text, after, file) };
}

/** Writes the whole file or nothing. */
function installWhole(
  config: Config,
  agent: Agent,
  hooks: AgentHookFile,
  { file, text, dryRun }: { file: string; text: string | undefined; dryRun: boolean },
): Change {
  assertOurs(file, text);
  const after = hooks.whole(linkTo(config));
  if (text === after) return { file, changed: !dryRun && writeScripts(config, hooks), diff: '' };
  if (!dryRun) {
    writeScripts(config, hooks);
    const record = readRecord(config, agent);
    const folders = text === undefined ? missingFolders(dirname(file)) : record.folders;
    writeRecord(config, agent, { ...record, settings: { file, before: null, after }, folders });
    writeText(file, text, after);
  }
  return { file, changed: true, diff: unifiedDiff(text, after, file) };
}

/** Removes every trace: the hooks, the file and folders that were created for them, plugin folders, the record. */
export function uninstallHooks(config: Config, agent: Agent): Change & { plugins: string[] } {
  const { file } = hooksOf(config, agent);
  const record = readRecord(config, agent);
  const text = readText(file);
  const { hooks } = hooksOf(config, agent);
  const left = (said: string) =>
    isWhole(hooks) ? (isOurs(said) ? null : said) : withoutHooks(config, agent, said).text;
  const after = text === undefined ? null : left(text);
  const changed = (text ?? null) !== after;
  const plugins = record.plugins.map(({ folder }) => folder);
  if (changed) writeText(file, text, after);
  if (after === null) for (const folder of record.folders.toReversed()) removeIfEmpty(folder);
  for (const plugin of record.plugins) removePlugin(config, agent, plugin);
  removeScripts(config, agent);
  writeRecord(config, agent, { ...(record.mcp ? { mcp: record.mcp } : {}), folders: [], plugins: [] });
  return { file, changed, diff: unifiedDiff(text, after ?? undefined, file), plugins };
}

/** Writes a plugin folder that does the same without changing the settings. */
export function writePlugin(config: Config, agent: Agent, folder: string): { folder: string; use: string } {
  const { hooks } = hooksOf(config, agent);
  const record = readRecord(config, agent);
  const known = record.plugins.find((plugin) => plugin.folder === folder);
  const made = known?.made ?? missingFolders(folder);
  if (isWhole(hooks) || hooks.plugin === undefined)
    throw new HoldfastError('BAD_INPUT', `${agent.title} has no plugin folders`, {
      hint: `Leave out --plugin: holdfast install ${agent.name}`,
    });
  const files = Object.entries(hooks.plugin(linkTo(config)));
  const foreign = existsSync(folder) && !known && files.some(([name]) => existsSync(join(folder, name)));
  if (foreign)
    throw new HoldfastError('CONFLICT', `${folder} holds another plugin`, {
      hint: 'Name a folder that is empty or new.',
    });
  try {
    writeScripts(config, hooks);
    writeRecord(config, agent, {
      ...record,
      plugins: [...record.plugins.filter((plugin) => plugin !== known), { folder, made }],
    });
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
      replaceFile(join(folder, name), text, 0o600);
    }
  } catch (error) {
    // An incomplete plugin must not count as installed, and must not be repaired at every start.
    if (known === undefined) {
      removePlugin(config, agent, { folder, made });
      writeRecord(config, agent, record);
    }
    throw explain(error, folder);
  }
  return { folder, use: hooks.usePlugin?.(folder) ?? folder };
}

/** Updates everything that this data folder has installed to this version. Returns the files that changed. */
export function mendHooks(config: Config, agent: Agent): string[] {
  const { settings, plugins } = readRecord(config, agent);
  const changed: string[] = [];
  if (settings !== undefined) {
    const { events, outdated, elsewhere, scripts } = inspectHooks(config, agent);
    // Leave hooks alone that the person has removed or given to another data folder.
    const due = outdated.length > 0 || scripts === 'outdated';
    if (events.length > 0 && due && !elsewhere && installHooks(config, agent).changed) changed.push(settings.file);
  }
  const wanted = Object.entries(pluginOf(config, agent));
  for (const { folder } of plugins) {
    const current = wanted.every(([name, text]) => readText(join(folder, name)) === text);
    if (!existsSync(folder) || (current && !scriptsDiffer(hooksOf(config, agent).hooks, linkTo(config)))) continue;
    writePlugin(config, agent, folder);
    changed.push(folder);
  }
  return changed;
}

const pluginOf = (config: Config, { hooks }: Agent): Readonly<Record<string, string>> =>
  hooks === undefined || isWhole(hooks) ? {} : (hooks.plugin?.(linkTo(config)) ?? {});

const scriptsDiffer = (hooks: AgentHooks | AgentHookFile, link: HookLink): boolean =>
  Object.entries(hooks.scripts(link)).some(([file, text]) => readText(file) !== text);

/** Writes the scripts that hooks run, and the folder for their notes. True if something had to change. */
function writeScripts(config: Config, hooks: AgentHooks | AgentHookFile): boolean {
  mkdirSync(spoolFolder(config), { recursive: true, mode: 0o700 });
  const due = Object.entries(hooks.scripts(linkTo(config))).filter(([file, text]) => readText(file) !== text);
  for (const [file, text] of due) {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      replaceFile(file, text, 0o600);
    } catch (error) {
      throw explain(error, file);
    }
  }
  return due.length > 0;
}

function removeScripts(config: Config, agent: Agent): void {
  for (const file of Object.keys(agent.hooks?.scripts(linkTo(config)) ?? {})) {
    rmSync(file, { force: true });
    removeIfEmpty(dirname(file));
  }
}

function hooksOf(config: Config, agent: Agent): { hooks: AgentHooks | AgentHookFile; file: string } {
  const file = config.agentSettings(agent);
  if (agent.hooks === undefined || file === undefined)
    throw new HoldfastError('BAD_INPUT', `${agent.title} has no hooks that could be installed`, {
      hint: 'Holdfast reads its transcripts anyway; there is nothing to do.',
    });
  return { hooks: agent.hooks, file };
}

/** The settings without our hooks; null if there would be no file. */
function withoutHooks(config: Config, agent: Agent, text: string): { text: string | null } {
  const { hooks, file } = hooksOf(config, agent);
  const { settings: known } = readRecord(config, agent);
  if (known?.file === file && known.after === text) return { text: known.before };
  const { value } = readSettings(text, file);
  const was = known?.file === file && known.before !== null ? readSettings(known.before, file).value : undefined;
  const paths = isWhole(hooks) ? [] : hooks.removals(value, was);
  if (paths.length === 0) return { text };
  const left = remove(text, paths, file);
  const { value: after } = readSettings(left, file);
  assertSame(after, without(value, paths), file);
  const ours = known?.file === file && known.before === null && Object.keys(after).length === 0;
  return { text: ours ? null : left };
}

export function without(value: Record<string, unknown>, paths: readonly JsonPath[]): unknown {
  const copy = structuredClone(value);
  const gone = new Set<unknown>();
  const marked = Symbol('gone') as unknown;
  for (const path of paths) {
    let at = copy;
    for (const step of path.slice(0, -1)) at = at[step] as typeof at;
    const last = path.at(-1) as string;
    if (Array.isArray(at)) {
      at[Number(last)] = marked;
      gone.add(at);
    } else delete at[last];
  }
  for (const list of gone as Set<unknown[]>) list.splice(0, list.length, ...list.filter((item) => item !== marked));
  return copy;
}

/** A last check before another program's file is written: everything that is not ours must keep its meaning. */
export function assertSame(actual: unknown, expected: unknown, file: string): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new HoldfastError('CONFLICT', `${file} cannot be changed without touching other settings`, {
    hint: 'It may contain a key twice. Nothing was changed.',
  });
}

function removePlugin(config: Config, agent: Agent, { folder, made }: { folder: string; made: string[] }): void {
  const names = Object.keys(pluginOf(config, agent));
  for (const name of names) if (existsSync(join(folder, name))) rmSync(join(folder, name));
  for (const name of names) if (dirname(name) !== '.') removeIfEmpty(join(folder, dirname(name)));
  for (const one of made.toReversed()) removeIfEmpty(one);
}
