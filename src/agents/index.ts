import type { Agent } from './agent.ts';
import { claudeCode } from './claude-code/index.ts';
import { client } from './client/index.ts';
import { codex } from './codex/index.ts';
import { pi } from './pi/index.ts';

export const agents = [claudeCode, codex, pi, client] as const satisfies readonly Agent[];

export const agentNamed = (name: string): Agent | undefined => agents.find((agent) => agent.name === name);
