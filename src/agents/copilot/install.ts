// GitHub Copilot CLI: a separate hook file in its folder of hooks; it accepts a briefing under one flat key.
import path from 'node:path';
import { jsonServers } from '../mcp-server.ts';
import { settingsHooks } from '../settings-hooks.ts';

const folder = (env: NodeJS.ProcessEnv, home: string): string => env.COPILOT_HOME || path.join(home, '.copilot');

export const copilotHooks = settingsHooks({
  whose: { agent: 'copilot', title: 'GitHub Copilot CLI', answer: 'additionalContext' },
  settingsFile: (env, home) => path.join(folder(env, home), 'hooks', 'holdfast.json'),
  events: { start: 'sessionStart', end: 'sessionEnd' },
  shape: 'list',
  commandKey: 'bash',
  beside: { timeoutSec: 5 },
  top: { version: 1 },
});

export const copilotMcp = jsonServers((env, home) => path.join(folder(env, home), 'mcp-config.json'), {
  type: 'local',
  tools: ['*'],
});
