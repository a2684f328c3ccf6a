// Goose: MCP servers are extensions in its YAML settings; it has no hooks. Written from descriptions; not tried with
// the program.
import path from 'node:path';
import type { AgentMcp } from '../hooks.ts';
import { homeOfServer, serverCommand } from '../mcp-server.ts';

export const gooseMcp: AgentMcp = {
  file: (env, home) =>
    env.GOOSE_PATH_ROOT
      ? path.join(env.GOOSE_PATH_ROOT, 'config', 'config.yaml')
      : path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'goose', 'config.yaml'),
  format: 'yaml',
  list: 'extensions',
  name: 'holdfast',
  entry(link) {
    const { command: cmd, args, env: envs } = serverCommand(link);
    return {
      enabled: true,
      type: 'stdio',
      name: 'holdfast',
      description: 'The memory of coding agents',
      cmd,
      args,
      envs,
      timeout: 300,
    };
  },
  homeOf: homeOfServer,
};
