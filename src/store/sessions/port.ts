// Sessions: which there are, in which state, and what a person calls them.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Session } from '../../schema/session.ts';
import type { SessionLabel } from '../../schema/session-label.ts';
import type { SessionState } from '../../schema/session-state.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { ProjectFilter } from '../projects/port.ts';

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

export interface SessionKey {
  readonly agent: AgentName;
  readonly session: string;
}

export interface NamedSession {
  readonly row: number;
  /** The branch that holds all of the words. */
  readonly branch?: string | undefined;
}

/** Sessions, their states and their labels. */
export interface SessionsPort {
  /** Takes a session's status on: initialized → active → summarizing → completed. */
  note(change: SessionChange): Promise<SessionState>;
  /**
   * The same by what the transcript says: counts the prompts, reopens a session at a new one, and stops it where the last was answered and
   * all has been quiet since. Undefined when that changes nothing; a session of which nothing was told counts only from `since` on.
   */
  follow(
    agent: AgentName,
    session: string,
    seen: { readonly quiet: boolean; readonly since: number },
  ): Promise<SessionState | undefined>;
  state(agent: AgentName, session: string): Promise<SessionState | undefined>;
  /** Sessions of which something was told, or seen, since. */
  toldSince(at: number): Promise<readonly { readonly agent: AgentName; readonly session: string }[]>;
  /** When a hook or a client last told something. */
  lastToldAt(): Promise<number | undefined>;
  /** Newest activity first. */
  list(filter: SessionFilter): Promise<readonly Session[]>;
  /** Sessions whose id is, or starts with, the given text. */
  find(id: string): Promise<readonly Session[]>;
  /** Sessions of the project at exactly this path in which a person spoke, newest first. */
  recent(projectPath: string, limit: number): Promise<readonly SessionGlance[]>;
  ending(agent: AgentName, session: string): Promise<SessionEnding>;
  /** Names, stars or tags a session. Returns what is said of it then. */
  label(
    key: { readonly agent: AgentName; readonly session: string },
    change: LabelChange,
    at: number,
  ): Promise<SessionLabel>;
  /** The rows of all sessions that belong to a group. */
  groupedRows(): Promise<readonly number[]>;
  /**
   * Sessions that are called so, the newest first: every word is part of the title, the name, the summary's title or a branch. A sentence
   * names none.
   */
  named(words: readonly string[]): Promise<readonly NamedSession[]>;
  /** The rows of all sessions that pass. */
  rows(filter: SessionScope): Promise<readonly number[]>;
}
