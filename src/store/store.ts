// ② The store: what every engine must offer. Each method is one transaction; a promise that resolves is durable.
import type { ReaderState } from '../agents/agent.ts';
import type { AgentName } from '../schema/agent-name.ts';
import type { BriefingSource, GivenBriefing } from '../schema/briefing.ts';
import type { Change } from '../schema/change.ts';
import type { Conversation, ConversationStatus } from '../schema/conversation.ts';
import type { Author, Entry, Role } from '../schema/entry.ts';
import type { ExportedLine, ExportedRow } from '../schema/exported.ts';
import type { DerivedKind } from '../schema/hit.ts';
import type { Job, JobKind, JobStatus, Spending, Usage } from '../schema/job.ts';
import type { Observation, ObservationType } from '../schema/observation.ts';
import type { Pin, PinKind } from '../schema/pin.ts';
import type { Project } from '../schema/project.ts';
import type { Session } from '../schema/session.ts';
import type { SessionState } from '../schema/session-state.ts';
import type { Summary } from '../schema/summary.ts';
import type { Moment } from '../schema/time.ts';
import type { ToolUse } from '../schema/tool-use.ts';
import type { GroupStore, SessionKey } from './groups.ts';
import type { HostStore } from './host.ts';
import type { MemoryStore } from './memory.ts';

/** Where ingest stands with one transcript. The same key under several roots (live tree, backup) is one file. */
export interface FileState {
  readonly agent: AgentName;
  readonly key: string;
  /** Bytes taken in so far: always the end of a line. */
  readonly offset: number;
  readonly lines: number;
  /** Prints of the first bytes and of the last bytes before the offset: they tell a file that grew from another file. */
  readonly head: string;
  readonly tail: string;
  readonly state: ReaderState;
  readonly bornAt: number | undefined;
  readonly malformed: number;
  readonly status: FileStatus;
  readonly error: string | undefined;
  /** The size last seen under each root. */
  readonly copies: ReadonlyMap<string, number>;
}

/** `ignored`: written by our own distiller. `failed`: could not be read; the error says why. */
export type FileStatus = 'ok' | 'ignored' | 'failed';

export interface NewToolUse {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly files: readonly string[];
}

export interface NewEntry {
  readonly uuid: string;
  readonly session: string;
  /** Byte offset of its line: the order of entries within a file. */
  readonly pos: number;
  readonly at: number;
  readonly role: Role;
  readonly author: Author;
  readonly text: string;
  readonly tools: readonly string[];
  readonly toolUses: readonly NewToolUse[];
  /** Set when the entry continues from a line further back: the byte offset of that line. */
  readonly joinsAt: number | undefined;
}

export interface NewToolResult {
  readonly id: string;
  readonly pos: number;
  readonly outcome: 'ok' | 'error';
  readonly output: string;
}

/** A session as one file knows it. */
export interface SessionInFile {
  readonly session: string;
  readonly cwd: string | undefined;
  readonly projectPath: string | undefined;
  readonly title: string | undefined;
}

/** One step forward in one file: everything between two offsets. */
export interface Chunk {
  readonly agent: AgentName;
  /** Whose agent wrote the transcript. Its sessions become the group's; what it says of others' sessions is not taken. */
  readonly group?: string | undefined;
  readonly key: string;
  readonly root: string;
  /** The file's size when the step was planned. */
  readonly size: number;
  readonly subagent: string | undefined;
  /** The offset that the stored state must have, or the chunk is stale. */
  readonly from: number;
  readonly to: number;
  /** Reads the file anew from the start; what it no longer holds is swept when the last chunk arrives. */
  readonly restart: boolean;
  /** Nothing of the file is left after this chunk. */
  readonly last: boolean;
  readonly lines: number;
  readonly malformed: number;
  readonly head: string;
  readonly tail: string;
  readonly state: ReaderState;
  readonly bornAt: number | undefined;
  readonly status: FileStatus;
  /** Why the file is `failed`. */
  readonly error?: string | undefined;
  readonly sessions: readonly SessionInFile[];
  readonly entries: readonly NewEntry[];
  readonly results: readonly NewToolResult[];
}

export interface FileCopy {
  readonly agent: AgentName;
  readonly key: string;
  readonly root: string;
  readonly size: number;
}

export interface ChunkOutcome {
  /** Another process was faster: nothing was written, read the state again. */
  readonly stale: boolean;
  readonly added: number;
}

/** A stretch of time in which nothing is kept; one without an end is running. */
export interface Pause {
  readonly from: number;
  readonly until: number | undefined;
}

/** A transcript of which the vault lacks something. */
export interface VaultDue {
  readonly agent: AgentName;
  readonly key: string;
  /** Folders in which the transcript was seen, the longest copy first. */
  readonly roots: readonly string[];
  readonly generation: number;
  /** The bytes of the transcript that are to be copied: whole lines. */
  readonly from: number;
  readonly to: number;
  /** How long the copy is; anything beyond belongs to a write that died. */
  readonly bytes: number;
  readonly state: ReaderState;
}

