// The vectors of new entries: stored with the entry if they came with it, otherwise queued for an embedder.
import type { Connection } from '../sqlite/connection.ts';
import { vectorAdding } from '../vectors/adding.ts';
import { modelRows } from '../vectors/models.ts';
import { codeOf } from '../vectors/subjects.ts';
import type { ChunkVectors } from './port.ts';
import type { Touched } from './touched.ts';

export function vectorTaking(connection: Connection) {
  const { modelNamed, setDimensions } = modelRows(connection);
  const insert = vectorAdding(connection);
  const queue = connection.statement(
    'INSERT INTO vector_queue VALUES (0, ?, random() & 0xffffffff) ON CONFLICT DO UPDATE SET stamp = excluded.stamp',
  );
  const code = codeOf('entry');

  /** The id of the model, if these vectors are of the wanted one. */
  function modelOf({ model: name, dimensions }: ChunkVectors): number | undefined {
    const model = modelNamed.get(name);
    if (model?.wanted !== 1) return undefined;
    if (model.dimensions === null) setDimensions.run(dimensions, model.id);
    return (model.dimensions ?? dimensions) === dimensions ? model.id : undefined;
  }

  return (vectors: ChunkVectors | undefined, { fresh, users }: Touched): void => {
    const model = vectors === undefined || fresh.size === 0 ? undefined : modelOf(vectors);
    for (const [id, { vector, text, toolUses }] of fresh) {
      // The store has found a result for it that the vector lacks.
      const isComplete = vector !== undefined && !users.has(id);
      if (vectors !== undefined && model !== undefined && isComplete) {
        const { dimensions, numbers, rough } = vectors;
        const own = numbers.subarray(vector * dimensions, (vector + 1) * dimensions);
        if (vector >= 0) insert({ model, code, subject: id, part: 0, vector: own, rough });
      } else if (text !== '' || toolUses.length > 0) queue.run(id);
    }
  };
}
