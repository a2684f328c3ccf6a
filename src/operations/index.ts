import { archive } from './data/archive.ts';
import { backup } from './data/backup.ts';
import { embed } from './data/embed.ts';
import { exportAll } from './data/export.ts';
import { forget } from './data/forget.ts';
import { importAll } from './data/import.ts';
import { ingest } from './data/ingest.ts';
import { jobs, jobsCancel, jobsRetry } from './data/jobs.ts';
import { pause, resumeCapture } from './data/pause.ts';
import { processJobs } from './data/process.ts';
import { sessionsPurge } from './data/purge.ts';
import { recover } from './data/recover.ts';
import { restore } from './data/restore.ts';
import { resume } from './data/resume.ts';
import { vault } from './data/vault.ts';
import { groupsClear, groupsHistory, groupsPoint, groupsResume, groupsSearch } from './groups/group-sessions.ts';
import { groups, groupsCreate, groupsRemove, groupsShow, groupsToken } from './groups/groups.ts';
import { chatWith, groupsSend, hostInstall, hostRun, hostStatus, hostUninstall } from './groups/host.ts';
import { tasksAdd, tasksCancel, tasksList, tasksPause, tasksResume, tasksShow } from './groups/tasks.ts';
import { configGet, configList, configSet, configUnset } from './machine/config.ts';
import { doctor } from './machine/doctor.ts';
import { hubInit, hubJoin, hubLeave, hubStatus } from './machine/hub-joining.ts';
import { hubForget, hubHide, hubInvite, hubRevoke } from './machine/hub-people.ts';
import { hubShare, hubSync, hubUnshare } from './machine/hub-sharing.ts';
import { install, repair, uninstall } from './machine/install.ts';
import { logs } from './machine/logs.ts';
import { mcp } from './machine/mcp.ts';
import { modelTest } from './machine/model.ts';
import { openViewer } from './machine/open.ts';
import { start } from './machine/start.ts';
import { status } from './machine/status.ts';
import { workerInstall, workerRun, workerStart, workerStatus, workerStop, workerUninstall } from './machine/worker.ts';
import { memoryHistory, memoryList, memoryShow } from './memory/memory.ts';
import {
  memoryConsolidate,
  memoryEdit,
  memoryForget,
  memoryPromote,
  memoryRevert,
  rememberThis,
} from './memory/memory-change.ts';
import type { ByName, Operation } from './operation.ts';
import { activity } from './recall/activity.ts';
import { briefing } from './recall/briefing.ts';
import { projectsCompare } from './recall/compare-projects.ts';
import { conversations, conversationsShow } from './recall/conversations.ts';
import { day } from './recall/day.ts';
import { get } from './recall/get.ts';
import { nameSession, starSession, tagSession } from './recall/labels.ts';
import { observations } from './recall/observations.ts';
import { mute, pin, pins } from './recall/pins.ts';
import { projects, projectsLink } from './recall/projects.ts';
import { search } from './recall/search.ts';
import { sessionsCount, sessionsOriginal, sessionsUsage } from './recall/session-original.ts';
import { sessionsChanges, sessionsCommits, sessionsFind, sessionsOutline } from './recall/session-parts.ts';
import { sessions, sessionsDelete } from './recall/sessions.ts';
import { show } from './recall/show.ts';
import { stats } from './recall/stats.ts';
import { summaries } from './recall/summaries.ts';
import { timeline } from './recall/timeline.ts';

const table = [
  start,
  openViewer,
  install,
  uninstall,
  repair,
  status,
  ingest,
  embed,
  search,
  sessions,
  sessionsOutline,
  sessionsFind,
  sessionsChanges,
  sessionsCommits,
  sessionsOriginal,
  sessionsUsage,
  sessionsCount,
  sessionsDelete,
  sessionsPurge,
  forget,
  resume,
  archive,
  vault,
  groups,
  groupsCreate,
  groupsShow,
  groupsHistory,
  groupsSearch,
  groupsClear,
  groupsResume,
  groupsPoint,
  groupsToken,
  groupsRemove,
  groupsSend,
  chatWith,
  tasksList,
  tasksAdd,
  tasksShow,
  tasksPause,
  tasksResume,
  tasksCancel,
  hostRun,
  hostInstall,
  hostUninstall,
  hostStatus,
  hubInit,
  hubJoin,
  hubStatus,
  hubShare,
  hubUnshare,
  hubSync,
  hubForget,
  hubHide,
  hubInvite,
  hubRevoke,
  hubLeave,
  show,
  get,
  timeline,
  day,
  activity,
  summaries,
  observations,
  briefing,
  pin,
  mute,
  pins,
  nameSession,
  starSession,
  tagSession,
  rememberThis,
  memoryList,
  memoryShow,
  memoryHistory,
  memoryEdit,
  memoryRevert,
  memoryPromote,
  memoryConsolidate,
  memoryForget,
  conversations,
  conversationsShow,
  processJobs,
  jobs,
  jobsRetry,
  jobsCancel,
  modelTest,
  stats,
  projects,
  projectsCompare,
  projectsLink,
  pause,
  resumeCapture,
  mcp,
  doctor,
  configList,
  configGet,
  configSet,
  configUnset,
  backup,
  restore,
  recover,
  exportAll,
  importAll,
  logs,
  workerRun,
  workerStart,
  workerStop,
  workerStatus,
  workerInstall,
  workerUninstall,
] as const;

/** Every capability, in the order of the help. The surfaces are generated from this table. */
export const operations: readonly Operation[] = table;

/** The operations by their names, for tables that have something to say of each. */
export type Operations = ByName<typeof table>;
