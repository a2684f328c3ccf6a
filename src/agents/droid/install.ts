// Droid: hooks in Claude Code's form in its settings, MCP servers in a separate file.
import path from 'node:path';
import { jsonServers } from '../mcp-server.ts';
import { settingsHooks } from '../settings-hooks.ts';

const folder = (home: string): string => path.join(home, '.factory');

export const droidHooks = settingsHooks({
  whose: { agent: 'droid', title: 'Droid', answer: 'nested' },
  settingsFile: (_, home) => path.join(folder(home), 'settings.json'),
  events: { start: 'SessionStart', prompt: 'UserPromptSubmit', end: 'SessionEnd' },
  shape: 'groups',
  group: { matcher: '*' },
  beside: { timeout: 5 },
});

export const droidMcp = jsonServers((_, home) => path.join(folder(home), 'mcp.json'), { type: 'stdio' });
