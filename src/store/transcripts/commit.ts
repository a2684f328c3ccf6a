// Chunk → rows: entries, copies, tool uses, sessions, conversations and the new offset, all in the caller's transaction.

import type { AgentName } from '../../schema/agent-name.ts';
import type { ConversationRules } from '../conversations/port.ts';
import { groupSessions } from '../groups/membership.ts';
import type { Connection } from '../sqlite/connection.ts';
import { branches } from './branches.ts';
import { entryTaking, resultTaking } from './commit-entries.ts';
import { type Advanced, fileAdvancing, sweeps } from './commit-file.ts';
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
  const sessions = sessionRows(connection);
  const apply = chunkApplying(connection, later, sessions);
  return (chunks: readonly Chunk[], rules: ConversationRules): ChunkOutcome[] => {
    later.drop();
    // A session's row is made of all its files and entries, so once is enough for all chunks that touched it.
    const changed = new Set<number>();
    const refresh = () => {
      for (const id of changed) sessions.refresh(id);
      changed.clear();
    };
    const outcomes = chunks.map((chunk) => {
      // A group can claim a session unless one of this name exists. A session without entries does not count as one.
      if (chunk.group !== undefined) refresh();
      return apply(chunk, rules, changed);
    });
    refresh();
    later.write();
    return outcomes;
  };
}

/** A chunk on its way into the store, and what it touched so far. */
interface Taking extends Advanced {
  readonly chunk: Chunk;
  readonly touched: Touched;
  readonly rules: ConversationRules;
}

function chunkApplying(connection: Connection, later: IndexLater, sessions: ReturnType<typeof sessionRows>) {
  const { find, advance } = fileAdvancing(connection);
  const takeResults = resultTaking(connection, later);
  const takeVectors = vectorTaking(connection);
  const owners = ownership(connection);
  const groups = grouping(connection);
  const takeSessions = sessionTaking(sessions);
  const takeEntries = entriesTaking(connection, later, sessions, groups);
  const takeCorrections = correctionTaking(connection, groups);
  const storedOf = storing(connection);
  const endSweep = sweepEnding(connection);
  const settleBranches = branchSettling(connection, groups);
  const remembered = withoutForgotten(connection);
  const { ownOnly } = groupSessions(connection);

  /** Adds the sessions whose rows must be refreshed to `changed`. */
  return function apply(read: Chunk, rules: ConversationRules, changed: Set<number>): ChunkOutcome {
    const before = find(read);
    const expected = read.restart ? read.renews?.at : read.from;
    if (expected !== undefined && (before?.offset ?? 0) !== expected) return { stale: true, added: 0 };
    const chunk = ownOnly(remembered(read));
    const taking: Taking = { ...advance(chunk, before), chunk, touched: nothingTouched(), rules };
    const { at, touched } = taking;
    // Entries may be removed, and with them their index rows.
    const sweeps = taking.sweeping !== 0;
    if (sweeps) later.write();

    takeSessions(taking);
    const { added, ...open } = takeEntries(taking, before === undefined);
    const withdrawn = storedOf(chunk.withdrawn ?? []);
    if (sweeps || withdrawn.length > 0) later.write();
    for (const session of sessions.nameByLeaf(at.id, chunk.titles ?? [])) touched.sessions.add(session);
    takeCorrections(taking, withdrawn);
    const shared = find(chunk)?.shared === 1;
    takeResults(chunk.results, at.id, shared, touched);
    takeVectors(chunk.vectors, touched);
    endSweep(taking);
    for (const moved of shared ? owners.settle(at.id) : []) {
      touched.files.add(moved.file);
      touched.sessions.add(moved.session);
    }
    settleBranches(taking, open);
    for (const id of touched.sessions) changed.add(id);
    return { stale: false, added };
  };
}

/** Which of these entries the store has: most of those that are withdrawn were never stored. */
function storing(connection: Connection): (uuids: readonly string[]) => readonly string[] {
  const exists = connection.statement<[string], number>('SELECT 1 FROM entries WHERE uuid = ?');
  return (uuids) => uuids.filter((uuid) => exists.get(uuid) !== undefined);
}

function sessionTaking(sessions: ReturnType<typeof sessionRows>) {
  return ({ chunk, at, touched }: Taking): void => {
    if (chunk.restart) for (const session of sessions.forgetNames(at.id)) touched.sessions.add(session);
    for (const session of chunk.sessions)
      touched.sessions.add(sessions.note(chunk.agent, at.id, session, chunk.restart));
  };
}

