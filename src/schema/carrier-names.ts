/** The agents that go on with sessions of others. Each has a `carry` in its folder. */
export const carrierNames = ['claude-code', 'codex', 'opencode', 'copilot', 'gemini', 'qwen', 'droid'] as const;