/** A transcript in the vault. */
export interface VaultCopy {
  readonly agent: AgentName;
  readonly key: string;
  /** What the copy takes on disk. */
  readonly bytes: number;
  /** Up to where it covers the transcript. */
  readonly offset: number;
  readonly updatedAt: number;
}

/** An archive as it was written. A session has one in a folder. */
export interface ArchiveRow {
  readonly agent: AgentName;
  readonly session: string;
  readonly folder: string;
  /** Its name in the folder. */
  readonly file: string;
  /** What the person called the session. */
  readonly name?: string | undefined;
  readonly title: string;
  /** Prints of what was said, and of the whole file: whether there is more now, and whether somebody changed it. */
  readonly bodyPrint: string;
  readonly filePrint: string;
  readonly at: number;
}

/** What to make of a stored text: of plain text, and of JSON that may be cut in the middle. Contract: neither throws. */
export interface TextChange {
  text(text: string): string;
  json(text: string): string;
}

export interface ConversationRules {
  readonly gapMs: number;
  readonly maxEntries: number;
  readonly maxChars: number;
}

export interface SessionFilter {
  readonly project?: ProjectFilter | undefined;
  readonly agent?: AgentName | undefined;
  /** Only sessions that belong to this group. */
  readonly group?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
}

/** All projects of a name, or the one project that a path lies in. */
export type ProjectFilter = { readonly name: string } | { readonly path: string };

/** Words that stand side by side; the last may be the beginning of a longer one. */
export interface KeywordTerm {
  readonly words: readonly string[];
  readonly prefix: boolean;
  /** Looked for instead where the term itself stands nowhere. */
  readonly parts?: readonly KeywordTerm[];
}

/** What a person looks for, free of any engine's syntax. A hit holds at least one of the terms or variants, and all of the phrases. */
export interface KeywordQuery {
  readonly terms: readonly KeywordTerm[];
  readonly phrases: readonly (readonly string[])[];
  /** Other ways to write the terms: the parts of a compound name, a word without its ending. */
  readonly variants?: readonly KeywordTerm[];
}

export interface KeywordFilter extends SessionFilter {
  readonly role?: Role | undefined;
  readonly subagents?: boolean | undefined;
  readonly limit: number;
}

export interface KeywordHit {
  readonly score: number;
  readonly entry: Entry;
  readonly project: string;
  readonly title: string;
}

export interface TranscriptPage {
  readonly subagents?: boolean | undefined;
  readonly around?: string | undefined;
  readonly from?: number | undefined;
  readonly limit: number;
}

export interface TranscriptPart {
  /** How many entries the whole has. */
  readonly total: number;
  /** The place of the first of these. */
  readonly from: number;
  readonly entries: readonly Entry[];
}

/** Something that a hook or a client told of a session. */
export interface SessionChange {
  readonly agent: AgentName;
  readonly session: string;
  readonly at: number;
  /** `stop` asks for a summary; a prompt reopens whatever was stopped or ended. */
  readonly event: 'start' | 'prompt' | 'stop' | 'end';
  /** A prompt with the id of the one before it is the same, told twice. */
  readonly promptId?: string | undefined;
  readonly reason?: string | undefined;
  readonly lastUserMessage?: string | undefined;
  readonly lastAssistantMessage?: string | undefined;
}

export interface Counts {
  readonly files: number;
  readonly entries: number;
  readonly subagentEntries: number;
  readonly toolUses: number;
  readonly sessions: number;
  readonly projects: number;
  readonly malformed: number;
  readonly conversations: Readonly<Record<ConversationStatus, number>>;
}

/** Entries by BM25, best first: rows and scores side by side. */
export interface KeywordRanking {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
  /** How rare each term of the query is among the entries asked for: the logarithm of one in how many holds it. */
  readonly rarity: readonly number[];
}

/** Of how many entries each term of a query stands in. */
export interface KeywordCounts {
  readonly entries: number;
  /** In the order of the query's terms. */
  readonly matches: readonly number[];
}

