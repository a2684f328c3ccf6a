// One line of an export. A file line is followed by the entries of that transcript, in its order.
import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { ConversationStatus } from './conversation.ts';
import { Author, EntryForm, Role } from './entry.ts';
import { GroupName, nameOfGroup } from './group.ts';
import { JobKind } from './job.ts';
import { SaidBy } from './memory.ts';
import { Observation } from './observation.ts';
import { PinKind } from './pin.ts';
import { StoredState } from './reader-state.ts';
import { FactKind, TitleSource } from './session-fact.ts';
import { SessionStatus } from './session-state.ts';
import { PastSummary, Summary } from './summary.ts';
import { TaskContext, TaskKind, TaskState } from './task.ts';

export const exportFormat = 'holdfast export';
/** Raised when an older program would misread a file. */
export const exportVersion = 2;

const Ms = z.number();
const OrNull = <T extends z.ZodType>(schema: T) => schema.nullable();
const OfSession = { agent: AgentName, session: z.string().min(1) };

/** Older exports have these as wording of `completed` alone. */
const summaryParts = { outcome: Summary.shape.outcome.optional(), commits: Summary.shape.commits.optional() };

/** A group of the same name may be another group. `nth`: several rows may have the same moment. */
const OfGroup = { group: GroupName, groupCreatedAt: Ms, nth: z.int().min(1) };

export const ExportHeader = z.object({
  is: z.literal('header'),
  format: z.literal(exportFormat),
  version: z.int(),
  at: z.string(),
  counts: z.record(z.string(), z.int()),
});
export type ExportHeader = z.infer<typeof ExportHeader>;

export const ExportedFile = z.object({
  is: z.literal('file'),
  agent: AgentName,
  key: z.string().min(1),
  /** The export lacks some entries of the transcript. */
  partial: z.boolean(),
  subagent: OrNull(z.string()),
  offset: z.int().min(0),
  lines: z.int().min(0),
  head: z.string(),
  tail: z.string(),
  state: StoredState,
  bornAt: OrNull(Ms),
  malformed: z.int().min(0),
  /** The version of the agent's reader that has read the whole transcript; absent in older exports. */
  reader: z.int().min(0).default(0),
  status: z.enum(['ok', 'ignored', 'failed']),
  error: OrNull(z.string()),
  copies: z.array(z.object({ root: z.string(), size: z.int() })),
  sessions: z.array(
    z.object({
      session: z.string().min(1),
      cwd: OrNull(z.string()),
      project: OrNull(z.string()),
      title: OrNull(z.string()),
      titleBy: OrNull(TitleSource).default(null),
      facts: z.array(z.object({ kind: FactKind, value: z.string(), pos: z.int().min(0) })).default([]),
    }),
  ),
  titles: z.array(z.object({ leaf: z.string(), title: z.string() })).default([]),
});
export type ExportedFile = z.infer<typeof ExportedFile>;

export const ExportedEntry = z.object({
  is: z.literal('entry'),
  uuid: z.string().min(1),
  session: z.string().min(1),
  /** Below 0 for an entry that is no longer in the transcript. */
  pos: z.int(),
  at: Ms,
  role: Role,
  author: Author,
  form: OrNull(EntryForm).default(null),
  text: z.string(),
  tools: z.array(z.string()),
  joinsAt: OrNull(z.int()),
  /** Set if a subagent said it in the file of its session. */
  subagent: OrNull(z.string()).default(null),
  uses: z.array(
    z.object({
      id: z.string(),
      tool: z.string(),
      input: z.string(),
      files: z.array(z.string()),
      outcome: OrNull(z.enum(['ok', 'error'])),
      output: OrNull(z.string()),
    }),
  ),
});
export type ExportedEntry = z.infer<typeof ExportedEntry>;

