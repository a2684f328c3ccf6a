// Forgets items. One transaction removes the rows and records the traces
// outside the database; the next process to come clears those.

import type { AgentName } from '../../schema/agent-name.ts';
import type { Connection } from '../sqlite/connection.ts';
import { forgetRows } from './forget-rows.ts';
import type { UseRow } from './forget-use.ts';
import type { Forgettable, Forgotten, ForgottenTraces, RemovalPort } from './port.ts';
import { tombstone } from './tombstone.ts';
import { tombstoneRows } from './tombstones.ts';

type Members = 'forget' | 'tombstones' | 'takeTombstones' | 'unfinishedForgetting' | 'finishForgetting';

export function forgetting(connection: Connection): Pick<RemovalPort, Members> {
  const { read, write } = connection;
  const { work, entryNamed, useNamed, usesInFiles, sessionNamed, distilledNamed } = forgetRows(connection);
  const tombstones = tombstoneRows(connection);
  const count = (table: string) => connection.statement<[], number>(`SELECT count(*) FROM ${table}`).pluck();
  const counted = {
    sessions: count('sessions'),
    entries: count('entries'),
    toolUses: count('tool_uses'),
    observations: count('observations'),
    summaries: count('summaries'),
    briefings: count('briefings'),
    pins: count('pins'),
  };
  const addTraces = connection.statement('INSERT INTO forgetting (traces, not_before) VALUES (?, ?)');
  const addMemoryPrint = connection.statement(
    'INSERT INTO memory_tombstones (print) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const placeAnew = connection.statement("DELETE FROM facts WHERE name = 'memories: placed by'");
  const unfinished = connection.statement<[number], { id: number; traces: string }>(
    'SELECT id, traces FROM forgetting WHERE not_before <= ? ORDER BY id',
  );
  const finish = connection.statement('DELETE FROM forgetting WHERE id = ?');
  const allPrints = connection.statement<[], { print: string; at: number }>(
    'SELECT print, at FROM tombstones ORDER BY seq',
  );

  const tally = () => Object.fromEntries(Object.entries(counted).map(([key, rows]) => [key, rows.get() ?? 0]));

  function find(item: Forgettable): ((todo: ReturnType<typeof work>) => void) | undefined {
    if (item.kind === 'session') {
      const id = sessionNamed(item.agent, item.id);
      return id === undefined ? undefined : (todo) => todo.session(id);
    }
    if (item.kind === 'entry') {
      const entry = entryNamed(item.agent, item.id);
      return entry && ((todo) => todo.entry(entry));
    }
    if (item.kind === 'tool use') {
      const entry = entryNamed(item.agent, item.entry);
      const use = useNamed(item.agent, item.entry, item.id);
      return entry && use && ((todo) => todo.use(use, entry));
    }
    const { kind } = item;
    const row = distilledNamed(kind, item.id);
    return row && ((todo) => todo.distilled(kind, row));
  }

  return {
    async forget(item, { rules, now, dryRun = false }) {
      // Free pages of the file must not keep the removed data.
      connection.db.pragma('secure_delete = ON');
      let result: Forgotten | undefined;
      const undo = new Error('only tried');
      try {
        write(() => {
          const act = find(item);
          if (act === undefined) return;
          const before = tally();
          const todo = work(now);
          act(todo);
          const { traces, busyUntil } = todo.settle(rules);
          const after = tally();
          const removed = Object.fromEntries(
            Object.keys(counted).map((key) => [key, (before[key] as number) - (after[key] as number)]),
          ) as unknown as Forgotten['removed'];
          result = { removed, traces };
          if (dryRun) throw undo;
          addTraces.run(JSON.stringify(traces), 0);
          // A process is reading one of the conversations now, and may store
          // what it says: clear the traces again later.
          if (busyUntil > now) addTraces.run(JSON.stringify(traces), busyUntil);
        });
      } catch (error) {
        if ((error as { cause?: unknown }).cause !== undo && error !== undo) throw error;
      }
      return result;
    },
    async tombstones() {
      return read(() => allPrints.all());
    },
    async takeTombstones(prints, memories, { rules, now }) {
      connection.db.pragma('secure_delete = ON');
      write(() => {
        for (const print of memories) if (addMemoryPrint.run(print).changes > 0) placeAnew.run();
        for (const { print, at } of prints) tombstones.add(print, at);
        if (!tombstones.any()) return;
        const todo = work(now);
        const matching = <T>(rows: Iterable<T>, printOf: (row: T) => string): T[] =>
          [...rows].filter((row) => tombstones.has(printOf(row)));
        const known = connection.statement<[], { id: number; agent: AgentName; session: string }>(
          'SELECT id, agent, session FROM sessions',
        );
        for (const { id } of matching(known.all(), (row) => tombstone.session(row.agent, row.session)))
          todo.session(id);
        const ids = connection.statement<[], { uuid: string; agent: AgentName }>(
          'SELECT e.uuid, s.agent FROM entries e JOIN sessions s ON s.id = e.session_id',
        );
        for (const { uuid, agent } of matching(ids.all(), (row) => tombstone.entry(row.agent, row.uuid))) {
          const entry = entryNamed(agent, uuid);
          if (entry !== undefined) todo.entry(entry);
        }
        // Collected first: dropping rows while reading them would disturb the reading.
        const dead: { use: UseRow; entry: string; agent: AgentName }[] = [];
        for (const use of usesInFiles())
          if (tombstones.has(tombstone.use(use.agent, use.key, use.use)))
            dead.push({ use, entry: use.entry, agent: use.agent });
        for (const { use, entry: uuid, agent } of dead) {
          const entry = entryNamed(agent, uuid);
          if (entry !== undefined) todo.use(use, entry);
        }
        const uids = (kind: 'observations' | 'summaries') =>
          connection.statement<[], string>(`SELECT uid FROM ${kind}`).pluck().all();
        for (const uid of uids('observations')) {
          const row = distilledNamed('observation', uid);
          if (row && tombstones.has(tombstone.observation(row.agent, row.first ?? '')))
            todo.distilled('observation', row);
        }
        for (const uid of uids('summaries')) {
          const row = distilledNamed('summary', uid);
          if (row && tombstones.has(tombstone.summary(row.agent, row.session))) todo.distilled('summary', row);
        }
        const { traces } = todo.settle(rules);
        if (traces.sessions.length > 0) addTraces.run(JSON.stringify(traces), 0);
      });
    },
    async unfinishedForgetting(now) {
      return read(() =>
        unfinished.all(now).map(({ id, traces }) => ({ id, traces: JSON.parse(traces) as ForgottenTraces })),
      );
    },
    async finishForgetting(ids) {
      if (ids.length === 0) return;
      write(() => {
        for (const id of ids) finish.run(id);
      });
    },
  };
}
