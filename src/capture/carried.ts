// Sessions that were carried into another agent: their first turns are copies of entries that are already stored. A note in the data folder
// names each session, so that ingest skips the copies and links the new session to the old one.
import fs from 'node:fs';
import path from 'node:path';
import type { AgentName } from '../schema/agent-name.ts';
import { systemCode } from '../system/errors.ts';
import { replaceFile } from '../system/replace-file.ts';

export interface CarriedNote {
  readonly agent: AgentName;
  readonly session: string;
  readonly from: { readonly agent: AgentName; readonly session: string };
  /** When it was carried. Everything in the session up to this time is a copy. */
  readonly at: number;
  /** Ids of the copies. The agent may copy them again into further sessions. */
  readonly uuids: readonly string[];
}

/** All sessions that were carried into one agent. */
export interface Carried {
  readonly sessions: ReadonlyMap<string, Pick<CarriedNote, 'from' | 'at'>>;
  readonly uuids: ReadonlySet<string>;
}

export const carriedFolder = (home: string): string => path.join(home, 'carried');

/** Call this before writing the session itself, so that ingest knows about it as soon as it sees the session. */
export function noteCarried(home: string, note: CarriedNote): void {
  fs.mkdirSync(carriedFolder(home), { recursive: true, mode: 0o700 });
  const name = `${note.agent}.${note.session.replace(/[^\w-]/g, '_')}.note`;
  replaceFile(path.join(carriedFolder(home), name), `${JSON.stringify(note)}\n`, 0o600);
}

export function carriedIn(home: string): ReadonlyMap<string, Carried> {
  const all = new Map<string, { sessions: Map<string, Pick<CarriedNote, 'from' | 'at'>>; uuids: Set<string> }>();
  for (const { agent, session, from, at, uuids } of notesIn(carriedFolder(home))) {
    const one = all.get(agent) ?? { sessions: new Map(), uuids: new Set<string>() };
    one.sessions.set(session, { from, at });
    for (const uuid of uuids) one.uuids.add(uuid);
    all.set(agent, one);
  }
  return all;
}

function notesIn(folder: string): CarriedNote[] {
  let names: string[];
  try {
    names = fs.readdirSync(folder).filter((name) => name.endsWith('.note'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
  return names.flatMap((name) => {
    try {
      const note = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as CarriedNote;
      return Array.isArray(note.uuids) && typeof note.from?.session === 'string' ? [note] : [];
    } catch (error) {
      // Not one of our notes: ingest reads the session like any other.
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

/** Whether an entry is a copy. */
export const isCopy = (carried: Carried | undefined, session: string, uuid: string, at: number): boolean =>
  carried !== undefined && (carried.uuids.has(uuid) || at <= (carried.sessions.get(session)?.at ?? -1));

/** The session that a carried one came from. */
export const originOf = (carried: Carried | undefined, session: string | undefined): string | undefined =>
  session === undefined ? undefined : carried?.sessions.get(session)?.from.session;
