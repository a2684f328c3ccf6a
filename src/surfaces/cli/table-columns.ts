// Which commands print a table whose columns can be chosen, and the names of those: for their help, without loading what draws them.

export const tableColumns: Readonly<Record<string, readonly string[]>> = {
  sessions: [
    'session',
    'last',
    'project',
    'agent',
    'entries',
    'title',
    'tags',
    'starred',
    'began',
    'tools',
    'branch',
    'path',
    'folder',
    'state',
    'resume',
  ],
  projects: ['project', 'sessions', 'entries', 'last', 'path'],
  conversations: ['id', 'status', 'began', 'project', 'entries', 'title', 'session', 'agent'],
};
