// Replaces rough vectors by better ones.
import type { Connection } from '../sqlite/connection.ts';
import { otherDimensions, vectorAdding } from './adding.ts';
import { modelRows } from './models.ts';
import type { RoughText, VectorsPort } from './port.ts';
import { subjectTexts } from './subjects.ts';

type RoughRow = { seq: number; kind: number; subject_id: number };

export function vectorRefining(connection: Connection): Pick<VectorsPort, 'rough' | 'refine'> {
  const { read, write } = connection;
  const { modelNamed } = modelRows(connection);
  const textOf = subjectTexts(connection);
  const add = vectorAdding(connection);
  const newestRough = connection.statement<[number], RoughRow>(
    'SELECT seq, kind, subject_id FROM vectors INDEXED BY vectors_rough WHERE rough = 1 ORDER BY seq DESC LIMIT ?',
  );
  const roughOf = connection.statement<[number], RoughRow>(
    'SELECT seq, kind, subject_id FROM vectors WHERE kind = 0 AND subject_id = ? AND rough = 1',
  );
  const roughAt = connection.statement<[number, number], RoughRow & { part: number }>(
    'SELECT seq, kind, subject_id, part FROM vectors WHERE seq = ? AND model_id = ? AND rough = 1',
  );
  const usedTools = connection
    .statement<[number], number>(
      `SELECT EXISTS (SELECT 1 FROM entries e JOIN tool_uses u ON u.entry_id = e.id
       WHERE e.session_id = (SELECT session_id FROM entries WHERE id = ?))`,
    )
    .pluck();
  const dropRough = connection.statement('DELETE FROM vectors WHERE seq = ?');
  const settleRough = connection.statement('UPDATE vectors SET rough = 0 WHERE seq = ?');

  return {
    async rough(limit, ids) {
      return read(() => {
        const rows = ids === undefined ? newestRough.all(limit) : ids.flatMap((id) => roughOf.all(id)).slice(0, limit);
        return rows.flatMap(({ seq, kind, subject_id: id }): RoughText[] => {
          const found = textOf(kind, id);
          if (found === undefined) return [];
          const said = found.kind === 'entry' && usedTools.get(id) === 1 ? found.own : undefined;
          return [said === undefined ? { seq, text: found.text } : { seq, text: found.text, said }];
        });
      });
    },
    async refine(name, vectors) {
      return write(() => {
        const model = modelNamed.get(name);
        if (model?.wanted !== 1) return 0;
        let refined = 0;
        for (const { seq, vectors: parts } of vectors) {
          const row = roughAt.get(seq, model.id);
          if (row === undefined) continue;
          refined++;
          if (parts.length === 0) {
            settleRough.run(seq);
            continue;
          }
          dropRough.run(seq);
          const { kind: code, subject_id: subject, part } = row;
          for (const [i, vector] of parts.entries()) {
            if (vector.length !== model.dimensions) throw otherDimensions(name, model.dimensions ?? 0, vector.length);
            add({ model: model.id, code, subject, part: part + i, vector, rough: false });
          }
        }
        return refined;
      });
    },
  };
}
