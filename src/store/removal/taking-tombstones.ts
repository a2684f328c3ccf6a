// Items that were forgotten elsewhere are forgotten here too.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Connection } from '../sqlite/connection.ts';
import { forgetLookup } from './forget-lookup.ts';
import { type Forgetter, forgetters } from './forget-rows.ts';
import { type UseRow, useRows } from './forget-use.ts';
import { traceNoting } from './forgetting.ts';
import type { RemovalPort } from './port.ts';
import { tombstone } from './tombstone.ts';
import { tombstoneRows } from './tombstones.ts';

export function takingTombstones(connection: Connection): Pick<RemovalPort, 'tombstones' | 'takeTombstones'> {
  const { read, write } = connection;
  const begin = forgetters(connection);
  const { inFiles: usesInFiles } = useRows(connection);
  const { entryNamed, distilledNamed } = forgetLookup(connection);
  const tombstones = tombstoneRows(connection);
  const noteTraces = traceNoting(connection);
  const addMemoryPrint = connection.statement(
    'INSERT INTO memory_tombstones (print) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const placeAgain = connection.statement("DELETE FROM facts WHERE name = 'memories: placed by'");
  const allPrints = connection.statement<[], { print: string; at: number }>(
    'SELECT print, at FROM tombstones ORDER BY seq',
  );

  const sessionIds = connection.statement<[], { id: number; agent: AgentName; session: string }>(
    'SELECT id, agent, session FROM sessions',
  );
  const entryIds = connection.statement<[], { uuid: string; agent: AgentName }>(
    'SELECT e.uuid, s.agent FROM entries e JOIN sessions s ON s.id = e.session_id',
  );
  const observationIds = connection.statement<[], string>('SELECT uid FROM observations').pluck();
  const summaryIds = connection.statement<[], string>('SELECT uid FROM summaries').pluck();

  // What to delete is collected first: dropping rows while reading them would disturb the reading.
  function forgetSessions(todo: Forgetter): void {
    const known = sessionIds.all().filter((row) => tombstones.has(tombstone.session(row.agent, row.session)));
    for (const { id } of known) todo.session(id);
  }

  function forgetEntries(todo: Forgetter): void {
    const known = entryIds.all().filter((row) => tombstones.has(tombstone.entry(row.agent, row.uuid)));
    for (const { uuid, agent } of known) {
      const entry = entryNamed(agent, uuid);
      if (entry !== undefined) todo.entry(entry);
    }
  }

  function forgetUses(todo: Forgetter): void {
    const dead: UseRow[] = [];
    for (const use of usesInFiles()) if (tombstones.has(tombstone.use(use.agent, use.key, use.use))) dead.push(use);
    for (const use of dead) {
      const entry = entryNamed(use.agent, use.entry);
      if (entry !== undefined) todo.use(use, entry);
    }
  }

  function forgetDistilled(todo: Forgetter): void {
    for (const uid of observationIds.all()) {
      const row = distilledNamed('observation', uid);
      if (row && tombstones.has(tombstone.observation(row.agent, row.first ?? ''))) todo.distilled('observation', row);
    }
    for (const uid of summaryIds.all()) {
      const row = distilledNamed('summary', uid);
      if (row && tombstones.has(tombstone.summary(row.agent, row.session))) todo.distilled('summary', row);
    }
  }

  return {
    async tombstones() {
      return read(() => allPrints.all());
    },
    async takeTombstones(prints, memories, { rules, now }) {
      connection.db.pragma('secure_delete = ON');
      write(() => {
        for (const print of memories) if (addMemoryPrint.run(print).changes > 0) placeAgain.run();
        for (const { print, at } of prints) tombstones.add(print, at);
        if (!tombstones.any()) return;
        const todo = begin(now);
        forgetSessions(todo);
        forgetEntries(todo);
        forgetUses(todo);
        forgetDistilled(todo);
        const { traces } = todo.settle(rules);
        if (traces.sessions.length > 0) noteTraces(traces);
      });
    },
  };
}
