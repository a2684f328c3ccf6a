// Hooks in a JSON file of the agent: as groups, which Claude Code began with (Codex, Qwen, Droid and Gemini took it
// over), or as a plain list per event (Copilot, Cursor).
import path from 'node:path';
import { HoldfastError } from '../system/errors.ts';
import { endScript, quote, type ScriptFor, startScript } from './hook-scripts.ts';
import type { AgentHooks, HookLink, Insertion, JsonPath } from './hooks.ts';
import { asObject, asString } from './json.ts';

/** Hooks of earlier versions used HTTP; this header identified them. */
const versionHeader = 'X-Holdfast-Version';

export interface SettingsHooks {
  readonly whose: ScriptFor;
  settingsFile(env: NodeJS.ProcessEnv, home: string): string;
  readonly events: { readonly start: string; readonly end: string; readonly prompt?: string | undefined };
  readonly shape: 'groups' | 'list';
  /** The key of a hook that holds its command. */
  readonly commandKey?: 'command' | 'bash' | undefined;
  /** Fields beside the command, such as a time limit. */
  readonly beside?: Readonly<Record<string, unknown>> | undefined;
  /** Fields beside the hooks of a group, such as a matcher. */
  readonly group?: Readonly<Record<string, unknown>> | undefined;
  /** Fields that the file needs beside the hooks. */
  readonly top?: Readonly<Record<string, unknown>> | undefined;
  readonly obstacles?: AgentHooks['obstacles'] | undefined;
}

type Hook = Record<string, unknown>;

export const startFile = ({ home }: Pick<HookLink, 'home'>, { agent }: ScriptFor): string =>
  path.join(home, 'hooks', `${agent}-start.sh`);
export const endFile = ({ home }: Pick<HookLink, 'home'>, { agent }: ScriptFor): string =>
  path.join(home, 'hooks', `${agent}-end.sh`);

export const scriptsOf = (link: HookLink, whose: ScriptFor): Record<string, string> => ({
  [startFile(link, whose)]: startScript(link, whose),
  [endFile(link, whose)]: endScript(link, whose),
});

export function settingsHooks(
  options: SettingsHooks,
): AgentHooks & { groups(link: HookLink): Record<string, unknown> } {
  const { whose, shape, commandKey = 'command', top = {} } = options;
  const wantedFor = (link: HookLink) => hooksFor(options, link);
  const asItem = (hook: Hook): unknown => (shape === 'list' ? hook : { ...options.group, hooks: [hook] });
  const own = (settings: unknown) => ownGroups(settings, shape, commandKey);
  const misshapen = (place: string, kind: string): HoldfastError =>
    new HoldfastError('UNREADABLE', `"${place}" in the settings of ${whose.title} is not ${kind}`, {
      hint: 'Correct it; nothing was changed.',
    });
  return {
    settingsFile: options.settingsFile,

    find(settings, link) {
      const wanted = wantedFor(link);
      const ours = Object.entries(own(settings)).flatMap(([event, groups]) =>
        groups.flatMap(({ hooks }) => hooks.map((hook) => ({ event, hook }))),
      );
      const isCurrent = ({ event, hook }: { event: string; hook: unknown }) =>
        JSON.stringify(identity(hook)) === JSON.stringify(identity(wanted[event]));
      const events = [...new Set(ours.map(({ event }) => event))];
      // Two of our hooks for one event, however they got there, report everything twice.
      const twice = events.filter((event) => ours.filter((one) => one.event === event).length > 1);
      const commands = ours
        .map(({ hook }) => asString(asObject(hook)[commandKey]))
        .filter((text) => text !== undefined);
      return {
        events,
        missing: Object.keys(wanted).filter((event) => !events.includes(event)),
        outdated: [...new Set([...ours.filter((one) => !isCurrent(one)).map(({ event }) => event), ...twice])],
        version: ours.map(({ hook }) => versionOf(hook, commandKey)).find((version) => version !== undefined),
        elsewhere: commands.length > 0 && !commands.some((text) => names(text, link.home)),
      };
    },

    additions(settings, link) {
      const items = Object.entries(wantedFor(link)).map(([event, hook]) => [event, asItem(hook)] as const);
      const first = Object.entries(top)
        .filter(([name]) => settings[name] === undefined)
        .map(([name, value]): Insertion => ({ path: [name], value }));
      const { hooks } = settings;
      if (hooks === undefined)
        return [
          ...first,
          { path: ['hooks'], value: Object.fromEntries(items.map(([event, item]) => [event, [item]])) },
        ];
      if (!isRecord(hooks)) throw misshapen('hooks', 'an object');
      return [
        ...first,
        ...items.map(([event, item]): Insertion => {
          const there = hooks[event];
          if (there === undefined) return { path: ['hooks', event], value: [item] };
          if (!Array.isArray(there)) throw misshapen(`hooks.${event}`, 'a list');
          return { path: ['hooks', event, there.length], value: item };
        }),
      ];
    },

    removals(settings, before) {
      const had = asObject(asObject(before).hooks);
      const all = asObject(asObject(settings).hooks);
      const paths: JsonPath[] = [];
      let left = Object.keys(all).length;
      for (const [event, groups] of Object.entries(own(settings))) {
        const list = all[event] as unknown[];
        const whole = groups.filter((group) => group.whole);
        if (whole.length === list.length && !(event in had)) {
          paths.push(['hooks', event]);
          left -= 1;
          continue;
        }
        for (const { index, whole: entire, places } of groups)
          paths.push(
            ...(entire ? [['hooks', event, index]] : places.map((at) => ['hooks', event, index, 'hooks', at])),
          );
      }
      const added = Object.keys(top)
        .filter((name) => asObject(before)[name] === undefined && name in asObject(settings))
        .map((name) => [name]);
      if (asObject(before).hooks !== undefined) return paths.length === 0 ? [] : [...paths, ...added];
      return left !== 0 || paths.length === 0 ? paths : [...added, ['hooks']];
    },

    obstacles: options.obstacles ?? (() => []),
    scripts: (link) => scriptsOf(link, whose),
    groups: (link) =>
      Object.fromEntries(Object.entries(wantedFor(link)).map(([event, hook]) => [event, [asItem(hook)]])),
  };
}

