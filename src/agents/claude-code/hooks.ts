// Claude Code's hooks. Measurements with 2.1.197 and 2.1.325 that decide this file:
// - A hook of shell built-ins costs 3 to 5 ms, a program about 65 ms. Every tool call, prompt and answer is in the
//   transcript, so they need no hook. Only the start needs one (for the briefing) and the end (for its reason).
// - A hook that fails, or prints to standard error, shows a line in an interactive session. Ours cannot fail visibly:
//   each runs a script that prints a whole briefing or nothing, and ends with 0.
// - An http hook shows "hook error" at every event while no worker answers, and is skipped for SessionStart.
// - The client starts a hook in a separate session and process group, with the payload on standard input in one line.
// - A client that does not know an event drops all hooks of a plugin, so only events of the oldest supported client are
//   named.
// - The timeout is in seconds. The settings file must be plain JSON; a byte order mark is accepted.
import path from 'node:path';
import { quote } from '../hook-scripts.ts';
import type { AgentHooks } from '../hooks.ts';
import { settingsHooks } from '../settings-hooks.ts';
import { claudeCodeMcp } from './mcp.ts';

const inSettings = settingsHooks({
  whose: { agent: 'claude-code', title: 'Claude Code', folderVariable: 'CLAUDE_PROJECT_DIR', answer: 'nested' },
  settingsFile: (env, home) => path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), 'settings.json'),
  events: { start: 'SessionStart', prompt: 'UserPromptSubmit', end: 'SessionEnd' },
  shape: 'groups',
  // Far more than a hook takes, so that a busy machine does not lose the briefing.
  beside: { timeout: 5 },
  obstacles: (settings) =>
    settings.disableAllHooks === true
      ? ['The settings say "disableAllHooks": true, so Claude Code runs no hook. Remove that line.']
      : [],
});

export const claudeCodeHooks: AgentHooks = {
  ...inSettings,

  plugin: (link) => ({
    '.claude-plugin/plugin.json': json({
      name: 'holdfast',
      version: link.version,
      description:
        'The memory of AI coding agents: tells Holdfast about each session, and each session about the past.',
    }),
    '.mcp.json': json({ mcpServers: { [claudeCodeMcp.name]: claudeCodeMcp.entry(link) } }),
    'hooks/hooks.json': json({ hooks: inSettings.groups(link) }),
  }),

  usePlugin: (folder) => `claude --plugin-dir ${quote(folder)}`,
};

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
