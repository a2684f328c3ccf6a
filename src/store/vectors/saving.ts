// Saves vectors, and finds the texts that lack one of the wanted model. Triggers fill the queue.
import type { Connection } from '../sqlite/connection.ts';
import { otherDimensions, vectorAdding } from './adding.ts';
import { modelRows } from './models.ts';
import type { PendingText, VectorsPort } from './port.ts';
import { codeOf, subjectTexts } from './subjects.ts';

export function vectorSaving(connection: Connection): Pick<VectorsPort, 'pending' | 'save'> {
  const { read, write } = connection;
  const { modelNamed, setDimensions, noteSaved } = modelRows(connection);
  const textOf = subjectTexts(connection);
  const add = vectorAdding(connection);
  // Newest first: people search for current work sooner than for imports.
  const queued = connection.statement<[number], { kind: number; subject_id: number; stamp: number }>(
    'SELECT kind, subject_id, stamp FROM vector_queue ORDER BY kind DESC, subject_id DESC LIMIT ?',
  );
  const unqueue = connection.statement('DELETE FROM vector_queue WHERE kind = ? AND subject_id = ? AND stamp = ?');

  return {
    async pending(limit) {
      return read(() =>
        queued.all(limit).flatMap(({ kind, subject_id: id, stamp }): PendingText[] => {
          const found = textOf(kind, id);
          return found === undefined ? [] : [{ ...found, id, stamp }];
        }),
      );
    },
    async save(name, texts, { rough = false } = {}) {
      return write(() => {
        const model = modelNamed.get(name);
        // Another model is wanted now; it queued these texts again with other stamps.
        if (model?.wanted !== 1) return 0;
        let dimensions = model.dimensions ?? undefined;
        let saved = 0;
        for (const { kind, id, stamp, vectors } of texts) {
          const code = codeOf(kind);
          if (unqueue.run(code, id, stamp).changes === 0) continue;
          saved++;
          for (const [part, vector] of vectors.entries()) {
            if (dimensions === undefined) setDimensions.run(vector.length, model.id);
            dimensions ??= vector.length;
            if (vector.length !== dimensions) throw otherDimensions(name, dimensions, vector.length);
            add({ model: model.id, code, subject: id, part, vector, rough });
          }
        }
        noteSaved(model.id);
        return saved;
      });
    },
  };
}
