// Qwen Code's first versions (0.1) wrote what Gemini CLI wrote then: tmp/<hash of the folder>/chats/session-<time>-<id>.json, rewritten whole
// with each message.
import path from 'node:path';
import { wholeChats } from '../gemini/pull.ts';
import { type AgentPull, pulledKey } from '../pull.ts';

export const qwenHome = (env: NodeJS.ProcessEnv, home: string): string =>
  env.QWEN_RUNTIME_DIR || env.QWEN_HOME || path.join(home, '.qwen');

/** The transcripts that Holdfast writes for such sessions. */
export const wholeKey = /^whole-[^/]+\.jsonl$/;

export const qwenPull: AgentPull = {
  ...wholeChats('qwen', (session) => pulledKey(`whole-${session}`)),
  beside: (key) => wholeKey.test(key),
  also: (env, home) => [path.join(qwenHome(env, home), 'tmp')],
};