function hooksFor(
  { whose, events, beside, commandKey = 'command' }: SettingsHooks,
  link: HookLink,
): Record<string, Hook> {
  const hook = (text: string): Hook => ({
    type: 'command',
    [commandKey]: `: holdfast ${link.version}; ${text}`,
    ...beside,
  });
  // The trap makes the exit code 0, whatever happens in the script.
  const script = (file: string) => hook(`trap 'exit 0' 0; [ -r ${quote(file)} ] && . ${quote(file)}; exit 0`);
  return {
    // Without a matcher: startup, resume, clear, compact and fork.
    [events.start]: script(startFile(link, whose)),
    ...(link.recall && events.prompt !== undefined ? { [events.prompt]: hook(askCommand(link)) } : {}),
    [events.end]: script(endFile(link, whose)),
  };
}

/** The Node of the installation, or any other if that one is gone. Never fails, never prints an error. */
function askCommand({ node, program, home }: HookLink): string {
  const run = `NODE_OPTIONS= "$n" ${quote(program)} ${quote(home)} 2>/dev/null && break`;
  return `for n in ${quote(node)} node; do ${run}; done; true`;
}

/** Whether a command of Holdfast works with this data folder. */
const names = (command: string, home: string): boolean =>
  command.includes(quote(home)) || command.includes(quote(`${home}${path.sep}`).slice(0, -1));

interface OwnGroup {
  readonly index: number;
  /** Everything in it is ours. */
  readonly whole: boolean;
  readonly hooks: readonly unknown[];
  readonly places: readonly number[];
}

/** For each event, the groups that contain a hook of Holdfast; in a plain list each hook is a group. */
function ownGroups(
  settings: unknown,
  shape: SettingsHooks['shape'],
  commandKey: string,
): Readonly<Record<string, readonly OwnGroup[]>> {
  const result: Record<string, OwnGroup[]> = {};
  for (const [event, groups] of Object.entries(asObject(asObject(settings).hooks))) {
    for (const [index, group] of Array.isArray(groups) ? groups.entries() : []) {
      const { hooks } = asObject(group);
      const all: unknown[] = shape === 'list' ? [group] : Array.isArray(hooks) ? hooks : [];
      const places = all.flatMap((hook, at) => (versionOf(hook, commandKey) === undefined ? [] : [at]));
      if (places.length === 0) continue;
      const own: OwnGroup = { index, whole: places.length === all.length, hooks: places.map((at) => all[at]), places };
      result[event] = [...(result[event] ?? []), own];
    }
  }
  return result;
}

function versionOf(hook: unknown, commandKey: string): string | undefined {
  const { [commandKey]: command, headers } = asObject(hook);
  return /^: holdfast ([^;\s]+);/.exec(asString(command) ?? '')?.[1] ?? asString(asObject(headers)[versionHeader]);
}

/** What decides whether a hook reaches this worker; a timeout that the person has changed does not. */
function identity(hook: unknown): unknown {
  const { type, command, bash, url, headers } = asObject(hook);
  const { Authorization, [versionHeader]: version } = asObject(headers);
  return [type, command ?? bash, url, Authorization, version];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
