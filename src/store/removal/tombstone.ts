// What was forgotten is known by prints alone: a name goes in, and nothing of it can be read out again.
import { createHash } from 'node:crypto';

const print = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);

export const tombstone = {
  session: (agent: string, session: string) => print('session', agent, session),
  entry: (agent: string, uuid: string) => print('entry', agent, uuid),
  /** The use of a tool, in one transcript: its result stands in a line of its own. */
  use: (agent: string, key: string, use: string) => print('use', agent, key, use),
  /** A transcript that holds something of what was forgotten. */
  file: (agent: string, key: string) => print('file', agent, key),
  title: (agent: string, session: string, title: string) => print('title', agent, session, title),
  /** By the entry that the turn begins with: the numbers of prompts change. */
  observation: (agent: string, entry: string) => print('observation', agent, entry),
  summary: (agent: string, session: string) => print('summary', agent, session),
} as const;

export type Tombstones = ReadonlySet<string>;
