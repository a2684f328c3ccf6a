/**
 * The addresses of the viewer's pages, as the worker serves them and the viewer reads them. Values in braces are
 * encoded.
 */
export const viewerPages = {
  now: '/',
  search: '/search',
  sessions: '/sessions',
  session: '/sessions/{id}',
  timeline: '/timeline',
  memory: '/memory',
  memoryPage: '/memory/{page}',
  projects: '/projects',
  project: '/projects/{path}',
  compare: '/compare',
  groups: '/groups',
  group: '/groups/{group}',
  costs: '/costs',
  health: '/health',
} as const;
export type ViewerPage = keyof typeof viewerPages;