/** A project, in figures. Only sessions in which a person spoke count. */
export interface ProjectDigest {
  readonly name: string;
  readonly path: string;
  readonly sessions: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** A session in a line. */
export interface SessionGlance {
  readonly id: string;
  readonly agent: AgentName;
  readonly title: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The beginning of what the person asked first. */
  readonly asked: string;
}

/** How a session ended, without subagents and branches that it left. */
export interface SessionEnding {
  /** The last prompts of the person, newest first. */
  readonly prompts: readonly Entry[];
  /** The last entries that say something, oldest first. */
  readonly entries: readonly Entry[];
  /** The last tool uses, oldest first. */
  readonly toolUses: readonly ToolUse[];
}

/** A file that a tool was used on. */
export interface Touch {
  readonly file: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly at: number;
  readonly session: string;
  readonly cwd: string;
}

/** One use of a tool on a file that was asked for. */
export interface FileTouch {
  readonly file: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly entry: Entry;
  /** Where the session worked: a path that is not absolute is seen from there. */
  readonly cwd: string;
  readonly project: string;
  readonly title: string;
  /** The entry of the prompt that led to it. */
  readonly prompt?: string | undefined;
}

export interface NewBriefing {
  readonly agent: AgentName;
  readonly session: string;
  readonly project: string;
  readonly at: number;
  readonly source: BriefingSource;
  readonly text: string;
}

export interface PinKey {
  readonly kind: PinKind;
  readonly id: string;
  readonly agent?: AgentName | undefined;
}

/** A folder that was moved. What happened in the old one, or below it, counts as done in the new one. */
export interface ProjectLink {
  readonly from: string;
  readonly to: string;
}

export interface TimelineFilter extends SessionFilter {
  /** Which end of the time is wanted where there is more than the limit. */
  readonly end: 'newest' | 'oldest';
  readonly limit: number;
}

/** For the account of what came in when. */
export interface CommitNote {
  readonly at: number;
  /** Milliseconds since the work on this batch began, asked when its rows are written. */
  elapsed(): number;
}

export interface ImportedOnDay {
  readonly day: string;
  readonly entries: number;
  readonly bytes: number;
  readonly ms: number;
}

export interface ActivityFilter extends Omit<SessionFilter, 'limit'> {
  readonly since: number;
  readonly until: number;
}

export interface QuarterOfSession {
  /** The same number is the same session; it means nothing else. */
  readonly session: number;
  /** Its first millisecond. */
  readonly at: number;
  readonly entries: number;
  readonly prompts: number;
  /** Empty names where the session has none. */
  readonly project: { readonly name: string; readonly path: string };
}

export interface TimelineEntry {
  readonly entry: Entry;
  readonly project: string;
}

/** A turn as it is stored: without subagents, branches that were left, and what a fork copied. Long ones lack their middle. */
export interface StoredTurn {
  /** From 1; 0 for what came before the first prompt. */
  readonly prompt: number;
  /** The beginnings of the prompts before it, the nearest first: `yes, do that` needs them. */
  readonly before: readonly string[];
  readonly entries: readonly Entry[];
  readonly toolUses: readonly ToolUse[];
}

export interface StoredTurns {
  readonly project: string;
  readonly projectPath: string;
  readonly cwd: string;
  readonly title: string;
  /** Prompts of a person in the session, also where some turns are left out. */
  readonly prompts: number;
  readonly turns: readonly StoredTurn[];
}

/** The first of `entries` is the entry that the turn begins with. */
export type NewObservation = Omit<Observation, 'id' | 'project'>;
export type NewSummary = Omit<Summary, 'id' | 'project'>;

/** Times are those of the observation or summary itself. */
export interface DistilledFilter extends SessionFilter {
  /** The id of a session, or its beginning. */
  readonly session?: string | undefined;
  /** A path as seen from the project, or its last parts. */
  readonly file?: string | undefined;
}

export interface ObservationFilter extends DistilledFilter {
  readonly type?: ObservationType | undefined;
}

export interface PlanRules {
  /** A silence longer than this ends a turn and a session of which nothing else was told. */
  readonly gapMs: number;
}

export interface JobFilter {
  readonly ids?: readonly number[] | undefined;
  readonly kind?: JobKind | undefined;
  readonly statuses?: readonly JobStatus[] | undefined;
  readonly session?: { readonly agent: AgentName; readonly session: string } | undefined;
  /** Only what has material from then on. */
  readonly since?: number | undefined;
}

export interface JobClaim extends Pick<JobFilter, 'session' | 'since' | 'kind'> {
  /** Names the process, or the part of it, that does the work. */
  readonly claimant: string;
  readonly now: number;
  readonly leaseMs: number;
  /** A job whose lease has expired this often has failed. */
  readonly maxAttempts: number;
  readonly limit: number;
  /** Jobs of one kind, but of several sessions. */
  readonly mixed?: boolean | undefined;
  /** Does not wait for a silence. */
  readonly early?: boolean | undefined;
}

export interface ClaimedJob {
  readonly id: number;
  readonly kind: JobKind;
  readonly agent: AgentName;
  readonly session: string;
  /** The number of a prompt, or the id of a conversation. */
  readonly subject: number;
  /** This one included. */
  readonly attempts: number;
}

/** What a job has given: stored with its end, in one transaction. Nothing to say takes away what was said before. */
export type JobResult = { readonly id: number; readonly by: string; readonly tokens: number } & (
  | { readonly kind: 'observe'; readonly observation: NewObservation | undefined }
  | { readonly kind: 'summarize'; readonly summary: NewSummary | undefined }
  | { readonly kind: 'remember' }
);

/** What calls to a model have cost. */
export interface Spent {
  readonly agent: AgentName;
  readonly session: string;
  readonly kind: JobKind;
  readonly model: string;
  readonly usage: Usage;
  /** Tokens that one call for each tool use would have taken. */
  readonly insteadOf: number;
}

export interface JobFailure {
  readonly error: string;
  readonly retryAt: number;
  readonly waitsFor?: string | undefined;
  readonly maxAttempts: number;
}

export interface JobCounts extends Readonly<Record<JobStatus, number>> {
  /** Ready jobs that wait for something other than time. */
  readonly waits: readonly { reason: string; until: number; jobs: number; error?: string }[];
}

export interface TokenLimits {
  readonly dayStart: number;
  readonly perDay: number;
  readonly perSession: number;
}

/** What can have vectors. */
export type SubjectKind = 'entry' | DerivedKind;

/** A row that passes the filter. */
export interface DerivedMatch {
  readonly row: number;
  readonly at: number;
  /** It is dated, and counts less as time goes by. */
  readonly fades: boolean;
  /** BM25; undefined where it does not hold what was asked for. */
  readonly score: number | undefined;
}

export interface DerivedAt {
  readonly row: number;
  readonly id: string;
  readonly title: string;
  /** What the index holds beside the title. */
  readonly text: string;
  readonly at: Moment;
  readonly project: string;
  /** Empty where there is none. */
  readonly session: string;
  readonly agent?: AgentName | undefined;
}

export interface VectorModel {
  /** Name and version: vectors of different models are not compared. */
  readonly name: string;
  /** Known with its first vector. */
  readonly dimensions: number | undefined;
  /** What is new gets a vector of this model; at most one is. */
  readonly wanted: boolean;
  /** Everything has a vector of it, but for what came in since. */
  readonly complete: boolean;
}

/** A text that lacks a vector. */
export interface PendingText {
  readonly kind: SubjectKind;
  /** Of its row. */
  readonly id: number;
  /** Another one when the text has changed. */
  readonly stamp: number;
  readonly text: string;
}

export interface EmbeddedText extends Omit<PendingText, 'text'> {
  /** One for each part of the text; none where it says nothing. */
  readonly vectors: readonly Int8Array[];
}

/** Why texts wait for their vectors. */
export interface EmbeddingTrouble {
  readonly at: number;
  readonly message: string;
  readonly hint?: string | undefined;
  /** When it is tried again. */
  readonly nextAt: number;
}

/**
 * Where entries stand, a column each, session by session. `marks`: 1 not the user's, 2 a subagent's, 4 on a branch that was left, 32 has a
 * question mark near its end. `vectors`: the number of its newest vector, where that was asked for and there is one, else 0. A session that is
 * gone, or without entries, stands there once, with 0 as the id of its entry.
 */
export interface PlacePage {
  readonly sessions: readonly number[];
  readonly ids: readonly number[];
  readonly files: readonly number[];
  readonly at: readonly number[];
  readonly marks: readonly number[];
  readonly lengths: readonly number[];
  readonly vectors: readonly number[];
  /** Where to go on from, and whether that is the end. */
  readonly position: number;
  readonly done: boolean;
}

/** Vectors, one behind the other, with their numbers and the rows that they belong to. */
export interface VectorPage {
  readonly seqs: readonly number[];
  readonly ids: readonly number[];
  readonly vectors: Int8Array;
}

export interface EntryAt {
  readonly row: number;
  readonly entry: Entry;
  readonly project: string;
  readonly title: string;
}

/** An item that can be taken out for good. */
export type Forgettable =
  | { readonly kind: 'entry' | 'session'; readonly agent: AgentName; readonly id: string }
  | { readonly kind: 'observation' | 'summary'; readonly id: string };

/** Where a forgetting has left something outside of the database: names, never texts. */
export interface ForgottenTraces {
  readonly sessions: readonly { readonly agent: AgentName; readonly session: string; readonly gone: boolean }[];
  readonly transcripts: readonly {
    readonly agent: AgentName;
    readonly key: string;
    readonly roots: readonly string[];
  }[];
  /** Those that held some of it, and may have given memories. */
  readonly conversations: readonly {
    readonly agent: AgentName;
    readonly session: string;
    readonly file: string;
    readonly firstPos: number;
  }[];
}

export interface Forgotten {
  /** Rows that are gone. */
  readonly removed: {
    readonly sessions: number;
    readonly entries: number;
    readonly toolUses: number;
    readonly observations: number;
    readonly summaries: number;
    readonly briefings: number;
    readonly pins: number;
  };
  readonly traces: ForgottenTraces;
}

export interface Tombstone {
  readonly print: string;
  readonly at: number;
}

export interface Store extends MemoryStore, GroupStore, HostStore {
  readonly engine: string;
  /** Where the data is, for messages to a person. */
  readonly location: string;

