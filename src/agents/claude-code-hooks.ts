// Claude Code's hooks. What was measured with 2.1.197 and 2.1.325, and decides what stands here:
// - An http hook costs 4–8 ms, a program about 50 ms; http is silently skipped for SessionStart.
// - An http hook that fails at SessionEnd prints its error to the terminal, and why a session ended is in no transcript. So that
//   one is left in the data folder by the shell, which costs 5 ms, prints nothing, and waits there when no worker runs.
// - With -p any other http hook fails in silence. In an interactive session each that is refused shows "hook error" and the reason,
//   although nothing waits for it; no field of an http hook turns that off ("async" does not).
// - An event that a client does not know makes it drop all hooks of a plugin: only events of the oldest supported client are named.
// - The timeout is in seconds; a header may be any text. The settings file must be plain JSON; a byte order mark is accepted.
// - Loopback is no exception from HTTP_PROXY.
import path from 'node:path';
import { HoldfastError } from '../errors.ts';
import { claudeCodeMcp } from './claude-code-mcp.ts';
import type { AgentHooks, HookLink, Insertion, JsonPath } from './hooks.ts';
import { asObject, asString } from './json.ts';

const overHttp = [
  'UserPromptSubmit',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'StopFailure',
  'SubagentStop',
  'PreCompact',
];
const seconds = 1;
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
      elsewhere: commands.length > 0 && !commands.some((text) => text.includes(quote(link.home))),
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

  obstacles(settings, link, env) {
    const found: string[] = [];
    if (settings.disableAllHooks === true)
      found.push('The settings say "disableAllHooks": true, so Claude Code runs no hook. Remove that line.');
    const allowed = settings.allowedHttpHookUrls;
    if (Array.isArray(allowed) && !allowed.some((pattern) => matches(String(pattern), urlOf(link))))
      found.push(`The settings limit "allowedHttpHookUrls". Add "http://127.0.0.1:${link.port}/*" to that list.`);
    const proxy = env.HTTP_PROXY || env.http_proxy || env.ALL_PROXY || env.all_proxy;
    const direct = (env.NO_PROXY || env.no_proxy || '').split(/[\s,]+/);
    if (proxy && !direct.some((host) => host === '*' || host === '127.0.0.1'))
      found.push('HTTP_PROXY is set, and Claude Code sends hooks through it. Set NO_PROXY=127.0.0.1,localhost.');
    return found;
  },

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

const urlOf = ({ port }: HookLink): string => `http://127.0.0.1:${port}/api/hooks/claude-code`;

function groupsFor(link: HookLink): Readonly<Record<string, Group>> {
  const command = (text: string): Group => ({
    hooks: [{ type: 'command', command: `: holdfast ${link.version}; ${text}`, timeout: seconds }],
  });
  const http: Group = {
    hooks: [
      {
        type: 'http',
        url: urlOf(link),
        headers: { Authorization: `Bearer ${link.token}`, [versionHeader]: link.version },
        timeout: seconds,
      },
    ],
  };
  return {
    // Without a matcher: startup, resume, clear, compact and fork.
    SessionStart: command(askCommand(link)),
    ...Object.fromEntries(overHttp.map((event) => [event, http])),
    // In its place among the others, and slower: only for those who want an answer.
    ...(link.recall ? { UserPromptSubmit: command(askCommand(link)) } : {}),
    SessionEnd: command(endCommand(link)),
  };
}

/** The Node of the installation, or whichever there is, should that one be gone. Never fails, never prints an error. */
function askCommand({ node, program, port, home }: HookLink): string {
  const run = `NODE_OPTIONS= "$n" ${quote(program)} ${port} ${quote(home)} 2>/dev/null && break`;
  return `for n in ${quote(node)} node; do ${run}; done; true`;
}

/** Written whole under another name first: the worker never reads half of it. */
function endCommand({ home }: HookLink): string {
  const file = `f=${quote(path.join(home, 'spool', 'claude-code'))}.$$.$(date +%s)`;
  return `umask 077; ${file}; { cat >"$f.tmp" && mv "$f.tmp" "$f.json"; } 2>/dev/null || true`;
}

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

/** As the client matches: `*` stands for anything. */
function matches(pattern: string, url: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(url);
}

const misshapen = (place: string, kind: string): HoldfastError =>
  new HoldfastError('UNREADABLE', `"${place}" in the settings of Claude Code is not ${kind}`, {
    hint: 'Correct it; nothing was changed.',
  });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
