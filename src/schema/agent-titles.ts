/** The name of each agent for people. `agents/index.ts` has a reader for each. */
export const agentTitles = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  copilot: 'GitHub Copilot CLI',
  gemini: 'Gemini CLI',
  antigravity: 'Antigravity',
  qwen: 'Qwen Code',
  droid: 'Droid',
  cursor: 'Cursor',
  cline: 'Cline',
  roo: 'Roo Code',
  kilo: 'Kilo',
  goose: 'Goose',
  pi: 'Pi',
  client: 'Client',
} as const;
