// Claude Code's hooks. What was measured with 2.1.197 and 2.1.325, and decides what stands here:
// - A hook of shell built-ins costs 3 to 5 ms, a program about 65 ms. Every tool call, prompt and answer is in the transcript, so no hook
//   is needed for them. Only the start needs one (for the briefing) and the end (for its reason).
// - A hook that fails, or prints to standard error, shows a line in an interactive session. These cannot fail visibly: all they do is in a
//   script that prints nothing but a whole briefing, and ends with 0.
// - An http hook shows "hook error" at every event while no worker answers, and is skipped for SessionStart.
// - The client starts a hook in a session and a process group of its own, with the payload on standard input in one line.
// - An event that a client does not know makes it drop all hooks of a plugin: only events of the oldest supported client are named.
// - The timeout is in seconds. The settings file must be plain JSON; a byte order mark is accepted.
import path from 'node:path';
import { HoldfastError } from '../../errors.ts';
import type { AgentHooks, HookLink, Insertion, JsonPath } from '../hooks.ts';
import { asObject, asString } from '../json.ts';
import { claudeCodeMcp } from './mcp.ts';
import { endScript, quote, startScript } from './scripts.ts';

/** Far more than a hook takes, so that a busy machine does not cost a briefing. */
const seconds = 5;
/** Hooks of earlier versions spoke HTTP; this told them from others. */
const versionHeader = 'X-Holdfast-Version';

export const claudeCodeHooks: AgentHooks = {
  settingsFile: (env, home) => path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), 'settings.json'),

  find(settings, link) {
    const wanted = groupsFor(link);
    const found = Object.entries(ownGroups(settings));
    const ours = found.flatMap(([event, groups]) =>
      groups.flatMap(({ hooks }) => hooks.map((hook) => ({ event, hook }))),
    );
    const isCurrent = ({ event, hook }: { event: string; hook: unknown }) =>
      JSON.stringify(identity(hook)) === JSON.stringify(identity(wanted[event]?.hooks[0]));
    const events = [...new Set(ours.map(({ event }) => event))];
    // Two of ours for one event, however they came there, report everything twice.
    const twice = events.filter((event) => ours.filter((one) => one.event === event).length > 1);
    const commands = ours.map(({ hook }) => asString(asObject(hook).command)).filter((text) => text !== undefined);
    return {
      events,
      missing: Object.keys(wanted).filter((event) => !events.includes(event)),
      outdated: [...new Set([...ours.filter((one) => !isCurrent(one)).map(({ event }) => event), ...twice])],
      version: ours.map(({ hook }) => versionOf(hook)).find((version) => version !== undefined),
      elsewhere: commands.length > 0 && !commands.some((text) => names(text, link.home)),
    };
  },

  additions(settings, link) {
    const groups = Object.entries(groupsFor(link));
    const { hooks } = settings;
    if (hooks === undefined)
      return [{ path: ['hooks'], value: Object.fromEntries(groups.map(([event, group]) => [event, [group]])) }];
    if (!isRecord(hooks)) throw misshapen('hooks', 'an object');
    return groups.map(([event, group]): Insertion => {
      const there = hooks[event];
      if (there === undefined) return { path: ['hooks', event], value: [group] };
      if (!Array.isArray(there)) throw misshapen(`hooks.${event}`, 'a list');
      return { path: ['hooks', event, there.length], value: group };
    });
  },

  removals(settings, before) {
    const had = asObject(asObject(before).hooks);
    const all = asObject(asObject(settings).hooks);
    const paths: JsonPath[] = [];
    let left = Object.keys(all).length;
    for (const [event, groups] of Object.entries(ownGroups(settings))) {
      const list = all[event] as unknown[];
      const whole = groups.filter((group) => group.whole);
      if (whole.length === list.length && !(event in had)) {
        paths.push(['hooks', event]);
        left -= 1;
        continue;
      }
      for (const { index, whole: entire, places } of groups)
        paths.push(...(entire ? [['hooks', event, index]] : places.map((at) => ['hooks', event, index, 'hooks', at])));
    }
    return left === 0 && paths.length > 0 && asObject(before).hooks === undefined ? [['hooks']] : paths;
  },

  obstacles: (settings) =>
    settings.disableAllHooks === true
      ? ['The settings say "disableAllHooks": true, so Claude Code runs no hook. Remove that line.']
      : [],

  scripts: (link) => ({ [startFile(link)]: startScript(link), [endFile(link)]: endScript(link) }),

  plugin: (link) => ({
    '.claude-plugin/plugin.json': json({
      name: 'holdfast',
      version: link.version,
      description: 'The memory of AI coding agents: tells Holdfast of each session, and each session of the past.',
    }),
    '.mcp.json': json({ mcpServers: { [claudeCodeMcp.name]: claudeCodeMcp.entry(link) } }),
    'hooks/hooks.json': json({
      hooks: Object.fromEntries(Object.entries(groupsFor(link)).map(([event, group]) => [event, [group]])),
    }),
  }),

  usePlugin: (folder) => `claude --plugin-dir ${quote(folder)}`,
};

