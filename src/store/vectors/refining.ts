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
  const adding = vectorAdding(connection);
  const newestRough = connection.statement<[number], RoughRow>(
    'SELECT seq, kind, subject_id FROM vectors INDEXED BY vectors_rough WHERE rough = 1 ORDER BY seq DESC LIMIT ?',
  );
  const roughOf = connection.statement<[number], RoughRow>(
    'SELECT seq, kind, subject_id FROM vectors WHERE kind = 0 AND subject_id = ? AND rough = 1',
  );
  const roughAt = connection.statement<[number, number], RoughRow & { part: number }>(
    'SELECT seq, kind, subject_id, part FROM vectors WHERE seq = ? AND model_id = ? AND rough = 1',
  );
  const dropRough = connection.statement('DELETE FROM vectors WHERE seq = ?');
  const settleRough = connection.statement('UPDATE vectors SET rough = 0 WHERE seq = ?');

  return {
    async rough(limit, ids) {
      return read(() => {
        const rows = ids === undefined ? newestRough.all(limit) : ids.flatMap((id) => roughOf.all(id)).slice(0, limit);
        return rows.flatMap(({ seq, kind, subject_id: id }): RoughText[] => {
          const found = textOf(kind, id);
          return found === undefined ? [] : [{ seq, text: found.text }];
        });
      });
    },
    async refine(name, vectors) {
      return write(() => {
        const model = modelNamed.get(name);
        if (model?.wanted !== 1) return 0;
        let refined = 0;
        const { add, noteChanges } = adding();
        for (const { seq, vector } of vectors) {
          const row = roughAt.get(seq, model.id);
          if (row === undefined) continue;
          refined++;
          if (vector === undefined) {
            settleRough.run(seq);
            continue;
          }
          if (vector.length !== model.dimensions) throw otherDimensions(name, model.dimensions ?? 0, vector.length);
          dropRough.run(seq);
          const { kind: code, subject_id: subject, part } = row;
          add({ model: model.id, code, subject, part, vector, rough: false });
        }
        noteChanges();
        return refined;
      });
    },
  };
}
