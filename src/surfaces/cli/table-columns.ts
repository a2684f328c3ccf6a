// Which commands print a table with selectable columns, and the column names: for the help, without loading the code
// that draws them.

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
    'tokens',
    'cost',
    'outcome',
    'branch',
    'path',
    'folder',
    'state',
    'resume',
  ],
  projects: ['project', 'sessions', 'entries', 'last', 'path'],
  conversations: ['id', 'status', 'began', 'project', 'entries', 'title', 'session', 'agent'],
};
