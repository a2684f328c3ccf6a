// Cline: has MCP servers; its sessions are read without hooks. Written from descriptions; not tried with the program.
import path from 'node:path';
import { jsonServers } from '../mcp-server.ts';

export const clineMcp = jsonServers((env, home) =>
  path.join(env.CLINE_DIR || path.join(home, '.cline'), 'data', 'settings', 'cline_mcp_settings.json'),
);
