// Sessions: the list, their states, and the person's labels.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Session, SessionOutcome } from '../../schema/session.ts';
import type { SessionLabel } from '../../schema/session-label.ts';
import type { SessionState } from '../../schema/session-state.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { ProjectFilter } from '../projects/port.ts';
import type { SessionRowId } from '../row-ids.ts';

export interface SessionFilter {
  readonly project?: ProjectFilter | undefined;
  readonly agent?: AgentName | undefined;
  /** Only sessions of this group. Absent: only sessions without a group. `everyone`: all. */
  readonly group?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit?: number | undefined;
  /** Only sessions that the person starred, or gave this tag. */
  readonly starred?: boolean | undefined;
  readonly tag?: string | undefined;
}

/** The part of a filter that selects sessions regardless of time. */
export type SessionScope = Pick<SessionFilter, 'project' | 'agent' | 'group' | 'starred' | 'tag'>;

/** Absent fields stay unchanged; an empty name restores the session's own title. */
export interface LabelChange {
  readonly name?: string | undefined;
  readonly starred?: boolean | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
}

/** A report about a session from a hook or a client. */
export interface SessionChange {
  readonly agent: AgentName;
  readonly session: string;
  readonly at: number;
  /** `stop` asks for a summary; a prompt reopens a stopped or ended session. */
  readonly event: 'start' | 'prompt' | 'stop' | 'end';
  /** A prompt with the id of the previous one is a duplicate report. */
  readonly promptId?: string | undefined;
  readonly reason?: string | undefined;
  readonly lastUserMessage?: string | undefined;
  readonly lastAssistantMessage?: string | undefined;
}

/** A session in one line. */
export interface SessionGlance {
  readonly id: string;
  readonly agent: AgentName;
  readonly title: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The beginning of the person's first prompt. */
  readonly asked: string;
}

/** The end of a session, without subagents and abandoned branches. */
export interface SessionEnding {
  /** The person's last prompts, newest first. */
  readonly prompts: readonly Entry[];
  /** The last entries with text, oldest first. */
  readonly entries: readonly Entry[];
  /** The last tool uses, oldest first. */
  readonly toolUses: readonly ToolUse[];
}

export interface SessionKey {
  readonly agent: AgentName;
  readonly session: string;
}

export interface NamedSession {
  readonly row: SessionRowId;
  /** The branch whose name contains all of the words. */
  readonly branch?: string | undefined;
}

/** Sessions, their states and their labels. */
export interface SessionsPort {
  /** Advances a session's status: initialized → active → summarizing → completed. */
  note(change: SessionChange): Promise<SessionState>;
  /**
   * Advances the status from the transcript: counts prompts, reopens a session at a new prompt, and stops it once the
   * last prompt is answered and `quiet` is set. Undefined if nothing changes. A session without any report counts only
   * if its last entry is not older than `since`.
   */
  follow(
    agent: AgentName,
    session: string,
    seen: { readonly quiet: boolean; readonly since: number },
  ): Promise<SessionState | undefined>;
  state(agent: AgentName, session: string): Promise<SessionState | undefined>;
  /** Sessions whose state a report or the transcript changed since this moment. */
  toldSince(at: number): Promise<readonly { readonly agent: AgentName; readonly session: string }[]>;
  /** The time of the last report from a hook or a client. */
  lastToldAt(): Promise<number | undefined>;
  /** Newest activity first. */
  list(filter: SessionFilter): Promise<readonly Session[]>;
  /** Sessions whose id is, or starts with, the given text. */
  find(id: string): Promise<readonly Session[]>;
  /** Sessions with a prompt by a person, in the project at exactly this path, newest first. */
  recent(projectPath: string, limit: number): Promise<readonly SessionGlance[]>;
  ending(agent: AgentName, session: string): Promise<SessionEnding>;
  /** Names, stars or tags a session. Returns its labels after the change. */
  label(
    key: { readonly agent: AgentName; readonly session: string },
    change: LabelChange,
    at: number,
  ): Promise<SessionLabel>;
  /** How these sessions ended. One without a summary and without a failure is not in the answer. */
  outcomes(sessions: readonly SessionKey[]): Promise<readonly (SessionKey & { readonly outcome: SessionOutcome })[]>;
  /** The rows of all sessions that belong to any group. */
  groupedRows(): Promise<readonly SessionRowId[]>;
  /** Sessions with a branch, a given name or a title that holds every word; branches first. A sentence names no session. */
  named(words: readonly string[]): Promise<readonly NamedSession[]>;
  /** The rows of all sessions in this scope. */
  rows(filter: SessionScope): Promise<readonly SessionRowId[]>;
}
