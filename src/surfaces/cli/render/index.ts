// How each operation's answer looks to a person. Loaded only for the command that runs, and never with --json.
import type { Operations } from '../../../operations/index.ts';
import type { InputOf, OutputOf } from '../../../operations/operation.ts';
import type { View } from '../view.ts';

export interface Rendering {
  readonly text: string;
  /** Long enough to need a pager. */
  readonly paged?: boolean;
}

type Render<Output, Input> = (output: Output, view: View, input: Input) => string;

/** A renderer for each operation. The compiler compares what it takes with what the operation answers. */
type Renderers = {
  readonly [Name in keyof Operations]: () => Promise<Render<OutputOf<Operations[Name]>, InputOf<Operations[Name]>>>;
};

const renderers: Renderers = {
  start: async () => () => '',
  mcp: async () => () => '',
  open: async () => (await import('./open.ts')).renderOpen,
  ingest: async () => (await import('./ingest.ts')).renderIngest,
  embed: async () => (await import('./embed.ts')).renderEmbed,
  search: async () => (await import('./search.ts')).renderSearch,
  sessions: async () => (await import('./sessions.ts')).renderSessions,
  'sessions outline': async () => (await import('./session-parts.ts')).renderOutline,
  'sessions commits': async () => (await import('./session-parts.ts')).renderCommits,
  'sessions original': async () => (await import('./session-parts.ts')).renderOriginal,
  'sessions usage': async () => (await import('./session-parts.ts')).renderUsage,
  'sessions find': async () => (await import('./session-parts.ts')).renderFound,
  'sessions changes': async () => (await import('./session-parts.ts')).renderChanges,
  'sessions delete': async () => (await import('./sessions.ts')).renderDeleted,
  'sessions purge': async () => (await import('./sessions.ts')).renderPurged,
  forget: async () => (await import('./forget.ts')).renderForgotten,
  resume: async () => (await import('./resume.ts')).renderResume,
  archive: async () => (await import('./archive.ts')).renderArchive,
  vault: async () => (await import('./vault.ts')).renderVault,
  groups: async () => (await import('./groups.ts')).renderGroups,
  'groups create': async () => (await import('./groups.ts')).renderCreated,
  'groups show': async () => (await import('./groups.ts')).renderGroup,
  'groups history': async () => (await import('./groups.ts')).renderHistory,
  'groups search': async () => (await import('./groups.ts')).renderHits,
  'groups clear': async () => (await import('./groups.ts')).renderLeft,
  'groups resume': async () => (await import('./groups.ts')).renderResumed,
  'groups point': async () => (await import('./groups.ts')).renderPointed,
  'groups token': async () => (await import('./groups.ts')).renderToken,
  'groups remove': async () => (await import('./groups.ts')).renderRemoved,
  'hub init': async () => (await import('./hub.ts')).renderInit,
  'hub join': async () => (await import('./hub.ts')).renderJoined,
  'hub status': async () => (await import('./hub.ts')).renderStatus,
  'hub share': async () => (await import('./hub.ts')).renderShared,
  'hub unshare': async () => (await import('./hub.ts')).renderUnshared,
  'hub forget': async () => (await import('./hub.ts')).renderForgottenForAll,
  'hub hide': async () => (await import('./hub.ts')).renderHidden,
  'hub sync': async () => (await import('./hub.ts')).renderSync,
  'hub invite': async () => (await import('./hub.ts')).renderInvite,
  'hub revoke': async () => (await import('./hub.ts')).renderRevoked,
  'hub leave': async () => (await import('./hub.ts')).renderLeft,
  show: async () => (await import('./show.ts')).renderShow,
  get: async () => (await import('./get.ts')).renderGet,
  timeline: async () => (await import('./timeline.ts')).renderTimeline,
  day: async () => (await import('./day.ts')).renderDay,
  activity: async () => (await import('./activity.ts')).renderActivity,
  observations: async () => (await import('./distilled.ts')).renderObservations,
  summaries: async () => (await import('./distilled.ts')).renderSummaries,
  briefing: async () => (await import('./briefing.ts')).renderBriefing,
  pin: async () => (await import('./pins.ts')).renderMark,
  mute: async () => (await import('./pins.ts')).renderMark,
  pins: async () => (await import('./pins.ts')).renderPins,
  name: async () => (await import('./labels.ts')).renderLabelled,
  star: async () => (await import('./labels.ts')).renderLabelled,
  tag: async () => (await import('./labels.ts')).renderLabelled,
  remember: async () => (await import('./memory.ts')).renderKept,
  'memory list': async () => (await import('./memory.ts')).renderList,
  'memory show': async () => (await import('./memory.ts')).renderPage,
  'memory history': async () => (await import('./memory.ts')).renderHistory,
  'memory edit': async () => (await import('./memory.ts')).renderEdited,
  'memory revert': async () => (await import('./memory.ts')).renderReverted,
  'memory promote': async () => (await import('./memory.ts')).renderKept,
  'memory consolidate': async () => (await import('./memory.ts')).renderConsolidated,
  'memory forget': async () => (await import('./memory.ts')).renderForgotten,
  conversations: async () => (await import('./conversations.ts')).renderConversations,
  'conversations show': async () => (await import('./conversations.ts')).renderConversation,
  process: async () => (await import('./process.ts')).renderProcess,
  jobs: async () => (await import('./jobs.ts')).renderJobs,
  'jobs retry': async () => (await import('./jobs.ts')).renderRetried,
  'jobs cancel': async () => (await import('./jobs.ts')).renderCancelled,
  'model test': async () => (await import('./process.ts')).renderModel,
  stats: async () => (await import('./stats.ts')).renderStats,
  projects: async () => (await import('./projects.ts')).renderProjects,
  install: async () => (await import('./install.ts')).renderInstall,
  uninstall: async () => (await import('./install.ts')).renderUninstall,
  repair: async () => (await import('./install.ts')).renderRepair,
  status: async () => (await import('./install.ts')).renderState,
  'projects compare': async () => (await import('./projects.ts')).renderCompared,
  'projects link': async () => (await import('./projects.ts')).renderLink,
  pause: async () => (await import('./pause.ts')).renderPause,
  'resume-capture': async () => (await import('./pause.ts')).renderResume,
  doctor: async () => (await import('./doctor.ts')).renderDoctor,
  'config list': async () => (await import('./config.ts')).renderList,
  'config get': async () => (await import('./config.ts')).renderGet,
  'config set': async () => (await import('./config.ts')).renderSet,
  'config unset': async () => (await import('./config.ts')).renderUnset,
  backup: async () => (await import('./backup.ts')).renderBackup,
  recover: async () => (await import('./recover.ts')).renderRecover,
  restore: async () => (await import('./backup.ts')).renderRestore,
  export: async () => (await import('./transfer.ts')).renderExport,
  import: async () => (await import('./transfer.ts')).renderImport,
  logs: async () => (await import('./logs.ts')).renderLogs,
  'groups send': async () => (await import('./host.ts')).renderSent,
  chat: async () => (await import('./host.ts')).renderChat,
  tasks: async () => (await import('./tasks.ts')).renderTasks,
  'tasks add': async () => (await import('./tasks.ts')).renderTurned,
  'tasks show': async () => (await import('./tasks.ts')).renderTask,
  'tasks pause': async () => (await import('./tasks.ts')).renderTurned,
  'tasks resume': async () => (await import('./tasks.ts')).renderTurned,
  'tasks cancel': async () => (await import('./tasks.ts')).renderCancelled,
  'host run': async () => () => '',
  'host status': async () => (await import('./host.ts')).renderHost,
  'host install': async () => (await import('./host.ts')).renderInstall,
  'host uninstall': async () => (await import('./host.ts')).renderUninstall,
  'worker run': async () => () => '',
  'worker start': async () => (await import('./worker.ts')).renderStart,
  'worker stop': async () => (await import('./worker.ts')).renderStop,
  'worker status': async () => (await import('./worker.ts')).renderStatus,
  'worker install': async () => (await import('./worker.ts')).renderInstall,
  'worker uninstall': async () => (await import('./worker.ts')).renderUninstall,
};

const paged = new Set([
  'show',
  'get',
  'sessions',
  'sessions outline',
  'sessions changes',
  'sessions original',
  'timeline',
  'day',
  'observations',
  'summaries',
  'briefing',
  'conversations',
  'conversations show',
  'jobs',
  'projects',
  'groups history',
  'memory show',
  'memory history',
  'memory list',
]);

export async function render(name: string, output: unknown, view: View, input: unknown): Promise<Rendering> {
  // An operation of another table is still readable as JSON.
  if (!Object.hasOwn(renderers, name)) return { text: JSON.stringify(output, null, 2) };
  // The output and the input come from the operation of this name.
  const load = renderers[name as keyof Operations] as () => Promise<Render<unknown, unknown>>;
  return { text: (await load())(output, view, input), paged: paged.has(name) };
}
