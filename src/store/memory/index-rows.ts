// The index of memories: rows that mirror the files, and the search over them.

import type { StatementForm } from '../../schema/statement-form.ts';
import { toMoment } from '../../schema/time.ts';
import { indexText } from '../search/index-text.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { MemoryFilter, MemoryPort, NewMemory, TargetMemory } from './port.ts';
import { fromChoice, toChoice, toForm } from './statements.ts';

type Row = Omit<NewMemory, 'id' | 'saidBy' | 'group' | 'choice' | 'form'> & {
  id: number;
  memory: string;
  place: number;
  said_by: NewMemory['saidBy'];
  group_name: string;
  question: string;
  answer: string;
  form: StatementForm | '';
};

const columns = [
  ...(['page', 'place', 'target', 'title', 'text', 'kind', 'at', 'project', 'session', 'source'] as const),
  ...(['said_by', 'group_name', 'question', 'answer', 'form'] as const),
];

/** Updates the rows of a page. Unchanged memories keep their rows, and so their vectors. */
export function indexWriter(connection: Connection): (page: string, memories: readonly NewMemory[]) => void {
  const ofPage = connection.statement<[string], Row>('SELECT * FROM memories WHERE page = ?');
  const add = connection.statement(
    `INSERT INTO memories (memory, ${columns.join(', ')}) VALUES (@memory, ${columns.map((name) => `@${name}`).join(', ')})`,
  );
  const change = connection.statement(
    `UPDATE memories SET ${columns.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`,
  );
  const move = connection.statement('UPDATE memories SET place = @place, target = @target WHERE id = @id');
  const drop = connection.statement('DELETE FROM memories WHERE id = ?');
  const unindex = connection.statement('DELETE FROM memories_fts WHERE rowid = ?');
  const index = connection.statement('INSERT INTO memories_fts (rowid, title, text) VALUES (?, ?, ?)');

  return (page, memories) => {
    const before = new Map(ofPage.all(page).map((row) => [row.memory, row]));
    for (const [place, { id: memory, saidBy, group, choice, form, ...rest }] of memories.entries()) {
      const owner = { said_by: saidBy, group_name: group, memory, place };
      const row = { ...rest, ...fromChoice(choice), form: form ?? ('' as const), ...owner };
      const old = before.get(memory);
      before.delete(memory);
      if (old === undefined) {
        const { lastInsertRowid } = add.run(row);
        index.run(lastInsertRowid, indexText(row.title), indexText(row.text));
        continue;
      }
      const differs = columns.filter((name) => old[name] !== row[name]);
      if (differs.length === 0) continue;
      if (differs.every((name) => name === 'place' || name === 'target')) move.run({ ...row, id: old.id });
      else change.run({ ...row, id: old.id });
      if (!differs.includes('text') && !differs.includes('title')) continue;
      unindex.run(old.id);
      index.run(old.id, indexText(row.title), indexText(row.text));
    }
    for (const { id } of before.values()) {
      unindex.run(id);
      drop.run(id);
    }
  };
}

export function memoryIndex(connection: Connection): Pick<MemoryPort, 'list' | 'find'> {
  const { read } = connection;
  const byId = connection.statement<[string, string], Row>(
    'SELECT * FROM memories WHERE memory >= ? AND memory < ? ORDER BY memory LIMIT 50',
  );
  return {
    async list(filter) {
      return read(() => {
        const { where, values } = conditions(filter);
        const only = where.length > 0 ? `WHERE ${where.join(' AND ')}` : '';
        const sql = `SELECT m.* FROM memories m ${only} ORDER BY m.page, m.place LIMIT ?`;
        return (connection.statement(sql).all(...values, filter.limit ?? -1) as Row[]).map(toMemory);
      });
    },
    async find(id) {
      return read(() => byId.all(id, `${id}\u{10FFFF}`).map(toMemory));
    },
  };
}

function conditions({ page, project, kind, group }: MemoryFilter) {
  const wishes: [string, string | undefined][] = [
    ['m.page = ?', page],
    ['m.group_name = ?', group],
    // Ignore case: people type names in any case, and folders are spelled in any.
    ['m.project = ? COLLATE NOCASE', project],
    ['m.kind = ?', kind],
  ];
  const stated = wishes.filter(([, value]) => value !== undefined) as [string, string][];
  return { where: stated.map(([condition]) => condition), values: stated.map(([, value]) => value) };
}

function toMemory(stored: Row): TargetMemory {
  const { memory, said_by, group_name, question, answer, form, id: _, place: _place, at, ...row } = stored;
  return {
    id: memory,
    ...row,
    ...{ saidBy: said_by, group: group_name },
    ...toChoice(question, answer),
    ...toForm(form),
    at: toMoment(at),
  };
}
