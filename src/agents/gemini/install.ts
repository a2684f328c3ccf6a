// Gemini CLI: hooks and MCP servers are in the same settings file.
import path from 'node:path';
import { jsonServers } from '../mcp-server.ts';
import { settingsHooks } from '../settings-hooks.ts';

const settingsFile = (env: NodeJS.ProcessEnv, home: string): string =>
  path.join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json');

export const geminiHooks = settingsHooks({
  whose: { agent: 'gemini', title: 'Gemini CLI', answer: 'nested' },
  settingsFile,
  events: { start: 'SessionStart', prompt: 'BeforeAgent', end: 'SessionEnd' },
  shape: 'groups',
  group: { matcher: '*' },
  // In milliseconds.
  beside: { name: 'holdfast', timeout: 5000 },
});

export const geminiMcp = jsonServers(settingsFile);
