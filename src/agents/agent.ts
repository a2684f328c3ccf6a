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
  /** Unique among the tool uses of an entry; a result belongs to the last use of its id before it. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly files: readonly string[];
}

export interface ParsedEntry {
  readonly kind: 'entry';
  /** Unique among all entries of the agent; equal in the copies that a fork makes. */
  readonly uuid: string;
  /** The agent's session id, if the line names it. */
  readonly session: string | undefined;
  readonly role: Role;
  readonly author: Author;
  readonly form?: EntryForm | undefined;
  /** Milliseconds since 1970; undefined if the line has no time. */
  readonly at: number | undefined;
  readonly cwd: string | undefined;
  readonly text: string;
  readonly toolUses: readonly ParsedToolUse[];
  /** Where this entry continues from, if it may be further back than the line before. */
  readonly continues?: Continuation | undefined;
  /**
   * Typed while the agent worked. `waiting`: it is in the agent's queue. `given`: the running turn received it, also as
   * the answer to a question. Neither ends that turn.
   */
  readonly queued?: 'waiting' | 'given' | undefined;
  /** Set if a subagent of the session said it, in the session's own file. */
  readonly subagent?: string | undefined;
  /** The repository's branch at that time, and the session that its history was copied from. */
  readonly branch?: string | undefined;
  readonly forkOf?: string | undefined;
}

/** The id of a line, which `locate` finds; or the start of the file, if everything before was taken back. */
export type Continuation = string | { readonly start: true };

export interface ParsedToolResult {
  readonly kind: 'tool-result';
  readonly id: string;
  readonly failed: boolean;
  readonly output: string;
}

export type ParsedItem =
  | ParsedEntry
  | ParsedToolResult
  /** An entry given earlier was taken back, or appears in the file again under another id. */
  | { readonly kind: 'withdrawn'; readonly uuid: string }
  /** An entry given earlier belongs at this position of the file. Contract: it is a prompt, and used no tools. */
  | { readonly kind: 'moved'; readonly uuid: string }
  /**
   * A name that a person or the agent gave to the session; the last one counts, and a person's before the agent's. With `leaf`, the session
   * is the one of this id, or the one that holds the entry of this id, in whichever file.
   */
  | { readonly kind: 'title'; readonly title: string; readonly by: TitleSource; readonly leaf?: string }
  /** A fact about the session that is not a message. */
  | { readonly kind: 'fact'; readonly fact: FactKind; readonly value: string }
  | ParsedHeader;

/** Facts about the file that apply to the lines after it. */
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
  /** When the line was written, even if it yields nothing: it dates the start of a transcript. */
  readonly at?: number | undefined;
  readonly items: readonly ParsedItem[];
  /** The line's kind, if the reader does not know it. It is counted, and `doctor` shows it. */
  readonly unknown?: string | undefined;
}

export const nothing: ParsedLine = { items: [] };

export type { AgentState };

export interface TranscriptFile {
  /** Path relative to the import root, with forward slashes. */
  readonly key: string;
  readonly state: AgentState;
}

/**
 * `missing`: the transcript does not exist. `corrupt`: it cannot be read. `position`: it lacks the entry to continue
 * after.
 */
export type Loss = 'missing' | 'corrupt' | 'position';

/** A separate home folder for the agent, as a group has one. Paths are below it, with forward slashes. */
export interface AgentHome {
  readonly transcripts: string;
  readonly skills: string;
  /** The file in its work folder that it reads at the start. */
  readonly instructions: string;
  readonly settingsFile: string;
  /** The content of a new settings file. */
  readonly settings: unknown;
  /** What the agent's last message says about the session it should have continued; undefined for any other trouble. */
  loss(message: string): Loss | undefined;
}

export interface Agent {
  readonly name: AgentName;
  /** Raised whenever the reader finds more in the same lines, so that transcripts of older versions are read again. */
  readonly readerVersion: number;
  readonly title: string;
  /** Where this agent keeps its transcripts on this machine. */
  root(env: NodeJS.ProcessEnv, home: string): string;
  /** Whether a file below the root is a transcript, judged only by its relative path. */
  isTranscript(key: string): boolean;
  /**
   * Whether a folder below the root can contain transcripts; without this, all can. Other folders may be large, and are
   * skipped.
   */
  enters?(key: string): boolean;
  /**
   * Whether the path shows that another session started this one, if only the header names that session. It is read
   * after the others.
   */
  isStarted?(key: string): boolean;
  /**
   * Whether a transcript only names other sessions. The vault keeps no copy of it, because the agent rewrites it all
   * the time.
   */
  isIndex?(key: string): boolean;
  /** Whether this agent wrote a file, judged by its first parsed lines. */
  recognises(lines: readonly unknown[]): boolean;
  /** The file, relative to the transcript's folder, that names the session's folder, if the lines may not name it. */
  folderFile?(key: string): string | undefined;
  /** What the path alone says. */
  describe(key: string): { readonly session: string; readonly subagent?: string };
  /** Whether the path may be that of a session's own transcript, for agents whose paths name only a part of the id. */
  mayHold?(key: string, session: string): boolean;
  /** True if a line can yield nothing, judged without parsing it. Contract: never true for a line that matters. */
  cannotMatter(line: Buffer): boolean;
  /** What a parsed line yields. May change `file.state`. Contract: never throws on any JSON value. */
  read(value: unknown, file: TranscriptFile): ParsedLine;
  /**
   * Whether a line that yields nothing may tell again what was said before: a summary, a list of files. The vault leaves its content out
   * after a private turn.
   */
  retells?(line: Readonly<Record<string, unknown>>): boolean;
  /** What a parsed line says about the tokens of an answer, if the agent's transcripts state them. */
  readonly usage?: ReadUsage;
  /** The JSON key of a line's own id; ingest uses it to find the line that an entry continues from. */
  readonly idKey: string;
  /**
   * How sessions get into our transcripts, if the agent itself writes no line files. `isTranscript` and `describe` then
   * refer to those.
   */
  readonly pull?: AgentPull;
  /** A hook's payload as our event; undefined if it is not one. Absent for agents without hooks. */
  readHook?(payload: unknown): HookEvent | undefined;
  /** How hooks are installed into the agent's settings, if Holdfast can do that for the person. */
  readonly hooks?: AgentHooks | AgentHookFile;
  /** The agent's list of MCP servers, if Holdfast can change it for the person. */
  readonly mcp?: AgentMcp;
  /** How a group's agent is housed, for agents that groups can use. */
  readonly home?: AgentHome;
  /** How a session of another agent becomes one of this agent, for agents that can continue such sessions. */
  readonly carry?: Carry;
  /** The command that resumes a session, as argv, to run in the session's folder. */
  resume(session: string): readonly string[];
}

/** Whether a transcript is the session's own, not that of a subagent, judged only by its relative path. */
export function isTranscriptOf(agent: Agent, key: string, session: string): boolean {
  const described = agent.describe(key);
  if (described.subagent !== undefined) return false;
  return described.session === session || agent.mayHold?.(key, session) === true;
}
