// Codex: hooks in `hooks.json` in Claude Code's form, MCP servers in `config.toml`. Codex silently skips an untrusted
// hook: the person approves it once in the terminal, and Codex records that in `config.toml` as
// `[hooks.state."<file>:<event>:…"] trusted_hash`.
import path from 'node:path';
import type { AgentMcp } from '../hooks.ts';
import { homeOfServer, serverCommand } from '../mcp-server.ts';
import { settingsHooks } from '../settings-hooks.ts';

const homeOf = (env: NodeJS.ProcessEnv, home: string): string => env.CODEX_HOME || path.join(home, '.codex');

export const codexHooks = settingsHooks({
  whose: { agent: 'codex', title: 'Codex', answer: 'nested' },
  settingsFile: (env, home) => path.join(homeOf(env, home), 'hooks.json'),
  // The end hook has one second unless it asks for more, and never more than three.
  events: { start: 'SessionStart', prompt: 'UserPromptSubmit', end: 'SessionEnd' },
  shape: 'groups',
  beside: { timeout: 3 },
  obstacles(_, beside) {
    const config = beside('config.toml') ?? '';
    return isTrusted(config)
      ? []
      : ['Codex runs a hook only after you have approved it: start codex, type /hooks, and trust those of Holdfast.'];
  },
});

/** Whether Codex has recorded an approval for hooks of `hooks.json`. */
function isTrusted(config: string): boolean {
  const tables = config.split(/^[ \t]*(?=\[)/m);
  return tables.some(
    (table) =>
      /^\[hooks\.state\."[^"\n]*hooks\.json[^"\n]*"\]/.test(table) && /^[ \t]*trusted_hash[ \t]*=/m.test(table),
  );
}

export const codexMcp: AgentMcp = {
  file: (env, home) => path.join(homeOf(env, home), 'config.toml'),
  format: 'toml',
  list: 'mcp_servers',
  name: 'holdfast',
  entry: (link) => ({ ...serverCommand(link) }),
  homeOf: homeOfServer,
};
