// Entries: everything said and done, by session, by turn and by time.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ConversationStatus } from '../../schema/conversation.ts';
import type { Entry } from '../../schema/entry.ts';
import type { TitleSource } from '../../schema/session-fact.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { EntryRowId, UseRowId } from '../row-ids.ts';
import type { SessionFilter } from '../sessions/port.ts';

export interface TranscriptPage {
  readonly subagents?: boolean | undefined;
  readonly around?: string | undefined;
  readonly from?: number | undefined;
  readonly limit: number;
}

export interface TranscriptPart {
  /** The number of entries in the whole transcript. */
  readonly total: number;
  /** The index of the first of these entries in the transcript. */
  readonly from: number;
  readonly entries: readonly Entry[];
}

export interface Counts {
  readonly files: number;
  readonly entries: number;
  /** Entries that their transcripts no longer contain. */
  readonly goneEntries: number;
  readonly subagentEntries: number;
  readonly toolUses: number;
  readonly sessions: number;
  readonly projects: number;
  readonly malformed: number;
  readonly conversations: Readonly<Record<ConversationStatus, number>>;
}

export interface EntryBeginning {
  readonly row: EntryRowId;
  readonly id: string;
  /** A person's prompt. */
  readonly isPrompt: boolean;
  readonly text: string;
}

/** One tool use of an entry, and its outcome. */
export interface UseAt {
  readonly row: EntryRowId;
  /** Its own row. */
  readonly use: UseRowId;
  /** The first file that it names. */
  readonly file: string | undefined;
  readonly tool: string;
  readonly outcome: 'ok' | 'error' | undefined;
}

export interface PromptsWanted {
  /** This much of each text. */
  readonly characters: number;
  readonly limit: number;
  /** Only those behind this index of the transcript, the first of them. */
  readonly after?: number | undefined;
  /** Only those before this index of the transcript, the last of them. */
  readonly before?: number | undefined;
}

export interface PlacedPrompt {
  readonly id: string;
  readonly at: string;
  /** Its index in the transcript. */
  readonly place: number;
  readonly text: string;
}

export interface TimelineFilter extends SessionFilter {
  /** Which end to keep if there are more entries than the limit. */
  readonly end: 'newest' | 'oldest';
  readonly limit: number;
  /** Only prompts by people. */
  readonly prompts?: boolean | undefined;
}

export interface ActivityFilter extends Omit<SessionFilter, 'limit'> {
  readonly since: number;
  readonly until: number;
}

export interface QuarterOfSession {
  /** The same number means the same session; it has no other meaning. */
  readonly session: number;
  /** The first millisecond of the quarter of an hour. */
  readonly at: number;
  readonly entries: number;
  readonly prompts: number;
  /** Both names are empty if the session has no project. */
  readonly project: { readonly name: string; readonly path: string };
}

export interface TimelineEntry {
  readonly entry: Entry;
  readonly project: string;
}

/**
 * A turn as stored, without subagents, abandoned branches and history that a fork copied. Long turns lack their middle.
 */
export interface StoredTurn {
  /** From 1; 0 for entries before the first prompt. */
  readonly prompt: number;
  /**
   * The beginnings of the previous prompts, nearest first. A prompt such as `yes, do that` makes no sense without them.
   */
  readonly before: readonly string[];
  readonly entries: readonly Entry[];
  readonly toolUses: readonly ToolUse[];
}

export interface StoredTurns {
  readonly project: string;
  readonly projectPath: string;
  readonly cwd: string;
  readonly title: string;
  /** Who gave the title; absent when it is only the first prompt. */
  readonly titleSource?: TitleSource | undefined;
  /** Latest first. */
  readonly branches: readonly string[];
  /** For example, pull requests. */
  readonly links: readonly string[];
  /** All prompts by the person in the session, including those of turns that are left out here. */
  readonly prompts: number;
  readonly turns: readonly StoredTurn[];
}

export interface EntryAt {
  readonly row: EntryRowId;
  readonly entry: Entry;
  readonly project: string;
  readonly title: string;
}

/** Everything said and done. */
export interface EntriesPort {
  counts(): Promise<Counts>;
  find(id: string): Promise<readonly Entry[]>;
  /** The entries of a session in the order of its transcript, including history that a fork copied. */
  transcript(agent: AgentName, session: string, options?: { subagents?: boolean }): Promise<readonly Entry[]>;
  /**
   * The rows of a session's entries in the order of its transcript: for a walk over all of them, read once.
   */
  order(agent: AgentName, session: string, options?: { subagents?: boolean }): Promise<readonly EntryRowId[]>;
  /**
   * The uses of these tools in a session that did not fail, in order, subagents included, without abandoned branches and
   * without their texts. `input`: only those whose input contains it.
   */
  usesIn(
    agent: AgentName,
    session: string,
    options: { readonly tools: readonly string[]; readonly input?: string | undefined },
  ): Promise<readonly UseAt[]>;
  /** The prompts of a session in order. */
  promptsOf(agent: AgentName, session: string, wanted: PromptsWanted): Promise<readonly PlacedPrompt[]>;
  /**
   * A page of the transcript: from an index on, or centred on the entry
   * `around`. The cost depends on the page, not on the transcript.
   */
  page(agent: AgentName, session: string, page: TranscriptPage): Promise<TranscriptPart>;
  toolUses(entries: readonly string[]): Promise<readonly ToolUse[]>;
  /** The tool uses at these rows, in this order. */
  toolUsesAt(uses: readonly UseRowId[]): Promise<readonly ToolUse[]>;
  /** The beginnings of the texts of these entries. */
  beginningsAt(rows: readonly EntryRowId[]): Promise<readonly EntryBeginning[]>;
  /** The tool uses of these entries, without their texts. */
  usesAt(rows: readonly EntryRowId[]): Promise<readonly UseAt[]>;
  /**
   * Those of these rows, in this order, whose text, or whose tools' input or output, contains this text. Ignores the
   * case of ASCII letters only.
   */
  containing(rows: readonly EntryRowId[], text: string): Promise<readonly EntryRowId[]>;
  /** Entries in order of time, without machine-made text, subagents and abandoned branches. */
  timeline(filter: TimelineFilter): Promise<readonly TimelineEntry[]>;
  /**
   * Entry counts by session and quarter of an hour, unordered, without subagents. Counts the quarters that begin in the
   * time asked for.
   */
  activity(filter: ActivityFilter): Promise<readonly QuarterOfSession[]>;
  /** The person's prompts in a session, in order. Each begins a turn. */
  prompts(
    agent: AgentName,
    session: string,
  ): Promise<readonly { readonly prompt: number; readonly entry: string; readonly at: number }[]>;
  /**
   * The turns of a session in order, or only the turn of one prompt. A
   * very long session gives its first and last turns.
   */
  turns(agent: AgentName, session: string, prompt?: number): Promise<StoredTurns | undefined>;
  /** The entries at these rows, in this order; missing rows are left out. */
  at(rows: readonly EntryRowId[]): Promise<readonly EntryAt[]>;
}
