import { activity } from './activity.ts';
import { archive } from './archive.ts';
import { backup } from './backup.ts';
import { briefing } from './briefing.ts';
import { configGet, configList, configSet, configUnset } from './config.ts';
import { conversations, conversationsShow } from './conversations.ts';
import { day } from './day.ts';
import { doctor } from './doctor.ts';
import { embed } from './embed.ts';
import { exportAll } from './export.ts';
import { forget } from './forget.ts';
import { get } from './get.ts';
import { groupsClear, groupsHistory, groupsPoint, groupsResume, groupsSearch } from './group-sessions.ts';
import { groups, groupsCreate, groupsRemove, groupsShow, groupsToken } from './groups.ts';
import { chatWith, groupsSend, hostInstall, hostRun, hostStatus, hostUninstall } from './host.ts';
import {
  hubHide,
  hubInit,
  hubInvite,
  hubJoin,
  hubLeave,
  hubRevoke,
  hubShare,
  hubStatus,
  hubSync,
  hubUnshare,
} from './hub.ts';
import { importAll } from './import.ts';
import { ingest } from './ingest.ts';
import { install, repair, uninstall } from './install.ts';
import { jobs, jobsCancel, jobsRetry } from './jobs.ts';
import { nameSession, starSession, tagSession } from './labels.ts';
import { logs } from './logs.ts';
import { mcp } from './mcp.ts';
import { memoryHistory, memoryList, memoryShow } from './memory.ts';
import {
  memoryConsolidate,
  memoryEdit,
  memoryForget,
  memoryPromote,
  memoryRevert,
  rememberThis,
} from './memory-change.ts';
import { modelTest } from './model.ts';
import { observations } from './observations.ts';
import { openViewer } from './open.ts';
import type { Operation } from './operation.ts';
import { pause, resumeCapture } from './pause.ts';
import { mute, pin, pins } from './pins.ts';
import { processJobs } from './process.ts';
import { projects, projectsLink } from './projects.ts';
import { sessionsPurge } from './purge.ts';
import { recover } from './recover.ts';
import { restore } from './restore.ts';
import { resume } from './resume.ts';
import { search } from './search.ts';
import { sessionsChanges, sessionsFind, sessionsOutline } from './session-parts.ts';
import { sessions, sessionsDelete } from './sessions.ts';
import { show } from './show.ts';
import { start } from './start.ts';
import { stats } from './stats.ts';
import { status } from './status.ts';
import { summaries } from './summaries.ts';
import { tasksAdd, tasksCancel, tasksList, tasksPause, tasksResume, tasksShow } from './tasks.ts';
import { timeline } from './timeline.ts';
import { vault } from './vault.ts';
import { workerInstall, workerRun, workerStart, workerStatus, workerStop, workerUninstall } from './worker.ts';

/** Every capability, in the order of the help. The surfaces are generated from this table. */
export const operations: readonly Operation[] = [
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
];
