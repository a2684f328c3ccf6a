// What Holdfast must know about an agent: where its transcripts are, how a line becomes an entry, how a session is resumed.
import type { AgentName } from '../schema/agent-name.ts';
import type { Author, EntryForm, Role } from '../schema/entry.ts';
import type { AgentState } from '../schema/reader-state.ts';
import type { FactKind, TitleSource } from '../schema/session-fact.ts';
import type { Carry } from './carry.ts';
import type { HookEvent } from './hook-event.ts';
import type { AgentHookFile, AgentHooks, AgentMcp } from './hooks.ts';
import type { AgentPull } from './pull.ts';
import type { ReadUsage } from './usage.ts';

export interface ParsedToolUse {
  /** Unique among the tool uses of an entry; a result is that of the last use of its id before it. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly files: readonly string[];
}

export interface ParsedEntry {
  readonly kind: 'entry';
  /** Unique among all entries of the agent; equal in the copies that a fork makes. */
  readonly uuid: string;
  /** The agent's session id, when the line says it. */
  readonly session: string | undefined;
  readonly role: Role;
  readonly author: Author;
  readonly form?: EntryForm | undefined;
  /** Milliseconds since 1970; undefined when the line has no time of its own. */
  readonly at: number | undefined;
  readonly cwd: string | undefined;
  readonly text: string;
  readonly toolUses: readonly ParsedToolUse[];
  /** The line that this entry continues from, when it may lie further back than the line before: see `locate`. */
  readonly continues?: string | undefined;
  /** Typed while the agent worked. `waiting`: it is in the agent's queue; `given`: the running turn was told of it, also as the answer to its question. Neither ends that turn. */
  readonly queued?: 'waiting' | 'given' | undefined;
  /** Set where a subagent of the session said it, in the session's own file. */
  readonly subagent?: string | undefined;
  /** The branch of the repository that it was said on, and the session that its history was copied from. */
  readonly branch?: string | undefined;
  readonly forkOf?: string | undefined;
}

export interface ParsedToolResult {
  readonly kind: 'tool-result';
  readonly id: string;
  readonly failed: boolean;
  readonly output: string;
}

export type ParsedItem =
  | ParsedEntry
  | ParsedToolResult
  /** An entry of this file, given earlier, was taken back, or stands in the file again under another id. */
  | { readonly kind: 'withdrawn'; readonly uuid: string }
  /** An entry of this file, given earlier, has its place in the order of the file here. */
  | { readonly kind: 'moved'; readonly uuid: string }
  /**
   * A name that a person or the agent gave to the session; the last one counts, and a person's before the agent's. With `leaf`, the session
   * is the one of this id, or the one that holds the entry of this id, in whichever file.
   */
  | { readonly kind: 'title'; readonly title: string; readonly by: TitleSource; readonly leaf?: string }
  /** Something about the session that is not said in it. */
  | { readonly kind: 'fact'; readonly fact: FactKind; readonly value: string }
  | ParsedHeader;

/** Facts about the file that hold for the lines after it. */
export interface ParsedHeader {
  readonly kind: 'header';
  readonly session?: string | undefined;
  readonly cwd?: string | undefined;
  /** The session that started this one, and the role in which it did. */
  readonly parent?: string | undefined;
  readonly subagent?: string | undefined;
  /** The session whose history this one began with. */
  readonly forkOf?: string | undefined;
  readonly branch?: string | undefined;
  readonly repository?: string | undefined;
}

export interface ParsedLine {
  /** When the line was written, also for lines that yield nothing: it dates the birth of a transcript. */
  readonly at?: number | undefined;
  readonly items: readonly ParsedItem[];
  /** The kind that the line states, where the reader knows no such kind. It is counted, and `doctor` shows it. */
  readonly unknown?: string | undefined;
}

export const nothing: ParsedLine = { items: [] };

export type { AgentState };

export interface TranscriptFile {
  /** Path relative to the import root, with forward slashes. */
  readonly key: string;
  readonly state: AgentState;
}

/** `missing`: the transcript is not there. `corrupt`: it cannot be read. `position`: the entry to go on after is not in it. */
export type Loss = 'missing' | 'corrupt' | 'position';

/** A home folder of the agent's own, as a group has one. Paths are below it, with forward slashes. */
export interface AgentHome {
  readonly transcripts: string;
  readonly skills: string;
  /** The file in its work folder that it reads at the start. */
  readonly instructions: string;
  readonly settingsFile: string;
  /** What a new settings file holds. */
  readonly settings: unknown;
  /** What the agent's words at its end say about the session it was to go on with; undefined for any other trouble. */
  loss(message: string): Loss | undefined;
}

export interface Agent {
  readonly name: AgentName;
  /** Raised whenever the reader finds more in the same lines, so that transcripts that an older version read are read again. */
  readonly readerVersion: number;
  readonly title: string;
  /** Where this agent keeps its transcripts on this machine. */
  root(env: NodeJS.ProcessEnv, home: string): string;
  /** Whether a file below the root is a transcript, judged by its relative path alone. */
  isTranscript(key: string): boolean;
  /** Whether a folder below the root can hold transcripts; all do where this is missing. Others may be large, and are not looked into. */
  enters?(key: string): boolean;
  /** Whether the path says that another session started this one, where only the header names that. It is read after the others. */
  isStarted?(key: string): boolean;
  /** Whether a transcript only names the sessions of others. The vault keeps no copy of it: the agent rewrites it all the time. */
  isIndex?(key: string): boolean;
  /** Whether this agent wrote a file, judged by its first parsed lines. */
  recognises(lines: readonly unknown[]): boolean;
  /** What the path alone says. */
  describe(key: string): { readonly session: string; readonly subagent?: string };
  /** True when a line can yield nothing, judged without parsing it. Contract: never true for a line that matters. */
  cannotMatter(line: Buffer): boolean;
  /** What a parsed line yields. May change `file.state`. Contract: never throws on any JSON value. */
  read(value: unknown, file: TranscriptFile): ParsedLine;
  /** What a parsed line says about the tokens of an answer, where the agent's transcripts say that. */
  readonly usage?: ReadUsage;
  /** The JSON key under which a line states its own id; ingest uses it to find the line that an entry continues from. */
  readonly idKey: string;
  /** How sessions get into transcripts of ours, where the agent itself writes no line files. `isTranscript` and `describe` then speak of those. */
  readonly pull?: AgentPull;
  /** A hook's payload in our own words; undefined when it is none. Agents without hooks have no such member. */
  readHook?(payload: unknown): HookEvent | undefined;
  /** How they are put into the agent's settings, where that can be done for the person. */
  readonly hooks?: AgentHooks | AgentHookFile;
  /** Where it is told of MCP servers, where that can be done for the person. */
  readonly mcp?: AgentMcp;
  /** How a group's agent is housed, for agents that a group can have. */
  readonly home?: AgentHome;
  /** How a session of another agent becomes one of this, for agents that go on with such. */
  readonly carry?: Carry;
  /** The command that resumes a session, as argv, to be run in the session's folder. */
  resume(session: string): readonly string[];
}
