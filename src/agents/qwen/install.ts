// Qwen Code: hooks under Claude Code's names and MCP servers, in the same settings file.
import path from 'node:path';
import { jsonServers } from '../mcp-server.ts';
import { settingsHooks } from '../settings-hooks.ts';

const settingsFile = (env: NodeJS.ProcessEnv, home: string): string =>
  path.join(env.QWEN_HOME || path.join(home, '.qwen'), 'settings.json');

export const qwenHooks = settingsHooks({
  whose: { agent: 'qwen', title: 'Qwen Code', answer: 'nested' },
  settingsFile,
  events: { start: 'SessionStart', prompt: 'UserPromptSubmit', end: 'SessionEnd' },
  shape: 'groups',
  group: { matcher: '*' },
});

export const qwenMcp = jsonServers(settingsFile);
