// Cursor: hooks as plain lists, MCP servers beside them. Written from descriptions; not tried with the program.
import path from 'node:path';
import { jsonServers } from '../mcp-server.ts';
import { settingsHooks } from '../settings-hooks.ts';

const folder = (home: string): string => path.join(home, '.cursor');

export const cursorHooks = settingsHooks({
  whose: { agent: 'cursor', title: 'Cursor', answer: 'additional_context' },
  settingsFile: (_, home) => path.join(folder(home), 'hooks.json'),
  events: { start: 'sessionStart', end: 'sessionEnd' },
  shape: 'list',
  top: { version: 1 },
});

export const cursorMcp = jsonServers((_, home) => path.join(folder(home), 'mcp.json'));
