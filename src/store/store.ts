// ② The store: what every engine must offer. Each method is one transaction; a promise that resolves is durable.
import type { AgentName } from '../schema/agent-name.ts';
import type { BriefingSource, GivenBriefing } from '../schema/briefing.ts';
import type { Change } from '../schema/change.ts';
import type { Conversation, ConversationStatus } from '../schema/conversation.ts';
import type { Entry, Role } from '../schema/entry.ts';
import type { ExportedLine, ExportedRow } from '../schema/exported.ts';
import type { Pin, PinKind } from '../schema/pin.ts';
import type { Project } from '../schema/project.ts';
import type { Session } from '../schema/session.ts';
import type { TitleSource } from '../schema/session-fact.ts';
import type { SessionLabel } from '../schema/session-label.ts';
import type { SessionState } from '../schema/session-state.ts';
import type { ToolUse } from '../schema/tool-use.ts';
import type { DistilledStore } from './distilled.ts';
import type { FileStore } from './files.ts';
import type { GroupStore } from './groups.ts';
import type { HostStore } from './host.ts';
import type { HubStore } from './hub.ts';
import type { JobStore } from './jobs.ts';
import type { MemoryStore } from './memory.ts';
import type { PauseNow } from './pause-times.ts';
import type { RemovalStore } from './removal.ts';
import type { VaultStore } from './vault.ts';
import type { VectorStore } from './vectors.ts';

/** A stretch of time in which nothing is kept; one without an end is running. */
export interface Pause {
  readonly from: number;
  readonly until: number | undefined;
}

/** What to make of a stored text: of plain text, and of JSON that may be cut in the middle. Contract: neither throws. */
export interface TextChange {
  text(text: string): string;
  json(text: string): string;
}

export interface SessionFilter {
  readonly project?: ProjectFilter | undefined;
  readonly agent?: AgentName | undefined;
  /** Only sessions that belong to this group; without it, only those that belong to none; `everyone`: all. */
  readonly group?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
  /** Only sessions that the person has starred, or filed under a tag. */
  readonly starred?: boolean | undefined;
  readonly tag?: string | undefined;
}

/** What of a filter chooses sessions, whatever their time. */
export type SessionScope = Pick<SessionFilter, 'project' | 'agent' | 'group' | 'starred' | 'tag'>;

