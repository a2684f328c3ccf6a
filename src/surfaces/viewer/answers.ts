// The answers of the operations, by name. A test compares each with the type that the operation declares.
import type { Activity, Amount } from '../../schema/activity.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Bookmark, Group } from '../../schema/group.ts';
import type { IncomingMessage, OutgoingMessage } from '../../schema/group-message.ts';
import type { Hit } from '../../schema/hit.ts';
import type { Job, JobStatus, Spending } from '../../schema/job.ts';
import type { Memory, MemoryKind, MemoryVersion } from '../../schema/memory.ts';
import type { Observation } from '../../schema/observation.ts';
import type { Project } from '../../schema/project.ts';
import type { Session } from '../../schema/session.ts';
import type { Summary } from '../../schema/summary.ts';
import type { ScheduledTask } from '../../schema/task.ts';
import type { TimelineItem } from '../../schema/timeline-item.ts';
import type { ToolUse } from '../../schema/tool-use.ts';

export interface ShownEntry extends Entry {
  toolUses: ToolUse[];
}

export interface TouchedFile {
  file: string;
  modified: number;
  read: number;
}

export interface MemoryPageRow {
  page: string;
  title: string;
  kind: MemoryKind;
  memories: number;
  at: string;
  own: boolean;
}

export interface Forgotten {
  kind: 'session' | 'entry' | 'tool use' | 'observation' | 'summary' | 'memory';
  id: string;
  title: string;
  forgotten: boolean;
  removed: {
    sessions: number;
    entries: number;
    toolUses: number;
    observations: number;
    summaries: number;
    briefings: number;
    pins: number;
    memories: number;
  };
  files: string[];
  left: string[];
}

export interface Check {
  name: string;
  ok: boolean;
  message: string;
  hint?: string | undefined;
  /** Not in use, and need not be. */
  off?: boolean | undefined;
}

export interface SettingValue {
  key: string;
  value: string | number | boolean | string[] | null;
  origin: 'default' | 'file' | 'environment';
  variable: string;
  description: string;
  kind: 'boolean' | 'number' | 'string' | 'list';
  options?: string[] | undefined;
  atTerminal: boolean;
  atStart: boolean;
}

export interface GroupState {
  group: string;
  waiting: number;
  handed: number;
  givenUp: number;
  retryAt?: string | undefined;
  tasks: number;
  error?: { at: string; text: string } | undefined;
}

/** An entry with its index in the transcript. */
export interface Placed {
  id: string;
  at: string;
  place: number;
  text: string;
}

export interface ComparedProject {
  name: string;
  path: string;
  sessions: number;
  entries: number;
  prompts: number;
  toolUses: number;
  days: number;
  months: { month: string; entries: number }[];
  tokens: number;
  counted: number;
  cost?: number | undefined;
  failed: number;
  files: { file: string; modified: number; read: number }[];
}

export interface Labelled {
  session: string;
  agent: AgentName;
  title: string;
  starred: boolean;
  tags: string[];
}

/** Operations that only read. */
export interface Reads {
  search: { hits: Hit[]; note?: string | undefined };
  sessions: { sessions: Session[] };
  show: {
    session: Session;
    focus?: string | undefined;
    total: number;
    from: number;
    entries: ShownEntry[];
    files?: TouchedFile[] | undefined;
    briefings?: { at: string; source: string; text: string }[] | undefined;
  };
  'sessions outline': { session: string; prompts: Placed[]; more: boolean };
  'sessions find': { session: string; matches: Placed[]; more: boolean };
  'sessions changes': {
    session: string;
    folder: string;
    files: { file: string; edits: number; uses: ToolUse[] }[];
    left: number;
  };
  'sessions commits': {
    session: string;
    repository?: string | undefined;
    commits: { hash: string; branch: string; subject: string; at: string; entry: string }[];
  };
  'sessions original': {
    session: string;
    entry: string;
    input?: string | undefined;
    output?: string | undefined;
    left: number;
    pictures: { type: string; data: string }[];
  };
  'sessions usage': {
    session: string;
    models: {
      model: string;
      answers: number;
      input: number;
      output: number;
      cacheRead: number;
      cacheWrite: number;
      cost?: number | undefined;
    }[];
    cost?: number | undefined;
    pricesOf: string;
  };
  day: {
    day: string;
    timeZone: string;
    sessions: {
      session: Session;
      prompts: { id: string; at: string; text: string }[];
      completed?: string | undefined;
      nextSteps?: string | undefined;
    }[];
    account?: { page: string; text: string } | undefined;
  };
  timeline: { focus?: string | undefined; items: TimelineItem[] };
  projects: { projects: Project[] };
  'projects compare': { projects: ComparedProject[] };
  observations: { observations: Observation[] };
  summaries: { summaries: Summary[] };
  'memory list': { folder: string; pages: MemoryPageRow[] };
  'memory show': { page: string; file: string; text: string; memories: Memory[] };
  'memory history': { memories: { id: string; page: string; versions: MemoryVersion[] }[] };
  jobs: { jobs: Job[]; counts: Record<JobStatus, number> };
  stats: {
    kept: { projects: number; sessions: number; entries: number; toolUses: number; bytes: number };
    distilled: { observations: number; summaries: number; conversations: number };
    jobs: { ready: number; failed: number };
    today: { spent: number; budget: number };
    spent: Spending & { tokens: number; saved: number };
    models: (Spending & { model: string })[];
    days: (Spending & { day: string })[];
    daysAndModels: (Spending & { day: string; model: string })[];
    imports: { day: string; entries: number; bytes: number; seconds: number }[];
    disk: { database: number; vault: number; memory: number; archives: number; backups: number; logs: number };
  };
  activity: Activity;
  'groups show': {
    group: Group;
    bookmarks: Bookmark[];
    unanswered: IncomingMessage[];
    told: number;
    folders: { work: string };
  };
  'host status': {
    running: boolean;
    since?: string | undefined;
    processes: { group: string; task?: number | undefined }[];
    groups: GroupState[];
  };
  tasks: { tasks: ScheduledTask[] };
  doctor: { ok: boolean; checks: Check[] };
  status: { ok: boolean; checks: Check[] };
  'config list': { file: string; settings: SettingValue[] };
}

/** Operations that change something. */
export interface Changes {
  archive: {
    session: string;
    outcome: 'new' | 'grown' | 'same' | 'none' | 'shared';
    file?: string | undefined;
    title: string;
    text?: string | undefined;
  };
  name: Labelled;
  star: Labelled;
  tag: Labelled;
  resume:
    | {
        session: Session;
        command: string[];
        before?: string[] | undefined;
        carried?: { agent: AgentName; session: string; files: string[] } | undefined;
        folder: string;
        folderIsGone?: boolean | undefined;
        restored: string[];
      }
    | { sessions: Session[] };
  forget: Forgotten;
  'memory edit': { page: string; file: string };
  'memory revert': { page: string; id: string; text: string };
  'memory forget': { page: string; forgotten: number; left: string[] };
  remember: { memory: Memory; known: boolean };
  'jobs retry': { retried: number };
  'jobs cancel': { cancelled: number };
  'groups send': { message: IncomingMessage; hostRuns: boolean; note?: string | undefined };
  'config set': SettingValue;
  'config unset': SettingValue;
}

export type {
  Activity,
  AgentName,
  Amount,
  Entry,
  Hit,
  IncomingMessage,
  Job,
  Memory,
  MemoryVersion,
  Observation,
  OutgoingMessage,
  Project,
  ScheduledTask,
  Session,
  Summary,
  TimelineItem,
};
