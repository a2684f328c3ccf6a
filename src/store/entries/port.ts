// Entries: what was said and done, by session, by turn and by time.
import type { AgentName } from '../../schema/agent-name.ts';
import type { ConversationStatus } from '../../schema/conversation.ts';
import type { Entry } from '../../schema/entry.ts';
import type { TitleSource } from '../../schema/session-fact.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { SessionFilter } from '../sessions/port.ts';

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

export interface EntryAt {
  readonly row: number;
  readonly entry: Entry;
  readonly project: string;
  readonly title: string;
}

/** What was said and done. */
export interface EntriesPort {
  counts(): Promise<Counts>;
  find(id: string): Promise<readonly Entry[]>;
  /** The entries of a session in the order of its transcript, copies of forked history included. */
  transcript(agent: AgentName, session: string, options?: { subagents?: boolean }): Promise<readonly Entry[]>;
  /** The prompts of a session in their order, each with its place in the transcript and the beginning of its text. */
  promptsOf(
    agent: AgentName,
    session: string,
    options: { readonly characters: number; readonly limit: number },
  ): Promise<readonly { readonly id: string; readonly at: string; readonly place: number; readonly text: string }[]>;
  /** A part of that: from a place on, or with the entry `around` in its middle. Costs what the part costs, not the whole. */
  page(agent: AgentName, session: string, page: TranscriptPage): Promise<TranscriptPart>;
  toolUses(entries: readonly string[]): Promise<readonly ToolUse[]>;
  /** The beginnings of entries' texts, by their rows. */
  beginningsAt(rows: readonly number[]): Promise<readonly EntryBeginning[]>;
  /** The tool uses of these rows, without their texts. */
  usesAt(rows: readonly number[]): Promise<readonly UseAt[]>;
  /** What was said and done, in the order of time; without machine-made text, subagents and branches that were left. */
  timeline(filter: TimelineFilter): Promise<readonly TimelineEntry[]>;
  /** Entries by session and quarter of an hour, in no order; without those of subagents. */
  activity(filter: ActivityFilter): Promise<readonly QuarterOfSession[]>;
  /** The prompts of a person in a session, in order: each begins a turn. */
  prompts(
    agent: AgentName,
    session: string,
  ): Promise<readonly { readonly prompt: number; readonly entry: string; readonly at: number }[]>;
  /** The turns of a session, in order, or only that of one prompt; of very many, the first and the last. */
  turns(agent: AgentName, session: string, prompt?: number): Promise<StoredTurns | undefined>;
  /** Entries by their rows, in this order; those that are gone are left out. */
  at(rows: readonly number[]): Promise<readonly EntryAt[]>;
}