/** What is not named stays as it is; an empty name gives the session its own title back. */
export interface LabelChange {
  readonly name?: string | undefined;
  readonly starred?: boolean | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
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

/** Which uses of tools are wanted. */
export interface UseFilter {
  /** Any of these tools, by their names. */
  readonly tools?: readonly string[] | undefined;
  readonly outcome?: 'ok' | 'error' | undefined;
}

export interface KeywordFilter extends SessionFilter {
  readonly role?: Role | undefined;
  /** Only entries that used a tool so. */
  readonly use?: UseFilter | undefined;
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
  /** Entries that their transcripts no longer hold. */
  readonly goneEntries: number;
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

export interface EntryBeginning {
  readonly row: number;
  readonly id: string;
  /** A person's prompt. */
  readonly isPrompt: boolean;
  readonly text: string;
}

/** That an entry used a tool, and how it went. */
export interface UseAt {
  readonly row: number;
  readonly tool: string;
  readonly outcome: 'ok' | 'error' | undefined;
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
  /** Only what persons said. */
  readonly prompts?: boolean | undefined;
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

export interface ProjectPlace {
  readonly path: string;
  readonly name: string;
  /** As `owner/name` or with the host before it. */
  readonly repositories: readonly string[];
}

export interface StoredTurns {
  readonly project: string;
  readonly projectPath: string;
  readonly cwd: string;
  readonly title: string;
  /** Who gave the title; absent when it is only the first prompt. */
  readonly titleSource?: TitleSource | undefined;
  /** The last one first. */
  readonly branches: readonly string[];
  /** Pull requests and the like. */
  readonly links: readonly string[];
  /** Prompts of a person in the session, also where some turns are left out. */
  readonly prompts: number;
  readonly turns: readonly StoredTurn[];
}

export interface Store
  extends FileStore,
    DistilledStore,
    JobStore,
    MemoryStore,
    GroupStore,
    HostStore,
    HubStore,
    RemovalStore,
    VaultStore,
    VectorStore {
  readonly engine: string;
  /** Where the data is, for messages to a person. */
  readonly location: string;

  /** All that is not derived from something else here, of one moment; `file` lines are followed by their entries. */
  exported(
    filter: Pick<SessionFilter, 'project' | 'since'>,
  ): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly lines: AsyncIterable<ExportedLine> }>;
  /** Which of these entries are stored. */
  knownEntries(uuids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Takes in what an export says beside entries, after these. Returns how many of each kind were new. */
  takeRows(rows: readonly ExportedRow[]): Promise<Readonly<Record<string, number>>>;
  /** Takes a session's status on: initialized → active → summarizing → completed. */
  noteSession(change: SessionChange): Promise<SessionState>;
  /**
   * The same by what the transcript says: counts the prompts, reopens a session at a new one, and stops it where the last was answered and
   * all has been quiet since. Undefined when that changes nothing; a session of which nothing was told counts only from `since` on.
   */
  followTranscript(
    agent: AgentName,
    session: string,
    seen: { readonly quiet: boolean; readonly since: number },
  ): Promise<SessionState | undefined>;
  sessionState(agent: AgentName, session: string): Promise<SessionState | undefined>;
  /** Sessions of which something was told, or seen, since. */
  toldSince(at: number): Promise<readonly { readonly agent: AgentName; readonly session: string }[]>;
  /** When a hook or a client last told something. */
  lastToldAt(): Promise<number | undefined>;

  counts(): Promise<Counts>;
  projects(): Promise<readonly Project[]>;
  /** Every project that sessions worked in, with the repositories that they name. Cheap: it counts nothing. */
  projectPlaces(): Promise<readonly ProjectPlace[]>;
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
  /** The prompts of a session in their order, each with its place in the transcript and the beginning of its text. */
  sessionPrompts(
    agent: AgentName,
    session: string,
    options: { readonly characters: number; readonly limit: number },
  ): Promise<readonly { readonly id: string; readonly at: string; readonly place: number; readonly text: string }[]>;
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
  /** The same over what tools were given and what came of it. The rows are those of the entries that used them. */
  rankToolUses(
    query: KeywordQuery,
    filter: KeywordFilter,
    isSubagents?: (row: number) => boolean,
  ): Promise<KeywordRanking>;
  /** The names of all tools that were ever used. */
  toolNames(): Promise<readonly string[]>;
  /** The rows of all entries that used a tool so. */
  toolUsers(use: UseFilter): Promise<readonly number[]>;
  /** The beginnings of entries' texts, by their rows. */
  beginningsAt(rows: readonly number[]): Promise<readonly EntryBeginning[]>;
  /** The tool uses of these rows, without their texts. */
  usesAt(rows: readonly number[]): Promise<readonly UseAt[]>;
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

  /** Names, stars or tags a session. Returns what is said of it then. */
  labelSession(
    key: { readonly agent: AgentName; readonly session: string },
    change: LabelChange,
    at: number,
  ): Promise<SessionLabel>;

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

  conversations(filter: {
    status?: ConversationStatus | undefined;
    project?: ProjectFilter | undefined;
    limit?: number | undefined;
  }): Promise<readonly Conversation[]>;
  conversation(id: number): Promise<Conversation | undefined>;
  conversationEntries(id: number): Promise<readonly Entry[]>;
  /** `active → ready` after the silence, then `ready → skipped` for those too short. Returns how many moved. */
  markReady(now: number, rules: { gapMs: number; minEntries: number }): Promise<number>;

  /** Oldest first. `now`: a pause that runs covers what happens while it runs, also when the clock was set meanwhile. */
  pauses(now?: PauseNow): Promise<readonly Pause[]>;
  /** Begins a pause, unless one is running; returns the running one. */
  startPause(now: PauseNow): Promise<Pause>;
  /** Ends the running pause; undefined when none is running. */
  endPause(now: PauseNow): Promise<Pause | undefined>;
  /**
   * Puts the next `limit` stored texts through the change, until all have the version: then it is done, and costs nothing any
   * more. How far it came is part of the same transaction, so it goes on after a crash, and processes share the work.
   * `outside`: all rows have the version. The caller now removes what files hold of the old texts, and says so with `finishRewriting`.
   */
  rewriteTexts(
    version: number,
    change: TextChange,
    limit: number,
  ): Promise<{ done: boolean; outside: boolean; changed: number }>;
  finishRewriting(version: number): Promise<void>;

  /**
   * Derives anew what an older version has derived from the next `limit` rows: index texts, touched files. Done, it costs
   * nothing any more; how far it came is part of the same transaction.
   */
  renewDerived(limit: number): Promise<{ done: boolean }>;

  /** Whether the index of words is in so many parts that searches take longer for it. Costs about a millisecond. */
  isIndexScattered(): Promise<boolean>;
  /** A short step of putting them together; false when nothing is left to do. */
  mergeIndex(): Promise<boolean>;

  /** Bytes on disk, with side files. */
  size(): Promise<number>;
  /** Reads a little; throws where the database cannot be read any more. */
  probe(): Promise<void>;
  /** Gives back what only the next reading would be faster for: the worker lives for weeks. */
  shrink(): Promise<void>;
  /** What a check of the engine's own structures says; empty when all is well. */
  integrity(): Promise<readonly string[]>;
  /** Writes a consistent copy while others go on. */
  backup(path: string): Promise<void>;
  /** Makes sure that the file beside the database holds every hash of what was forgotten, and every pause. */
  keepLedger(): Promise<void>;
  close(): Promise<void>;
}
