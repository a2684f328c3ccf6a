// OpenCode: a plugin of one file instead of hooks, and an entry in its list of MCP servers.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentHookFile, AgentMcp, HookLink } from '../hooks.ts';
import { homeOfServer, serverCommand } from '../mcp-server.ts';
import { scriptsOf, startFile } from '../settings-hooks.ts';

const folder = (env: NodeJS.ProcessEnv, home: string): string =>
  path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'opencode');

const whose = { agent: 'opencode', title: 'OpenCode', answer: 'nested' } as const;

export const openCodeHooks: AgentHookFile = {
  settingsFile: (env, home) => path.join(folder(env, home), 'plugins', 'holdfast.js'),
  whole: pluginText,
  scripts: (link) => scriptsOf(link, whose),
};

/**
 * Runs the same script as the hooks of other agents, once per session, and gives its output to the model. It never
 * fails.
 */
function pluginText(link: HookLink): string {
  return `// holdfast ${link.version}; ${JSON.stringify(link.home)} (written by \`holdfast install opencode\`)
import { spawnSync } from 'node:child_process';

const script = ${JSON.stringify(startFile(link, whose))};

function briefing(session, cwd) {
  try {
    const input = JSON.stringify({ session_id: session, cwd, hook_event_name: 'SessionStart', source: 'startup' });
    const { stdout } = spawnSync('/bin/sh', [script], { input, cwd, encoding: 'utf8', timeout: 5000, stdio: ['pipe', 'pipe', 'ignore'] });
    return JSON.parse(stdout).hookSpecificOutput.additionalContext;
  } catch {
    return undefined;
  }
}

export const Holdfast = async ({ directory }) => {
  const told = new Map();
  return {
    'experimental.chat.system.transform': async (input, output) => {
      const session = input?.sessionID ?? 'opencode';
      if (!told.has(session)) told.set(session, briefing(session, directory));
      const text = told.get(session);
      if (typeof text === 'string' && Array.isArray(output?.system)) output.system.push(text);
    },
  };
};
`;
}

export const openCodeMcp: AgentMcp = {
  file(env, home) {
    const commented = path.join(folder(env, home), 'opencode.jsonc');
    return existsSync(commented) ? commented : path.join(folder(env, home), 'opencode.json');
  },
  list: 'mcp',
  name: 'holdfast',
  entry(link) {
    const { command, args, env } = serverCommand(link);
    return { type: 'local', command: [command, ...args], environment: env, enabled: true };
  },
  homeOf: homeOfServer,
};
