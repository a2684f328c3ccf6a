// Continuing a session in another agent: its messages become a new session in that agent's format.
import type { PullTools } from './pull.ts';

export interface CarryTurn {
  readonly role: 'user' | 'assistant';
  /** Contains tool uses as text. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface CarryAbout {
  readonly cwd: string;
  readonly title: string;
  /** When it is carried over: all turns are older. */
  readonly now: number;
  readonly branch?: string | undefined;
  /** Where the agent keeps its sessions, and the folder for files that are handed to it. */
  readonly root: string;
  readonly folder: string;
  /** The agent's own settings file, if it has one. */
  readonly settingsFile?: string | undefined;
  /** A random uuid. */
  newId(): string;
  readonly tools: Pick<PullTools, 'json' | 'text' | 'names' | 'database'>;
}

export interface CarriedSession {
  /** The new session's id. */
  readonly session: string;
  /** By absolute path. They are created, never overwritten. */
  readonly files: Readonly<Record<string, string>>;
  /** A command to run first in the session's folder, for agents that import sessions by a command. */
  readonly before?: readonly string[] | undefined;
  /** Continues the session. */
  readonly command: readonly string[];
}

/** Contract: turns alternate, and the first is the person's. */
export type Carry = (turns: readonly CarryTurn[], about: CarryAbout) => CarriedSession;

export const iso = (at: number): string => new Date(at).toISOString();
export const jsonLines = (lines: readonly unknown[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');
/** Several agents name a project's folder by its path, with `-` for every other character. */
export const dashed = (folder: string): string => folder.replace(/[^A-Za-z0-9]/g, '-');
