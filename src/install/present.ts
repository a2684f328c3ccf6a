// Which agents are on this machine: their folders or their program exist.
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import type { Config } from '../config/config.ts';

export function isPresent(config: Config, agent: Agent): boolean {
  const files = [config.agentSettings(agent), config.agentMcpFile(agent)].filter((file) => file !== undefined);
  const folders = [...config.pullPaths(agent), ...files.map((file) => dirname(file))];
  if (folders.some((folder) => folder !== config.userHome && existsSync(folder))) return true;
  const [program] = agent.resume('');
  return (
    program !== undefined &&
    config.searchPath.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)))
  );
}
