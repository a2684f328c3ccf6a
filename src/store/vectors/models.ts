// The models that vectors come from: one is wanted, and older ones are removed once it is complete.
import type { Connection } from '../sqlite/connection.ts';
import { troubleFact } from './attempts.ts';
import type { SubjectKind, VectorModel, VectorsPort } from './port.ts';
import { codeOf, type Subject, subjects } from './subjects.ts';

type ModelRow = { id: number; name: string; dimensions: number | null; wanted: number; complete: number };

/** What saving vectors and choosing a model share, in the caller's transaction. */
export function modelRows(connection: Connection) {
  const modelNamed = connection.statement<[string], ModelRow>('SELECT * FROM vector_models WHERE name = ?');
  const isQueued = connection.statement<[], number>('SELECT EXISTS (SELECT 1 FROM vector_queue)').pluck();
  const setComplete = connection.statement('UPDATE vector_models SET complete = 1 WHERE id = ? AND complete = 0');
  const setDimensions = connection.statement('UPDATE vector_models SET dimensions = ? WHERE id = ?');
  const dropTrouble = connection.statement('DELETE FROM facts WHERE name = ?');
  return {
    modelNamed,
    setDimensions,
    /** The wanted model has no trouble any more; without a queue, it is complete. */
    noteSaved(model: number): void {
      if (isQueued.get() === 0) setComplete.run(model);
      dropTrouble.run(troubleFact);
    },
  };
}

export function vectorModels(connection: Connection): Pick<VectorsPort, 'models' | 'wantModel' | 'dropOld' | 'counts'> {
  const { read, write } = connection;
  const { modelNamed, noteSaved } = modelRows(connection);
  const kinds = Object.entries(subjects) as [SubjectKind, Subject][];
  const models = connection.statement<[], ModelRow>('SELECT * FROM vector_models ORDER BY id');
  const addModel = connection.statement('INSERT INTO vector_models (name) VALUES (?) ON CONFLICT DO NOTHING');
  const want = connection.statement('UPDATE vector_models SET wanted = name = ?');
  const emptyQueue = connection.statement('DELETE FROM vector_queue');
  const refill = kinds.map(([, { code, all }]) =>
    connection.statement(
      `INSERT INTO vector_queue SELECT ${code}, id, random() & 0xffffffff FROM (${all})
       WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE kind = ${code} AND subject_id = id AND model_id = ?)`,
    ),
  );
  const countRough = connection
    .statement<[], number>('SELECT count(*) FROM vectors INDEXED BY vectors_rough WHERE rough = 1')
    .pluck();
  const oldModel = connection
    .statement<[], number>(
      `SELECT id FROM vector_models WHERE wanted = 0 AND EXISTS (SELECT 1 FROM vector_models WHERE wanted = 1 AND complete = 1)`,
    )
    .pluck();
  const dropVectors = connection.statement(
    'DELETE FROM vectors WHERE seq IN (SELECT seq FROM vectors WHERE model_id = ? LIMIT ?)',
  );
  const dropModel = connection.statement('DELETE FROM vector_models WHERE id = ?');
  const countEmbedded = connection
    .statement<[number, number], number>(
      'SELECT count(DISTINCT subject_id) FROM vectors INDEXED BY vectors_by_subject WHERE kind = ? AND model_id = ?',
    )
    .pluck();
  const countQueued = connection.statement<[], number>('SELECT count(*) FROM vector_queue').pluck();

  return {
    async models() {
      return read(() => models.all().map(toModel));
    },
    async wantModel(name) {
      if (read(() => modelNamed.get(name)?.wanted) === 1) return;
      write(() => {
        addModel.run(name);
        want.run(name);
        const { id } = modelNamed.get(name) as ModelRow;
        emptyQueue.run();
        for (const fill of refill) fill.run(id);
        noteSaved(id);
      });
    },
    async dropOld(limit) {
      if (read(() => oldModel.get()) === undefined) return true;
      return write(() => {
        const id = oldModel.get();
        if (id === undefined) return true;
        if (dropVectors.run(id, limit).changes < limit) dropModel.run(id);
        return oldModel.get() === undefined;
      });
    },
    async counts() {
      return read(() => {
        const wanted = models.all().find((model) => model.wanted === 1);
        const embedded = wanted === undefined ? 0 : (countEmbedded.get(codeOf('entry'), wanted.id) ?? 0);
        return { embedded, pending: countQueued.get() ?? 0, rough: countRough.get() ?? 0 };
      });
    },
  };
}

const toModel = ({ name, dimensions, wanted, complete }: ModelRow): VectorModel => ({
  name,
  dimensions: dimensions ?? undefined,
  wanted: wanted === 1,
  complete: complete === 1,
});
