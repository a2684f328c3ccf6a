import type { Agent } from './agent.ts';
import { claudeCode } from './claude-code/index.ts';
import { client } from './client/index.ts';
import { cline } from './cline/index.ts';
import { codex } from './codex/index.ts';
import { cursor } from './cursor/index.ts';
import { goose } from './goose/index.ts';
import { kilo } from './kilo/index.ts';
import { openCode } from './opencode/index.ts';
import { pi } from './pi/index.ts';
import { roo } from './roo/index.ts';

export const agents = [
  claudeCode,
  codex,
  openCode,
  cursor,
  cline,
  roo,
  kilo,
  goose,
  pi,
  client,
] as const satisfies readonly Agent[];

export const agentNamed = (name: string): Agent | undefined => agents.find((agent) => agent.name === name);