  fileStates(agent?: AgentName): Promise<readonly FileState[]>;
  fileState(agent: AgentName, key: string): Promise<FileState | undefined>;
  /** Applies chunks in order, all in one transaction; a stale chunk is left out and said so. */
  commit(chunks: readonly Chunk[], rules: ConversationRules, note?: CommitNote): Promise<readonly ChunkOutcome[]>;
  /** What came in from then on, by the person's days. */
  imports(since: number, dayOf: (at: number) => string): Promise<readonly ImportedOnDay[]>;
  /** Records that copies of known files were seen under a root. */
  noteCopies(copies: readonly FileCopy[]): Promise<void>;
  /** Records that a file could not be read; its entries stay. */
  noteFailure(agent: AgentName, key: string, root: string, error: string): Promise<void>;

  /**
   * Takes sessions out with all that hangs on them, in one transaction; entries that a fork holds too become the fork's. Those that are not
   * there are passed over. The transcripts are the agents': reading one anew brings its session back.
   */
  deleteSessions(
    sessions: readonly SessionKey[],
    rules: ConversationRules,
  ): Promise<{ sessions: number; entries: number; toolUses: number; conversations: number }>;
  /** Which of these sessions, there or not, have given something to memory. */
  remembered(sessions: readonly SessionKey[]): Promise<readonly SessionKey[]>;
  /** How many conversations these sessions have. */
  countConversations(sessions: readonly SessionKey[]): Promise<number>;
  /** What these sessions have outside of the database, and no other session has a part in: copies in the vault, archives. */
  sessionFiles(sessions: readonly SessionKey[]): Promise<{
    readonly copies: readonly { readonly agent: AgentName; readonly key: string; readonly bytes: number }[];
    readonly archives: readonly Pick<ArchiveRow, 'folder' | 'file' | 'filePrint'>[];
  }>;
  /**
   * Takes an item out for good, with everything derived from it, and keeps a print by which it is known when it comes again: from a
   * transcript, a fork of it, a distiller or an import. What derives from more than the item is made again. What it leaves
   * outside of the database is unfinished until somebody says otherwise. Undefined when there is no such item.
   */
  forget(
    item: Forgettable,
    options: { rules: ConversationRules; now: number; dryRun?: boolean },
  ): Promise<Forgotten | undefined>;
  /** All that is not derived from something else here, of one moment; `file` lines are followed by their entries. */
  exported(
    filter: Pick<SessionFilter, 'project' | 'since'>,
  ): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly lines: AsyncIterable<ExportedLine> }>;
  /** Which of these entries are stored. */
  knownEntries(uuids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Takes in what an export says beside entries, after these. Returns how many of each kind were new. */
  takeRows(rows: readonly ExportedRow[]): Promise<Readonly<Record<string, number>>>;
  tombstones(): Promise<readonly Tombstone[]>;
  /** Takes over what was forgotten elsewhere, and forgets it here; `memories` are prints of the librarian's. */
  takeTombstones(
    prints: readonly Tombstone[],
    memories: Iterable<string>,
    options: { rules: ConversationRules; now: number },
  ): Promise<void>;
  unfinishedForgetting(now: number): Promise<readonly { readonly id: number; readonly traces: ForgottenTraces }[]>;
  finishForgetting(ids: readonly number[]): Promise<void>;
  /** Overwrites what was removed, in the database and its log. False while somebody else's reading keeps the log. */
  purge(): Promise<boolean>;
  /** Takes a session's status on: initialized → active → summarizing → completed. */
  noteSession(change: SessionChange): Promise<SessionState>;
  sessionState(agent: AgentName, session: string): Promise<SessionState | undefined>;
  /** When a hook or a client last told something. */
  lastToldAt(): Promise<number | undefined>;

  counts(): Promise<Counts>;
  projects(): Promise<readonly Project[]>;
  /** Newest activity first. */
  sessions(filter: SessionFilter): Promise<readonly Session[]>;
  /** Sessions whose id is, or starts with, the given text. */
  findSessions(id: string): Promise<readonly Session[]>;
  findEntries(id: string): Promise<readonly Entry[]>;
  /** What changed after a number, the oldest first. Of several changes of one thing only the last is there. */
  changesAfter(seq: number, limit: number): Promise<readonly Change[]>;
  /** The number of the last change; 0 where nothing ever was. */
  lastChange(): Promise<number>;

  /** The entries of a session in the order of its transcript, copies of forked history included. */
  transcript(agent: AgentName, session: string, options?: { subagents?: boolean }): Promise<readonly Entry[]>;
  /** A part of that: from a place on, or with the entry `around` in its middle. Costs what the part costs, not the whole. */
  transcriptPage(agent: AgentName, session: string, page: TranscriptPage): Promise<TranscriptPart>;
  toolUses(entries: readonly string[]): Promise<readonly ToolUse[]>;
  searchKeywords(query: KeywordQuery, filter: KeywordFilter): Promise<readonly KeywordHit[]>;
  keywordCounts(query: KeywordQuery): Promise<KeywordCounts>;
  /**
   * The rows that `searchKeywords` finds, many of them and without their texts. Terms that nearly everything holds do not count beside
   * rarer ones, and entries may be missing that hold common terms alone. Who knows which rows are a subagent's spares it the look.
   */
  rankKeywords(
    query: KeywordQuery,
    filter: KeywordFilter,
    isSubagents?: (row: number) => boolean,
  ): Promise<KeywordRanking>;
  /** What was said and done, in the order of time; without machine-made text, subagents and branches that were left. */
  timeline(filter: TimelineFilter): Promise<readonly TimelineEntry[]>;
  /** Entries by session and quarter of an hour, in no order; without those of subagents. */
  activity(filter: ActivityFilter): Promise<readonly QuarterOfSession[]>;

  /** The project of the name, or around the path; of several with the name, the one last worked in. */
  projectDigest(project: ProjectFilter): Promise<ProjectDigest | undefined>;
  /** Sessions of the project at exactly this path in which a person spoke, newest first. */
  recentSessions(projectPath: string, limit: number): Promise<readonly SessionGlance[]>;
  sessionEnding(agent: AgentName, session: string): Promise<SessionEnding>;
  /** The last uses of tools on files in the given sessions, newest first within each. */
  touches(sessions: readonly { agent: AgentName; id: string }[], limit: number): Promise<readonly Touch[]>;
  /** All paths with this last part that tools were used on, as the agents wrote them. */
  touchedFiles(name: string): Promise<readonly string[]>;
  /** Uses of tools on any of these paths, newest first. */
  fileTouches(paths: readonly string[], filter: KeywordFilter): Promise<readonly FileTouch[]>;
  /** Some of what holds the words in the turn around an entry. */
  turnMatches(query: KeywordQuery, entry: string): Promise<readonly Entry[]>;
  /** Records what a session was given. The same text twice in a row is one. */
  saveBriefing(briefing: NewBriefing): Promise<void>;
  /** Forgets what was given since; returns how many. */
  dropBriefings(since: number): Promise<number>;
  /** Newest first; `session` may be the beginning of an id. */
  briefings(filter: { session?: string | undefined; limit: number }): Promise<readonly GivenBriefing[]>;

  /** Pinned and muted things, newest first. */
  pins(): Promise<readonly Pin[]>;
  /** Pins what was muted, and the other way round. */
  setPin(key: PinKey, mark: Pin['mark'], at: number): Promise<void>;
  /** False when it was not so marked. */
  removePin(key: PinKey, mark: Pin['mark']): Promise<boolean>;

  projectLinks(): Promise<readonly ProjectLink[]>;
  /** Remembers a link, and gives the sessions of each project in `moves` to the other. Returns how many moved. */
  linkProject(link: ProjectLink, moves: readonly ProjectLink[]): Promise<number>;

  /** The prompts of a person in a session, in order: each begins a turn. */
  prompts(
    agent: AgentName,
    session: string,
  ): Promise<readonly { readonly prompt: number; readonly entry: string; readonly at: number }[]>;
  /** The turns of a session, in order, or only that of one prompt; of very many, the first and the last. */
  turns(agent: AgentName, session: string, prompt?: number): Promise<StoredTurns | undefined>;

  /** Replaces what was said of the turn before. Undefined, and nothing is kept, when the turn is no longer there. */
  saveObservation(observation: NewObservation): Promise<Observation | undefined>;
  /** Replaces what was said of the session before. Undefined, and nothing is kept, when there is no such session. */
  saveSummary(summary: NewSummary): Promise<Summary | undefined>;
  /** All of a session's at once, in one transaction; returns how many observations were kept. */
  saveDistilled(observations: readonly NewObservation[], summary: NewSummary | undefined): Promise<number>;
  /** Newest first. */
  observations(filter: ObservationFilter): Promise<readonly Observation[]>;
  summaries(filter: DistilledFilter): Promise<readonly Summary[]>;
  /** Those whose id is, or starts with, the given text. */
  findObservations(id: string): Promise<readonly Observation[]>;
  findSummaries(id: string): Promise<readonly Summary[]>;
  /** All that pass, newest first, whether they hold words of the query or not. */
  searchDerived(
    kind: DerivedKind,
    query: KeywordQuery,
    filter: Omit<DistilledFilter, 'limit'>,
  ): Promise<readonly DerivedMatch[]>;
  /** In the order asked for; rows that are gone are left out. */
  derivedAt(kind: DerivedKind, rows: readonly number[]): Promise<readonly DerivedAt[]>;
  distilledCounts(): Promise<{ observations: number; summaries: number }>;
  /** Takes away what was distilled, of one session or of all: it can be made again. */
  dropDistilled(of?: {
    readonly agent: AgentName;
    readonly session: string;
  }): Promise<{ observations: number; summaries: number }>;

  conversations(filter: {
    status?: ConversationStatus | undefined;
    project?: ProjectFilter | undefined;
    limit?: number | undefined;
  }): Promise<readonly Conversation[]>;
  conversation(id: number): Promise<Conversation | undefined>;
  conversationEntries(id: number): Promise<readonly Entry[]>;
  /** `active → ready` after the silence, then `ready → skipped` for those too short. Returns how many moved. */
  markReady(now: number, rules: { gapMs: number; minEntries: number }): Promise<number>;
  /** One move of the status table; any other is refused with CONFLICT. `processing` needs a lease. */
  moveConversation(
    id: number,
    to: ConversationStatus,
    options?: { reason?: string; leaseUntil?: number },
  ): Promise<Conversation>;

  /**
   * Derives the jobs of every session that has changed, in steps; conversations that are ready become queued, with a job each.
   * Its result is a function of the rows: it can be interrupted and repeated at will. False when more than `atMost` sessions
   * have changed, and some are left.
   */
  planJobs(now: number, rules: PlanRules, atMost?: number): Promise<boolean>;
  /**
   * Takes jobs of one kind and, unless mixed, of one session, newest material first, under a lease. Jobs whose lease has expired are ready
   * again before that, or failed after too many attempts. A conversation is `processing` while its job is claimed.
   */
  claimJobs(claim: JobClaim): Promise<readonly ClaimedJob[]>;
  renewClaims(claimant: string, until: number): Promise<void>;
  /** Who holds jobs. */
  claimants(): Promise<readonly string[]>;
  /**
   * Ends jobs together with what they gave, and with what that has cost. Returns those that were still the claimant's: a result that
   * comes after its lease is dropped. A job whose material has changed meanwhile is ready again.
   */
  finishJobs(claimant: string, results: readonly JobResult[], now: number, spent?: Spent): Promise<readonly number[]>;
  /** Gives jobs back to be tried again, or as failed after too many attempts. */
  failJobs(claimant: string, ids: readonly number[], failure: JobFailure, now: number, spent?: Spent): Promise<void>;
  /** Gives back all that a claimant holds, as if it had never been taken; with `wait`, for later. */
  releaseJobs(claimant: string, now: number, wait?: { until: number; reason: string }): Promise<void>;
  /** Lets every ready job wait: for the budget's next day, or for a service that does not answer. */
  deferJobs(until: number, reason: string): Promise<number>;
  /** Ends such waits when the settings are others than those under which they began. */
  undeferJobs(settings: string): Promise<number>;
  /** Ends the waits for one reason. */
  endWaits(reason: string): Promise<number>;
  countDueJobs(due: Pick<JobClaim, 'now' | 'session' | 'since' | 'early'>): Promise<number>;
  /** When the next job can begin, or the next lease expires. */
  nextJobAt(): Promise<number | undefined>;
  /** Last changed first. */
  jobs(filter: JobFilter & { limit?: number | undefined }): Promise<readonly Job[]>;
  jobCounts(): Promise<JobCounts>;
  /** Makes failed and cancelled jobs ready. */
  retryJobs(filter: JobFilter, now: number): Promise<number>;
  /** Returns those that could be: not what is done. What somebody is doing meanwhile is dropped. */
  cancelJobs(ids: readonly number[], now: number): Promise<readonly number[]>;
  /** Makes jobs that have ended ready again; with `notBy`, only those that something else has done. */
  redoJobs(filter: JobFilter & { notBy?: string | undefined }, now: number): Promise<number>;
  /** Sets tokens of the budget aside for a claimed job, unless a limit is in the way. */
  reserveTokens(job: number, tokens: number, limits: TokenLimits, now: number): Promise<'ok' | 'day' | 'session'>;
  /** What was spent from then on, by model and by the person's days. */
  spending(
    since: number,
    dayOf: (at: number) => string,
  ): Promise<readonly (Spending & { model: string; day: string })[]>;

  archive(agent: AgentName, session: string, folder: string): Promise<ArchiveRow | undefined>;
  archives(of: { agent: AgentName; session: string }): Promise<readonly ArchiveRow[]>;
  saveArchive(archive: ArchiveRow): Promise<void>;
  dropArchives(agent: AgentName, session: string): Promise<void>;

  vaultDue(): Promise<readonly VaultDue[]>;
  /**
   * Records how far the copy of a transcript has come; `forgotten` is how many tombstones were known to who wrote it. If there are
   * others by now nothing is recorded, and the answer says how many bytes of the copy count.
   */
  noteVault(
    copy: Pick<VaultDue, 'agent' | 'key' | 'generation' | 'bytes' | 'state'> & { offset: number; at: number },
    forgotten: number,
  ): Promise<{ readonly bytes: number } | undefined>;
  /** Runs `put`, which puts another file in the place of a copy, while no other process can. False when the copy has changed. */
  replaceVault(copy: Pick<VaultCopy, 'agent' | 'key' | 'bytes'>, bytes: number, put: () => void): Promise<boolean>;
  /** Records that the copy is gone. It is due again only when the transcript goes on. */
  dropVault(agent: AgentName, key: string): Promise<void>;
  /** Longest unchanged first. */
  vaultCopies(): Promise<readonly VaultCopy[]>;
  /** Those that a session stands in; its own transcript before those of its subagents. */
  sessionCopies(agent: AgentName, session: string): Promise<readonly VaultCopy[]>;

  /** Oldest first. */
  pauses(): Promise<readonly Pause[]>;
  /** Begins a pause, unless one is running; returns the running one. */
  startPause(at: number): Promise<Pause>;
  /** Ends the running pause; undefined when none is running. */
  endPause(at: number): Promise<Pause | undefined>;
  /**
   * Puts the next `limit` stored texts through the change, until all have the version: then it is done, and costs nothing any
   * more. How far it came is part of the same transaction, so it goes on after a crash, and processes share the work.
   */
  rewriteTexts(version: number, change: TextChange, limit: number): Promise<{ done: boolean; changed: number }>;

  /**
   * Derives anew what an older version has derived from the next `limit` rows: index texts, touched files. Done, it costs
   * nothing any more; how far it came is part of the same transaction.
   */
  renewDerived(limit: number): Promise<{ done: boolean }>;
  vectorModels(): Promise<readonly VectorModel[]>;
  /** From now on vectors of this model are wanted, and whatever has none is pending. At once where that is so already. */
  wantModel(name: string): Promise<void>;
  /** Texts that lack a vector of the wanted model, newest first. Costs nothing when there are none. */
  pendingTexts(limit: number): Promise<readonly PendingText[]>;
  /** Returns how many were taken. A text that has changed or gone since it was read is not, nor is a model that is not wanted any more. */
  saveVectors(model: string, texts: readonly EmbeddedText[]): Promise<number>;
  /** Removes some vectors of models that are not wanted, once the wanted one is complete. True when none are left. */
  dropOldVectors(limit: number): Promise<boolean>;
  /** Entries that have a vector of the wanted model, and texts of all kinds that lack one. */
  vectorCounts(): Promise<{ readonly embedded: number; readonly pending: number }>;
  /** One process at a time embeds where that takes long: true for the holder until then. Without `until` it is given back. */
  leaseEmbedding(holder: string, now: number, until: number | undefined): Promise<boolean>;
  /** Set by the last attempt that failed; vectors that are saved end it. */
  embeddingTrouble(): Promise<EmbeddingTrouble | undefined>;
  noteEmbeddingTrouble(trouble: EmbeddingTrouble): Promise<void>;

  /**
   * The places of all entries in sessions that have changed since a position (0: all sessions, in at most `limit` at a time),
   * and the position to go on from. With a model, each says which vector is its newest.
   */
  placesAfter(
    position: number,
    options: { readonly model?: string | undefined; readonly limit: number },
  ): Promise<PlacePage>;
  /** Vectors with a number above `seq`, in the order of their numbers. */
  vectorsAfter(seq: number, of: { kind: SubjectKind; model: string; limit: number }): Promise<VectorPage>;
  /** The vectors of these rows, in the order of their numbers. */
  vectorsOf(ids: readonly number[], of: { kind: SubjectKind; model: string }): Promise<VectorPage>;
  /** The vectors with these numbers, in this order; those that are gone are left out. */
  vectorsAt(seqs: readonly number[]): Promise<VectorPage>;
  /** The numbers of all vectors of a kind. */
  vectorNumbers(of: { kind: SubjectKind; model: string }): Promise<{ readonly seqs: readonly number[] }>;
  /** The rows of all sessions that pass. */
  sessionRows(filter: Pick<SessionFilter, 'project' | 'agent' | 'group'>): Promise<readonly number[]>;
  /** Entries by their rows, in this order; those that are gone are left out. */
  entriesAt(rows: readonly number[]): Promise<readonly EntryAt[]>;
  /** The conversation that each of these rows is part of. */
  conversationsAt(rows: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** Bytes on disk, with side files. */
  size(): Promise<number>;
  /** What a check of the engine's own structures says; empty when all is well. */
  integrity(): Promise<readonly string[]>;
  /** Writes a consistent copy while others go on. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}
