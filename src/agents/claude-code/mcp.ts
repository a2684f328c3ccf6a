// Claude Code's list of MCP servers for this person. Measured with 2.1.197 and 2.1.325:
// - It is `mcpServers` in a file that the client rewrites all the time, under a lock: a folder with the file's name and
//   `.lock`. Holding the lock for a moment is safe: 2.1.325 waits, 2.1.197 writes without it after a while.
// - The file is beside `.claude`, or in CLAUDE_CONFIG_DIR. An older `.config.json` is used instead if it exists.
// - `claude mcp add-json` does the same in 0.6–1.6 s, needs the program on the PATH, and `mcp remove` leaves an empty
//   list behind.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { AgentMcp } from '../hooks.ts';
import { jsonServers } from '../mcp-server.ts';

export const claudeCodeMcp: AgentMcp = {
  ...jsonServers(
    (env, home) => {
      const older = path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), '.config.json');
      return existsSync(older) ? older : path.join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
    },
    { type: 'stdio' },
  ),
  lock: (file) => `${file}.lock`,
};
