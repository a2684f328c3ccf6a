import { z } from 'zod';

/** The agents that go on with sessions of others. Each has a `carry` in its folder. */
export const Carrier = z.enum(['claude-code', 'codex', 'opencode', 'copilot', 'gemini', 'qwen', 'droid']);
export type Carrier = z.infer<typeof Carrier>;
