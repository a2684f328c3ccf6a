// What is forgotten: one transaction for the rows; what lies outside of the database is noted in it, and done by whoever comes first.
import type { Database } from 'better-sqlite3';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Forgettable, Forgotten, ForgottenTraces } from '../removal.ts';
import type { Store } from '../store.ts';
import { tombstone } from '../tombstone.ts';
import { forgetRows } from './forget-rows.ts';
import { tombstoneRows } from './tombstones.ts';

type Run = <T>(work: () => T) => T;
type Methods =
  | 'forget'
  | 'tombstones'
  | 'takeTombstones'
  | 'unfinishedForgetting'
  | 'finishForgetting'
  | 'purge'
  | 'release';

const indexes = ['entries_fts', 'uses_fts', 'observations_fts', 'summaries_fts', 'memories_fts'];

export function forgetting(db: Database, read: Run, write: Run): Pick<Store, Methods> {
  const { work, entryNamed, sessionNamed, distilledNamed } = forgetRows(db);
  const tombstones = tombstoneRows(db);
  const count = (table: string) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();
  const counted = {
    sessions: count('sessions'),
    entries: count('entries'),
    toolUses: count('tool_uses'),
    observations: count('observations'),
    summaries: count('summaries'),
    briefings: count('briefings'),
    pins: count('pins'),
  };
  const addTraces = db.prepare('INSERT INTO forgetting (traces, not_before) VALUES (?, ?)');
  const addMemoryPrint = db.prepare('INSERT INTO memory_tombstones (print) VALUES (?) ON CONFLICT DO NOTHING');
  const placeAnew = db.prepare("DELETE FROM facts WHERE name = 'memories: placed by'");
  const unfinished = db.prepare<[number], { id: number; traces: string }>(
    'SELECT id, traces FROM forgetting WHERE not_before <= ? ORDER BY id',
  );
  const finish = db.prepare('DELETE FROM forgetting WHERE id = ?');
  const allPrints = db.prepare<[], { print: string; at: number }>('SELECT print, at FROM tombstones ORDER BY seq');

  // A page is named after what was said: the name goes with the last line. What git was to be told of it has been told by now.
  const isEmpty = `stamp = '' AND due = 0 AND NOT EXISTS (SELECT 1 FROM statements s WHERE s.page = memory_pages.page)
    AND NOT EXISTS (SELECT 1 FROM memory_edits e WHERE e.page = memory_pages.page)`;
  const namesOfNothing = [
    `DELETE FROM memory_pages WHERE ${isEmpty}`,
    'DELETE FROM memory_merges WHERE page NOT IN (SELECT page FROM memory_pages)',
    "DELETE FROM changes WHERE kind = 'memory' AND subject NOT IN (SELECT page FROM memory_pages) AND subject NOT IN (SELECT page FROM memories)",
  ].map((sql) => db.prepare(sql));
  const dropGone = db.prepare("DELETE FROM changes WHERE kind = 'gone'");
  const addGone = db.prepare("INSERT INTO changes (kind, agent, subject) VALUES ('gone', '', '')");

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
    const { kind } = item;
    const row = distilledNamed(kind, item.id);
    return row && ((todo) => todo.distilled(kind, row));
  }

  return {
    async forget(item, { rules, now, dryRun = false }) {
      // What goes must not stay in the file as the content of a free page.
      db.pragma('secure_delete = ON');
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
          // Somebody reads one of the conversations at this moment, and may write down what it says.
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
      db.pragma('secure_delete = ON');
      write(() => {
        for (const print of memories) if (addMemoryPrint.run(print).changes > 0) placeAnew.run();
        for (const { print, at } of prints) tombstones.add(print, at);
        if (!tombstones.any()) return;
        const todo = work(now);
        const matching = <T>(rows: Iterable<T>, printOf: (row: T) => string): T[] =>
          [...rows].filter((row) => tombstones.has(printOf(row)));
        const known = db.prepare<[], { id: number; agent: AgentName; session: string }>(
          'SELECT id, agent, session FROM sessions',
        );
        for (const { id } of matching(known.all(), (row) => tombstone.session(row.agent, row.session)))
          todo.session(id);
        const ids = db.prepare<[], { uuid: string; agent: AgentName }>(
          'SELECT e.uuid, s.agent FROM entries e JOIN sessions s ON s.id = e.session_id',
        );
        for (const { uuid, agent } of matching(ids.all(), (row) => tombstone.entry(row.agent, row.uuid))) {
          const entry = entryNamed(agent, uuid);
          if (entry !== undefined) todo.entry(entry);
        }
        const uids = (kind: 'observations' | 'summaries') =>
          db.prepare<[], string>(`SELECT uid FROM ${kind}`).pluck().all();
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
    async purge() {
      db.pragma('secure_delete = ON');
      write(() => {
        for (const drop of namesOfNothing) drop.run();
        // Whoever shows something that was kept from before looks again.
        dropGone.run();
        addGone.run();
      });
      return read(() => {
        // Words of removed texts stand in an index until its parts are merged; other bytes, where rows were moved about.
        for (const table of indexes) db.prepare(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
        db.exec('VACUUM');
        const [done] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
        return done?.busy === 0;
      });
    },
    async release() {
      db.pragma('shrink_memory');
    },
  };
}