interface Group {
  readonly hooks: readonly Record<string, unknown>[];
}

const startFile = ({ home }: Pick<HookLink, 'home'>): string => path.join(home, 'hooks', 'claude-code-start.sh');
const endFile = ({ home }: Pick<HookLink, 'home'>): string => path.join(home, 'hooks', 'claude-code-end.sh');

function groupsFor(link: HookLink): Readonly<Record<string, Group>> {
  const command = (text: string): Group => ({
    hooks: [{ type: 'command', command: `: holdfast ${link.version}; ${text}`, timeout: seconds }],
  });
  // The trap makes the end a good one, whatever happens in the script.
  const script = (file: string) => command(`trap 'exit 0' 0; [ -r ${quote(file)} ] && . ${quote(file)}; exit 0`);
  return {
    // Without a matcher: startup, resume, clear, compact and fork.
    SessionStart: script(startFile(link)),
    ...(link.recall ? { UserPromptSubmit: command(askCommand(link)) } : {}),
    SessionEnd: script(endFile(link)),
  };
}

/** The Node of the installation, or whichever there is, should that one be gone. Never fails, never prints an error. */
function askCommand({ node, program, home }: HookLink): string {
  const run = `NODE_OPTIONS= "$n" ${quote(program)} ${quote(home)} 2>/dev/null && break`;
  return `for n in ${quote(node)} node; do ${run}; done; true`;
}

/** Whether a command of ours works with this data folder. */
const names = (command: string, home: string): boolean =>
  command.includes(quote(home)) || command.includes(quote(`${home}${path.sep}`).slice(0, -1));

interface OwnGroup {
  readonly index: number;
  /** Nothing in it is anybody else's. */
  readonly whole: boolean;
  readonly hooks: readonly unknown[];
  readonly places: readonly number[];
}

/** For each event, the groups that hold a hook of ours. */
function ownGroups(settings: unknown): Readonly<Record<string, readonly OwnGroup[]>> {
  const result: Record<string, OwnGroup[]> = {};
  for (const [event, groups] of Object.entries(asObject(asObject(settings).hooks))) {
    for (const [index, group] of Array.isArray(groups) ? groups.entries() : []) {
      const { hooks } = asObject(group);
      const all: unknown[] = Array.isArray(hooks) ? hooks : [];
      const places = all.flatMap((hook, at) => (isOurs(hook) ? [at] : []));
      if (places.length === 0) continue;
      const own: OwnGroup = { index, whole: places.length === all.length, hooks: places.map((at) => all[at]), places };
      result[event] = [...(result[event] ?? []), own];
    }
  }
  return result;
}

const isOurs = (hook: unknown): boolean => versionOf(hook) !== undefined;

function versionOf(hook: unknown): string | undefined {
  const { command, headers } = asObject(hook);
  return /^: holdfast ([^;\s]+);/.exec(asString(command) ?? '')?.[1] ?? asString(asObject(headers)[versionHeader]);
}

/** What decides whether a hook reaches this worker; a timeout that the person has changed does not. */
function identity(hook: unknown): unknown {
  const { type, command, url, headers } = asObject(hook);
  const { Authorization, [versionHeader]: version } = asObject(headers);
  return [type, command, url, Authorization, version];
}

const misshapen = (place: string, kind: string): HoldfastError =>
  new HoldfastError('UNREADABLE', `"${place}" in the settings of Claude Code is not ${kind}`, {
    hint: 'Correct it; nothing was changed.',
  });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