function entriesTaking(
  connection: Connection,
  later: IndexLater,
  sessions: ReturnType<typeof sessionRows>,
  groups: ReturnType<typeof grouping>,
) {
  const takeEntry = entryTaking(connection, later);

  function touchedSession(agent: AgentName, session: string, touched: Touched): number {
    const known = touched.names.get(session);
    if (known !== undefined) return known;
    const id = sessions.idOf(agent, session);
    touched.names.set(session, id);
    touched.sessions.add(id);
    return id;
  }

  return ({ chunk, at, generation, touched, rules }: Taking, isNew: boolean): Taken => {
    const isAppended = chunk.entries.length > 0 && chunk.subagent === undefined;
    const openFrom = isNew || !isAppended ? 0 : groups.openFrom(at.id);
    const sessionOf = ({ session }: NewEntry) => touchedSession(chunk.agent, session, touched);
    const foreseen = isNew && isAppended ? groups.foresee(at.id, chunk.entries, sessionOf, rules) : undefined;
    let added = 0;
    for (const entry of chunk.entries) {
      const place = { session: sessionOf(entry), conversation: foreseen?.conversations.get(entry.pos) };
      if (takeEntry(entry, chunk, at, place, generation, touched)) added++;
    }
    return { added, openFrom, isGrouped: foreseen?.isCertain === true && added === chunk.entries.length };
  };
}

/** The entries of a chunk that were taken. */
interface Taken {
  /** How many are new. */
  readonly added: number;
  /** From where on conversations of the file are still open. */
  readonly openFrom: number;
  /** Whether all of them have their final conversations. */
  readonly isGrouped: boolean;
}

/** Entries that the agent has withdrawn or moved. */
function correctionTaking(connection: Connection, groups: ReturnType<typeof grouping>) {
  const { withdraw } = sweepingOf(connection);
  const placeEntry = connection.statement('UPDATE entries SET pos = @pos WHERE uuid = @uuid AND file_id = @file');
  const placeCopy = connection.statement(
    'UPDATE entry_copies SET pos = @pos WHERE file_id = @file AND entry_id = (SELECT id FROM entries WHERE uuid = @uuid)',
  );
  const exists = connection.statement<[number], number>('SELECT 1 FROM entries WHERE id = ?');
  return ({ chunk, at, touched }: Taking, withdrawn: readonly string[]): void => {
    for (const uuid of withdrawn) {
      groups.loosen(uuid, at.id);
      withdraw(uuid, at.id, touched);
    }
    if (withdrawn.length > 0)
      for (const id of touched.fresh.keys()) if (exists.get(id) === undefined) forgetFresh(touched, id);
    for (const { uuid, pos } of chunk.moved ?? []) {
      groups.loosen(uuid, at.id);
      const place = { uuid, pos, file: at.id };
      if (placeEntry.run(place).changes + placeCopy.run(place).changes > 0) touched.files.add(at.id);
    }
  };
}

/** With the last chunk of a read from the start, decides about the entries that were not found again. */
function sweepEnding(connection: Connection) {
  const { sweep, keepAll } = sweepingOf(connection);
  return ({ chunk, at, generation, sweeping, touched }: Taking): void => {
    if (sweeping === 0) return;
    if (chunk.last && sweeping === sweeps.renewal) keepAll(at.id, generation);
    else if (chunk.last) sweep(at.id, generation, chunk.prune === true, touched);
    touched.files.add(at.id);
  };
}

/** Branches and conversations: the file's end alone if entries were appended, all of a file that was touched otherwise. */
function branchSettling(connection: Connection, groups: ReturnType<typeof grouping>) {
  const markAbandoned = branches(connection);
  return ({ chunk, at, touched, rules }: Taking, { openFrom, isGrouped }: Omit<Taken, 'added'>): void => {
    if (!touched.files.has(at.id) && chunk.entries.length > 0) {
      // Entries appended without a jump change no branch.
      if (chunk.entries.some(({ joinsAt, pos }) => joinsAt !== undefined || pos < chunk.from)) markAbandoned(at.id);
      if (!isGrouped) groups.extend(at.id, openFrom, rules);
    }
    for (const id of touched.files) {
      markAbandoned(id);
      groups.rebuild(id, rules);
    }
  };
}
