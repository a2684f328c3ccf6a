// The index of memories: rows as the files hold them, and the search over them.
import type { Database } from 'better-sqlite3';
import { toMoment } from '../../schema/time.ts';
import { indexText } from '../index-text.ts';
import type { MemoryFilter, MemoryStore, NewMemory, TargetMemory } from '../memory.ts';

type Row = Omit<NewMemory, 'id' | 'saidBy' | 'group'> & {
  id: number;
  memory: string;
  place: number;
  said_by: NewMemory['saidBy'];
  group_name: string;
};

const columns = [
  ...(['page', 'place', 'target', 'title', 'text', 'kind', 'at', 'project', 'session', 'source'] as const),
  ...(['said_by', 'group_name'] as const),
];

/** Brings the rows of a page in line. What did not change keeps its row, and with it its vector. */
export function indexWriter(db: Database): (page: string, memories: readonly NewMemory[]) => void {
  const ofPage = db.prepare<[string], Row>('SELECT * FROM memories WHERE page = ?');
  const add = db.prepare(
    `INSERT INTO memories (memory, ${columns.join(', ')}) VALUES (@memory, ${columns.map((name) => `@${name}`).join(', ')})`,
  );
  const change = db.prepare(
    `UPDATE memories SET ${columns.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`,
  );
  const move = db.prepare('UPDATE memories SET place = @place, target = @target WHERE id = @id');
  const drop = db.prepare('DELETE FROM memories WHERE id = ?');
  const unindex = db.prepare('DELETE FROM memories_fts WHERE rowid = ?');
  const index = db.prepare('INSERT INTO memories_fts (rowid, title, text) VALUES (?, ?, ?)');

  return (page, memories) => {
    const before = new Map(ofPage.all(page).map((row) => [row.memory, row]));
    for (const [place, { id: memory, saidBy, group, ...rest }] of memories.entries()) {
      const row = { ...rest, said_by: saidBy, group_name: group, memory, place };
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

export function memoryIndex(
  db: Database,
  read: <T>(work: () => T) => T,
): Pick<MemoryStore, 'memories' | 'findMemories'> {
  const byId = db.prepare<[string, string], Row>(
    'SELECT * FROM memories WHERE memory >= ? AND memory < ? ORDER BY memory LIMIT 50',
  );
  return {
    async memories(filter) {
      return read(() => {
        const { where, values } = conditions(filter);
        const only = where.length > 0 ? `WHERE ${where.join(' AND ')}` : '';
        const sql = `SELECT m.* FROM memories m ${only} ORDER BY m.page, m.place LIMIT ?`;
        return (db.prepare(sql).all(...values, filter.limit ?? -1) as Row[]).map(toMemory);
      });
    },
    async findMemories(id) {
      return read(() => byId.all(id, `${id}\u{10FFFF}`).map(toMemory));
    },
  };
}

function conditions({ page, project, kind, group }: MemoryFilter) {
  const wishes: [string, string | undefined][] = [
    ['m.page = ?', page],
    ['m.group_name = ?', group],
    // As people type it, and as a folder's name is spelled.
    ['m.project = ? COLLATE NOCASE', project],
    ['m.kind = ?', kind],
  ];
  const stated = wishes.filter(([, value]) => value !== undefined) as [string, string][];
  return { where: stated.map(([condition]) => condition), values: stated.map(([, value]) => value) };
}

const toMemory = ({ memory, said_by, group_name, id: _, place: _place, at, ...row }: Row): TargetMemory => ({
  id: memory,
  ...row,
  ...{ saidBy: said_by, group: group_name },
  at: toMoment(at),
});
