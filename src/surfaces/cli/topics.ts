// Commands grouped by what people want to do, in the order of the help. A command in none of these groups is listed
// under the last one.

export const topics: Readonly<Record<string, readonly string[]>> = {
  Find: ['search', 'sessions', 'timeline', 'day', 'projects', 'activity'],
  Read: ['show', 'get', 'resume', 'archive', 'briefing', 'summaries', 'observations', 'open'],
  Remember: ['remember', 'memory', 'pin', 'mute', 'pins', 'name', 'star', 'tag', 'forget'],
  Keep: ['backup', 'restore', 'recover', 'export', 'import', 'vault', 'pause', 'resume-capture'],
  Connect: ['install', 'uninstall', 'repair', 'mcp', 'hub', 'share', 'unshare', 'join', 'leave', 'invite', 'revoke'],
  Host: ['groups', 'chat', 'tasks', 'host'],
  'Set up and look after': [
    'start',
    'status',
    'doctor',
    'config',
    'worker',
    'ingest',
    'embed',
    'process',
    'jobs',
    'conversations',
    'model',
    'stats',
    'logs',
    'completion',
    'help',
    'version',
  ],
};

const last = Object.keys(topics).at(-1) as string;

export const topicOf = (command: string): string =>
  Object.entries(topics).find(([, commands]) => commands.includes(command))?.[0] ?? last;