/** Rows besides the entries, under names that are valid on every machine. */
export const ExportedRow = z.discriminatedUnion('is', [
  z.object({ is: z.literal('link'), from: z.string().min(1), to: z.string().min(1) }),
  z.object({ is: z.literal('pause'), from: Ms, until: OrNull(Ms) }),
  z.object({ is: z.literal('tombstone'), print: z.string().min(1), at: Ms }),
  z.object({ is: z.literal('memory-tombstone'), print: z.string().min(1) }),
  z.object({
    is: z.literal('state'),
    ...OfSession,
    status: SessionStatus,
    prompts: z.int(),
    promptId: OrNull(z.string()),
    endReason: OrNull(z.string()),
    lastUser: OrNull(z.string()),
    lastAssistant: OrNull(z.string()),
    updatedAt: Ms,
  }),
  z.object({
    is: z.literal('label'),
    ...OfSession,
    ...{ name: OrNull(z.string()), starred: z.boolean(), tags: z.array(z.string()), at: Ms },
  }),
  z.object({
    is: z.literal('conversation'),
    agent: AgentName,
    file: z.string(),
    firstPos: z.int(),
    status: ConversationStatus,
    reason: OrNull(z.string()),
    attempts: z.int(),
  }),
  Observation.omit({ id: true, project: true }).extend({ is: z.literal('observation') }),
  Summary.omit({ id: true, project: true }).extend({
    is: z.literal('summary'),
    ...summaryParts,
    /** Summaries at the ends of earlier turns; absent in older exports. */
    past: z.array(PastSummary.extend(summaryParts)).optional(),
  }),
  z.object({
    is: z.literal('job'),
    ...OfSession,
    kind: JobKind,
    /** The number of a prompt; 0 for a session. For a conversation: its transcript and first position. */
    subject: z.int(),
    file: OrNull(z.string()),
    /** The version of its material; null: any. */
    version: OrNull(z.string()),
    status: z.enum(['done', 'failed', 'cancelled']),
    at: Ms,
    attempts: z.int(),
    error: OrNull(z.string()),
    by: OrNull(z.string()),
    tokens: z.int(),
    updatedAt: Ms,
  }),
  z.object({
    is: z.literal('extraction'),
    ...OfSession,
    file: z.string(),
    firstPos: z.int(),
    firstAt: Ms,
    lastAt: Ms,
    project: z.string(),
    by: z.string(),
    json: z.string(),
  }),
  z.object({
    is: z.literal('statement'),
    ...{ page: z.string(), target: z.string(), kind: z.string(), at: Ms, order: z.int(), title: z.string() },
    ...{ key: z.string(), text: z.string(), why: z.string(), project: z.string(), session: z.string() },
    ...{
      source: z.enum(['conversation', 'remembered', 'promoted']),
      saidBy: SaidBy.default('person'),
      tags: z.array(z.string()),
      from: z.string(),
    },
  }),
  z.object({
    is: z.literal('edit'),
    ...{ page: z.string(), target: z.string(), kind: z.enum(['change', 'remove', 'add', 'release']) },
    ...{ text: z.string(), tight: z.boolean(), front: z.boolean(), anchor: z.string() },
    ...{ section: z.string(), before: z.string(), at: Ms },
  }),
  z.object({ is: z.literal('merge'), page: z.string(), target: z.string(), into: z.string(), at: Ms }),
  z.object({
    is: z.literal('pin'),
    kind: PinKind,
    id: z.string(),
    agent: z.union([AgentName, z.literal('')]),
    mark: z.enum(['pinned', 'muted']),
    at: Ms,
  }),
  z.object({
    is: z.literal('briefing'),
    ...OfSession,
    project: z.string(),
    at: Ms,
    source: z.string(),
    text: z.string(),
  }),
  z.object({
    ...{ is: z.literal('group-session'), ...OfSession },
    group: z.string().refine((name) => GroupName.safeParse(nameOfGroup(name)).success, 'must be the name of a group'),
  }),
  z.object({
    is: z.literal('group'),
    ...{ name: GroupName, createdAt: Ms, agent: OrNull(AgentName), session: OrNull(z.string()) },
    ...{ resumeAt: OrNull(z.string()), since: OrNull(Ms) },
  }),
  z.object({
    is: z.literal('bookmark'),
    ...OfSession,
    group: GroupName,
    name: z.string(),
    createdAt: Ms,
    archivedAt: Ms,
  }),
  z.object({
    is: z.literal('task'),
    ...OfGroup,
    ...{ prompt: z.string(), kind: TaskKind, when: z.string(), timeZone: z.string(), context: TaskContext },
    ...{ state: TaskState, createdAt: Ms, nextAt: OrNull(Ms), lastAt: OrNull(Ms) },
  }),
  /** Messages without an answer yet: the rest is in sessions. */
  z.object({
    is: z.literal('message'),
    ...OfGroup,
    ...{ text: z.string(), from: OrNull(z.string()), arrivedAt: Ms, state: z.enum(['waiting', 'given-up']) },
    attempts: z.int(),
  }),
]);
export type ExportedRow = z.infer<typeof ExportedRow>;

export const ExportedLine = z.discriminatedUnion('is', [ExportedFile, ExportedEntry, ...ExportedRow.options]);
export type ExportedLine = z.infer<typeof ExportedLine>;
