/** The agents that can continue sessions of other agents. Each has a `carry` in its folder. */
export const carrierNames = ['claude-code', 'codex', 'opencode', 'copilot', 'gemini', 'qwen', 'droid'] as const;
