// Forgotten items are stored as hashes only: they recognise a name, but do not reveal it.
import { hash } from 'node:crypto';

const print = (...parts: readonly string[]): string => hash('sha256', parts.join('\0')).slice(0, 32);

export const tombstone = {
  session: (agent: string, session: string) => print('session', agent, session),
  entry: (agent: string, uuid: string) => print('entry', agent, uuid),
  /** A tool use in one transcript: its result is on a line of its own. */
  use: (agent: string, key: string, use: string) => print('use', agent, key, use),
  /** A transcript that contains part of a forgotten item. */
  file: (agent: string, key: string) => print('file', agent, key),
  title: (agent: string, session: string, title: string) => print('title', agent, session, title),
  /** By the first entry of the turn, because prompt numbers change. */
  observation: (agent: string, entry: string) => print('observation', agent, entry),
  summary: (agent: string, session: string) => print('summary', agent, session),
} as const;

export type Tombstones = ReadonlySet<string>;
