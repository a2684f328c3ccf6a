// A separate home folder for Claude Code: its layout, and the content of a new one. The flags were seen in 2.1.197.
import type { AgentHome } from '../agent.ts';

export const claudeCodeHome: AgentHome = {
  transcripts: '.claude/projects',
  skills: '.claude/skills',
  instructions: 'CLAUDE.md',
  settingsFile: '.claude/settings.json',
  settings: {
    env: {
      CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: '1',
      // Also use instructions in folders that are mounted beside the work folder.
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: '0',
    },
  },
  loss(message) {
    if (/No conversation found with session ID|--resume requires a valid session ID/i.test(message)) return 'missing';
    if (/No message found with message\.uuid/i.test(message)) return 'position';
    // A failing disk or system says nothing about the transcript.
    if (/\b(?:EACCES|EPERM|EMFILE|ENFILE|ENOMEM|ENOSPC|EIO|EBUSY|EAGAIN)\b/.test(message)) return undefined;
    if (/Failed to resume session|Failed to load transcript/i.test(message)) return 'corrupt';
    return undefined;
  },
};
