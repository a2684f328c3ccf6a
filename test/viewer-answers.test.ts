// The viewer expects of operations what they declare: the compiler compares the types, the test compares the names.
import { expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { archive } from '../src/operations/data/archive.ts';
import { forget } from '../src/operations/data/forget.ts';
import { jobs, jobsCancel, jobsRetry } from '../src/operations/data/jobs.ts';
import { resume } from '../src/operations/data/resume.ts';
import { groupsShow } from '../src/operations/groups/groups.ts';
import { groupsSend, hostStatus } from '../src/operations/groups/host.ts';
import { tasksList } from '../src/operations/groups/tasks.ts';
import { operations } from '../src/operations/index.ts';
import { configList, configSet, configUnset } from '../src/operations/machine/config.ts';
import { doctor } from '../src/operations/machine/doctor.ts';
import { status } from '../src/operations/machine/status.ts';
import { memoryHistory, memoryList, memoryShow } from '../src/operations/memory/memory.ts';
import { memoryEdit, memoryForget, memoryRevert, rememberThis } from '../src/operations/memory/memory-change.ts';
import { activity } from '../src/operations/recall/activity.ts';
import { projectsCompare } from '../src/operations/recall/compare-projects.ts';
import { day } from '../src/operations/recall/day.ts';
import { nameSession, starSession, tagSession } from '../src/operations/recall/labels.ts';
import { observations } from '../src/operations/recall/observations.ts';
import { projects } from '../src/operations/recall/projects.ts';
import { search } from '../src/operations/recall/search.ts';
import { sessionsOriginal, sessionsUsage } from '../src/operations/recall/session-original.ts';
import {
  sessionsChanges,
  sessionsCommits,
  sessionsFind,
  sessionsOutline,
} from '../src/operations/recall/session-parts.ts';
import { sessions } from '../src/operations/recall/sessions.ts';
import { show } from '../src/operations/recall/show.ts';
import { stats } from '../src/operations/recall/stats.ts';
import { summaries } from '../src/operations/recall/summaries.ts';
import { timeline } from '../src/operations/recall/timeline.ts';
import type { Changes, Reads } from '../src/surfaces/viewer/answers.ts';

const reads = {
  search,
  sessions,
  show,
  'projects compare': projectsCompare,
  'sessions outline': sessionsOutline,
  'sessions find': sessionsFind,
  'sessions changes': sessionsChanges,
  'sessions commits': sessionsCommits,
  'sessions original': sessionsOriginal,
  'sessions usage': sessionsUsage,
  day,
  timeline,
  projects,
  observations,
  summaries,
  'memory list': memoryList,
  'memory show': memoryShow,
  'memory history': memoryHistory,
  jobs,
  stats,
  activity,
  'groups show': groupsShow,
  'host status': hostStatus,
  tasks: tasksList,
  doctor,
  status,
  'config list': configList,
};
const changes = {
  archive,
  name: nameSession,
  star: starSession,
  tag: tagSession,
  resume,
  forget,
  'memory edit': memoryEdit,
  'memory revert': memoryRevert,
  'memory forget': memoryForget,
  remember: rememberThis,
  'jobs retry': jobsRetry,
  'jobs cancel': jobsCancel,
  'groups send': groupsSend,
  'config set': configSet,
  'config unset': configUnset,
};

type Answers<Table extends Record<string, { output: z.ZodType }>> = {
  [Name in keyof Table]: z.output<Table[Name]['output']>;
};

it('the viewer expects what operations answer', () => {
  expectTypeOf<Answers<typeof reads>>().toExtend<Reads>();
  expectTypeOf<Answers<typeof changes>>().toExtend<Changes>();
});

it('each is offered over HTTP under its name, and only operations that change something are a POST', () => {
  for (const [table, method] of [
    [reads, 'GET'],
    [changes, 'POST'],
  ] as const)
    for (const [name, operation] of Object.entries(table)) {
      expect(operation.name).toBe(name);
      expect(operations.find((one) => one.name === name)?.surfaces).toContain('http');
      expect(operation.http?.method ?? 'GET').toBe(method);
    }
});
