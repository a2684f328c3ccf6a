// Removes forgotten items from a chunk: reading a transcript or a fork again must not bring them back.

import { copyState } from '../../schema/reader-state.ts';
import { tombstone } from '../removal/tombstone.ts';
import { tombstoneRows } from '../removal/tombstones.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { Chunk, NewEntry } from './port.ts';

export function withoutForgotten(connection: Connection): (chunk: Chunk) => Chunk {
  const tombstones = tombstoneRows(connection);

  return (chunk) => {
    if (!tombstones.any()) return chunk;
    const { agent, key } = chunk;
    const known = new Map<string, boolean>();
    const isForgotten = (session: string): boolean => {
      const answer = known.get(session) ?? tombstones.has(tombstone.session(agent, session));
      known.set(session, answer);
      return answer;
    };
    const entries: NewEntry[] = [];
    /** Where a removed entry continued from; the next entry takes over. */
    let joinsAt: number | undefined;
    for (const entry of chunk.entries) {
      if (!isForgotten(entry.session) && !tombstones.has(tombstone.entry(agent, entry.uuid))) {
        const kept = entry.toolUses.filter(({ id }) => !tombstones.has(tombstone.use(agent, key, id)));
        const left =
          kept.length === entry.toolUses.length
            ? entry
            : { ...entry, toolUses: kept, usesIndexed: undefined, vector: undefined };
        // A copy of the transcript under another name must not keep the use either.
        if (left !== entry) tombstones.add(tombstone.file(agent, key), entry.at);
        entries.push(joinsAt === undefined ? left : { ...left, joinsAt: entry.joinsAt ?? joinsAt });
        joinsAt = undefined;
        continue;
      }
      joinsAt = entry.joinsAt ?? joinsAt;
      tombstones.add(tombstone.file(agent, key), entry.at);
      // Their results may come in a later chunk.
      for (const { id } of entry.toolUses) tombstones.add(tombstone.use(agent, key, id), entry.at);
    }
    const titleOf = (session: string, title: string | undefined) =>
      title !== undefined && tombstones.has(tombstone.title(agent, session, title)) ? undefined : title;
    const state = copyState(chunk.state);
    const { title: held, session: last = '' } = state.capture;
    if (held !== undefined) {
      const sessions = [...chunk.sessions.map(({ session }) => session), last];
      if (sessions.some((session) => isForgotten(session) || titleOf(session, held) === undefined))
        delete state.capture.title;
    }
    return {
      ...chunk,
      state,
      entries,
      sessions: chunk.sessions
        .filter(({ session }) => !isForgotten(session))
        .map((said) => ({ ...said, title: titleOf(said.session, said.title) })),
      titles: chunk.titles?.filter(({ leaf }) => !isForgotten(leaf) && !tombstones.has(tombstone.entry(agent, leaf))),
      results: chunk.results.filter(({ id }) => !tombstones.has(tombstone.use(agent, key, id))),
    };
  };
}
