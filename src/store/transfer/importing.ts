// Imports the rows of an export other than entries, in one transaction. Existing rows stay unchanged.

import type { ExportedRow } from '../../schema/exported.ts';
import { markDueSql, rulesFact } from '../memory/statements.ts';
import type { Connection } from '../sqlite/connection.ts';
import { derivedRows } from './derived-rows.ts';
import { groupRows } from './group-rows.ts';
import { personalRows } from './personal-rows.ts';
import type { TransferPort } from './port.ts';
import { simpleRows } from './simple-rows.ts';
import type { Take } from './takes.ts';

export function importing(connection: Connection): Pick<TransferPort, 'takeRows' | 'knownEntries'> {
  const { write } = connection;
  const { observation, summary, job } = derivedRows(connection);
  const { label, statement, edit } = personalRows(connection);
  const { group } = groupRows(connection);
  const own: Partial<Record<ExportedRow['is'], Take>> = {
    observation,
    summary,
    job,
    group,
    label,
    statement,
    edit,
    // `takeTombstones` imports these, because it also forgets the items.
    tombstone: () => 0,
    'memory-tombstone': () => 0,
  };
  const statements = Object.fromEntries(Object.entries(simpleRows).map(([is, sql]) => [is, connection.statement(sql)]));
  const placeAgain = connection.statement('DELETE FROM facts WHERE name = ?');
  const dueNow = connection.statement(markDueSql);

  function take(row: ExportedRow): number {
    const special = own[row.is];
    if (special !== undefined) return special(row);
    const { is, ...values } = row;
    const changes = statements[is]?.run(values).changes ?? 0;
    if (changes > 0 && row.is === 'merge') dueNow.run(row.page);
    if (changes > 0 && row.is === 'extraction') placeAgain.run(rulesFact);
    return changes;
  }

  const known = connection
    .statement<[string], string>('SELECT uuid FROM entries WHERE uuid IN (SELECT value FROM json_each(?))')
    .pluck();

  return {
    async knownEntries(uuids) {
      return new Set(known.all(JSON.stringify(uuids)));
    },
    async takeRows(rows) {
      return write(() => {
        const taken: Record<string, number> = {};
        for (const row of rows) taken[row.is] = (taken[row.is] ?? 0) + take(row);
        return taken;
      });
    },
  };
}
