// What the viewer expects of operations is what they declare: the compiler compares the types, the test the names.
import { expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { activity } from '../src/operations/activity.ts';
import { archive } from '../src/operations/archive.ts';
import { configList, configSet, configUnset } from '../src/operations/config.ts';
import { doctor } from '../src/operations/doctor.ts';
import { forget } from '../src/operations/forget.ts';
import { groupsShow } from '../src/operations/groups.ts';
import { groupsSend, hostStatus } from '../src/operations/host.ts';
import { operations } from '../src/operations/index.ts';
import { jobs, jobsCancel, jobsRetry } from '../src/operations/jobs.ts';
import { nameSession, starSession, tagSession } from '../src/operations/labels.ts';
import { memoryHistory, memoryList, memoryShow } from '../src/operations/memory.ts';
import { memoryEdit, memoryForget, memoryRevert, rememberThis } from '../src/operations/memory-change.ts';
import { observations } from '../src/operations/observations.ts';
import { projects } from '../src/operations/projects.ts';
import { resume } from '../src/operations/resume.ts';
import { search } from '../src/operations/search.ts';
import { sessionsChanges, sessionsFind, sessionsOutline } from '../src/operations/session-parts.ts';
import { sessions } from '../src/operations/sessions.ts';
import { show } from '../src/operations/show.ts';
import { stats } from '../src/operations/stats.ts';
import { status } from '../src/operations/status.ts';
import { summaries } from '../src/operations/summaries.ts';
import { tasksList } from '../src/operations/tasks.ts';
import { timeline } from '../src/operations/timeline.ts';
import type { Changes, Reads } from '../src/viewer/answers.ts';

const reads = {
  search,
  sessions,
  show,
  'sessions outline': sessionsOutline,
  'sessions find': sessionsFind,
  'sessions changes': sessionsChanges,
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

it('each is offered over HTTP under its name, and only what changes something is a POST', () => {
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
