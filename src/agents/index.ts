import type { Agent } from './agent.ts';
import { antigravity } from './antigravity/index.ts';
import { claudeCode } from './claude-code/index.ts';
import { client } from './client/index.ts';
import { cline } from './cline/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import { cursor } from './cursor/index.ts';
import { droid } from './droid/index.ts';
import { gemini } from './gemini/index.ts';
import { goose } from './goose/index.ts';
import { kilo } from './kilo/index.ts';
import { openCode } from './opencode/index.ts';
import { pi } from './pi/index.ts';
import { qwen } from './qwen/index.ts';
import { roo } from './roo/index.ts';

export const agents = [
  claudeCode,
  codex,
  openCode,
  copilot,
  gemini,
  antigravity,
  qwen,
  droid,
  cursor,
  cline,
  roo,
  kilo,
  goose,
  pi,
  client,
] as const satisfies readonly Agent[];

export const agentNamed = (name: string): Agent | undefined => agents.find((agent) => agent.name === name);
