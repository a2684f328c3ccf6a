// Chunk → rows: entries, copies, tool uses, sessions, conversations and the new offset, all in the caller's transaction.

import type { AgentName } from '../../schema/agent-name.ts';
import type { ConversationRules } from '../conversations/port.ts';
import { groupSessions } from '../groups/membership.ts';
import type { Connection } from '../sqlite/connection.ts';
import { branches } from './branches.ts';
import { entryTaking, resultTaking } from './commit-entries.ts';
import { fileAdvancing, sweeps } from './commit-file.ts';
import { sweeping as sweepingOf } from './commit-sweep.ts';
import { vectorTaking } from './commit-vectors.ts';
import { withoutForgotten } from './forgotten-chunk.ts';
import { grouping } from './grouping.ts';
import { type IndexLater, indexLater } from './index-later.ts';
import { ownership } from './ownership.ts';
import type { Chunk, ChunkOutcome, NewEntry } from './port.ts';
import { sessionRows } from './session-rows.ts';
import { forgetFresh, nothingTouched, type Touched } from './touched.ts';

/** Applies chunks, in the caller's transaction. Returns what became of each. */
export function committer(connection: Connection) {
  const later = indexLater(connection);
  const apply = chunkApplying(connection, later);
  return (chunks: readonly Chunk[], rules: ConversationRules): ChunkOutcome[] => {
    later.drop();
    const outcomes = chunks.map((chunk) => apply(chunk, rules));
    later.write();
    return outcomes;
  };
}

function chunkApplying(connection: Connection, later: IndexLater) {
  const { find, advance } = fileAdvancing(connection);
  const takeEntry = entryTaking(connection, later);
  const takeResults = resultTaking(connection, later);
  const takeVectors = vectorTaking(connection);
  const { withdraw, sweep, keepAll } = sweepingOf(connection);
  const placeEntry = connection.statement('UPDATE entries SET pos = @pos WHERE uuid = @uuid AND file_id = @file');
  const placeCopy = connection.statement(
    'UPDATE entry_copies SET pos = @pos WHERE file_id = @file AND entry_id = (SELECT id FROM entries WHERE uuid = @uuid)',
  );
  const exists = connection.statement<[number], number>('SELECT 1 FROM entries WHERE id = ?');
  const owners = ownership(connection);
  const groups = grouping(connection);
  const sessions = sessionRows(connection);
  const markAbandoned = branches(connection);
  const remembered = withoutForgotten(connection);
  const { ownOnly } = groupSessions(connection);

  function touchedSession(agent: AgentName, session: string, touched: Touched): number {
    const known = touched.names.get(session);
    if (known !== undefined) return known;
    const id = sessions.idOf(agent, session);
    touched.names.set(session, id);
    touched.sessions.add(id);
    return id;
  }

  return function apply(read: Chunk, rules: ConversationRules): ChunkOutcome {
    const before = find(read);
    const expected = read.restart ? read.renews?.at : read.from;
    if (expected !== undefined && (before?.offset ?? 0) !== expected) return { stale: true, added: 0 };
    const chunk = ownOnly(remembered(read));
    const { at, generation, sweeping } = advance(chunk, before);
    // Entries may be removed, and with them their index rows.
    const removes = sweeping !== 0 || (chunk.withdrawn ?? []).length > 0;
    if (removes) later.write();

    const touched = nothingTouched();
    if (chunk.restart) for (const session of sessions.forgetNames(at.id)) touched.sessions.add(session);
    for (const session of chunk.sessions)
      touched.sessions.add(sessions.note(chunk.agent, at.id, session, chunk.restart));
    const isAppended = chunk.entries.length > 0 && chunk.subagent === undefined;
    const openFrom = before === undefined || !isAppended ? 0 : groups.openFrom(at.id);
    const sessionOf = ({ session }: NewEntry) => touchedSession(chunk.agent, session, touched);
    const foreseen =
      before === undefined && isAppended ? groups.foresee(at.id, chunk.entries, sessionOf, rules) : undefined;
    let added = 0;
    for (const entry of chunk.entries) {
      const place = { session: sessionOf(entry), conversation: foreseen?.get(entry.pos) };
      if (takeEntry(entry, chunk, at, place, generation, touched)) added++;
    }
    if (removes) later.write();
    for (const session of sessions.nameByLeaf(at.id, chunk.titles ?? [])) touched.sessions.add(session);
    for (const uuid of chunk.withdrawn ?? []) {
      groups.loosen(uuid, at.id);
      withdraw(uuid, at.id, touched);
    }
    if ((chunk.withdrawn ?? []).length > 0)
      for (const id of touched.fresh.keys()) if (exists.get(id) === undefined) forgetFresh(touched, id);
    for (const { uuid, pos } of chunk.moved ?? []) {
      groups.loosen(uuid, at.id);
      const place = { uuid, pos, file: at.id };
      if (placeEntry.run(place).changes + placeCopy.run(place).changes > 0) touched.files.add(at.id);
    }
    const shared = find(chunk)?.shared === 1;
    takeResults(chunk.results, at.id, shared, touched);
    takeVectors(chunk.vectors, touched);

    if (sweeping !== 0) {
      if (chunk.last && sweeping === sweeps.renewal) {
        keepAll(at.id, generation);
      } else if (chunk.last) sweep(at.id, generation, chunk.prune === true, touched);
      touched.files.add(at.id);
    }
    if (shared) {
      for (const moved of owners.settle(at.id)) {
        touched.files.add(moved.file);
        touched.sessions.add(moved.session);
      }
    }
    if (!touched.files.has(at.id) && chunk.entries.length > 0) {
      // Entries appended without a jump change no branch.
      if (chunk.entries.some(({ joinsAt, pos }) => joinsAt !== undefined || pos < chunk.from)) markAbandoned(at.id);
      groups.extend(at.id, openFrom, rules);
    }
    for (const id of touched.files) {
      markAbandoned(id);
      groups.rebuild(id, rules);
    }
    for (const id of touched.sessions) sessions.refresh(id);
    return { stale: false, added };
  };
}
