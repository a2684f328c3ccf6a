// Saves vectors, and finds the texts that lack one of the wanted model. Triggers fill the queue.

import { HoldfastError } from '../../system/errors.ts';
import { embeddedText, type UseText } from '../search/tool-text.ts';
import type { Connection } from '../sqlite/connection.ts';
import { sessionRows } from '../transcripts/session-rows.ts';
import type { EmbeddingTrouble, PendingText, RoughText, SubjectKind, VectorModel, VectorsPort } from './port.ts';

interface Subject {
  /** The code of the kind in the tables. */
  readonly code: number;
  /** SQL for one text by its row id. */
  readonly text: string;
  /** SQL for the row ids of all rows with a text. */
  readonly all: string;
}

/** The kinds of rows that can have vectors. Each has triggers of its own that fill the queue; see the migrations. */
export const subjects: Readonly<Record<SubjectKind, Subject>> = {
  entry: {
    code: 0,
    text: 'SELECT text FROM entries WHERE id = ?',
    all: `SELECT id FROM entries WHERE text <> ''
      AND (substr(text, 1, 13) <> '[Used tools: ' OR EXISTS (SELECT 1 FROM tool_uses WHERE entry_id = entries.id))`,
  },
  observation: {
    code: 1,
    text: 'SELECT title || char(10) || subtitle || char(10) || narrative FROM observations WHERE id = ?',
    all: 'SELECT id FROM observations',
  },
  summary: {
    code: 2,
    text: 'SELECT title || char(10) || request || char(10) || learned || char(10) || completed FROM summaries WHERE id = ?',
    all: 'SELECT id FROM summaries',
  },
  memory: {
    code: 3,
    text: 'SELECT title || char(10) || text FROM memories WHERE id = ?',
    all: 'SELECT id FROM memories',
  },
};

export const codeOf = (kind: SubjectKind): number => subjects[kind].code;

type ModelRow = { id: number; name: string; dimensions: number | null; wanted: number; complete: number };

const lease = 'embedding lease';
const trouble = 'embedding trouble';

const bufferOf = (vector: Int8Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.length);

export function vectorRows(
  connection: Connection,
): Pick<
  VectorsPort,
  | 'models'
  | 'wantModel'
  | 'pending'
  | 'save'
  | 'rough'
  | 'refine'
  | 'dropOld'
  | 'counts'
  | 'lease'
  | 'trouble'
  | 'noteTrouble'
> {
  const { read, write } = connection;
  const kinds = Object.entries(subjects) as [SubjectKind, Subject][];
  const byCode = new Map(
    kinds.map(([kind, { code, text }]) => [code, { kind, text: connection.statement<[number], string>(text).pluck() }]),
  );
  const models = connection.statement<[], ModelRow>('SELECT * FROM vector_models ORDER BY id');
  const modelNamed = connection.statement<[string], ModelRow>('SELECT * FROM vector_models WHERE name = ?');
  const addModel = connection.statement('INSERT INTO vector_models (name) VALUES (?) ON CONFLICT DO NOTHING');
  const want = connection.statement('UPDATE vector_models SET wanted = name = ?');
  const setDimensions = connection.statement('UPDATE vector_models SET dimensions = ? WHERE id = ?');
  const setComplete = connection.statement('UPDATE vector_models SET complete = 1 WHERE id = ? AND complete = 0');
  const emptyQueue = connection.statement('DELETE FROM vector_queue');
  const refill = kinds.map(([, { code, all }]) =>
    connection.statement(
      `INSERT INTO vector_queue SELECT ${code}, id, random() & 0xffffffff FROM (${all})
       WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE kind = ${code} AND subject_id = id AND model_id = ?)`,
    ),
  );
  // Newest first: people search for current work sooner than for imports.
  const queued = connection.statement<[number], { kind: number; subject_id: number; stamp: number }>(
    'SELECT kind, subject_id, stamp FROM vector_queue ORDER BY kind DESC, subject_id DESC LIMIT ?',
  );
  // Tool uses are part of an entry's meaning.
  const usesOf = connection.statement<[number], UseText>(
    'SELECT tool, input, output FROM tool_uses WHERE entry_id = ? ORDER BY id LIMIT 20',
  );
  const textOf = (subject: NonNullable<ReturnType<typeof byCode.get>>, id: number): string => {
    const own = subject.text.get(id) ?? '';
    return subject.kind === 'entry' ? embeddedText(own, usesOf.all(id)) : own;
  };
  const isQueued = connection.statement<[], number>('SELECT EXISTS (SELECT 1 FROM vector_queue)').pluck();
  const unqueue = connection.statement('DELETE FROM vector_queue WHERE kind = ? AND subject_id = ? AND stamp = ?');
  const addVector = connection.statement(
    'INSERT INTO vectors (model_id, kind, subject_id, part, vector, rough) VALUES (?, ?, ?, ?, ?, ?)',
  );
  type RoughRow = { seq: number; kind: number; subject_id: number };
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
  const countRough = connection
    .statement<[], number>('SELECT count(*) FROM vectors INDEXED BY vectors_rough WHERE rough = 1')
    .pluck();
  const sessionOf = connection.statement<[number], number>('SELECT session_id FROM entries WHERE id = ?').pluck();
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
  const getFact = connection.statement<[string], string>('SELECT value FROM facts WHERE name = ?').pluck();
  const putFact = connection.statement(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  );
  const dropFact = connection.statement('DELETE FROM facts WHERE name = ?');
  const sessions = sessionRows(connection);

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
        if (isQueued.get() === 0) setComplete.run(id);
        dropFact.run(trouble);
      });
    },
    async pending(limit) {
      return read(() =>
        queued.all(limit).flatMap(({ kind, subject_id: id, stamp }): PendingText[] => {
          const subject = byCode.get(kind);
          if (subject === undefined) return [];
          return [{ kind: subject.kind, id, stamp, text: textOf(subject, id) }];
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
        const touched = new Set<number>();
        for (const { kind, id, stamp, vectors } of texts) {
          const code = codeOf(kind);
          if (unqueue.run(code, id, stamp).changes === 0) continue;
          saved++;
          for (const [part, vector] of vectors.entries()) {
            if (dimensions === undefined) setDimensions.run(vector.length, model.id);
            dimensions ??= vector.length;
            if (vector.length !== dimensions) throw otherDimensions(name, dimensions, vector.length);
            addVector.run(model.id, code, id, part, bufferOf(vector), rough ? 1 : 0);
          }
          const session = kind === 'entry' && vectors.length > 0 ? sessionOf.get(id) : undefined;
          if (session !== undefined) touched.add(session);
        }
        for (const session of touched) sessions.noteChange(session);
        if (isQueued.get() === 0) setComplete.run(model.id);
        dropFact.run(trouble);
        return saved;
      });
    },
    async rough(limit, ids) {
      return read(() => {
        const rows = ids === undefined ? newestRough.all(limit) : ids.flatMap((id) => roughOf.all(id)).slice(0, limit);
        return rows.flatMap(({ seq, kind, subject_id: id }): RoughText[] => {
          const subject = byCode.get(kind);
          return subject === undefined ? [] : [{ seq, text: textOf(subject, id) }];
        });
      });
    },
    async refine(name, vectors) {
      return write(() => {
        const model = modelNamed.get(name);
        if (model?.wanted !== 1) return 0;
        let refined = 0;
        const touched = new Set<number>();
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
          addVector.run(model.id, row.kind, row.subject_id, row.part, bufferOf(vector), 0);
          const session = row.kind === codeOf('entry') ? sessionOf.get(row.subject_id) : undefined;
          if (session !== undefined) touched.add(session);
        }
        for (const session of touched) sessions.noteChange(session);
        return refined;
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
    async lease(holder, now, until) {
      return write(() => {
        const text = getFact.get(lease);
        const held = text === undefined ? undefined : (JSON.parse(text) as { holder: string; until: number });
        if (held !== undefined && held.holder !== holder && held.until > now) return false;
        if (until === undefined) dropFact.run(lease);
        else putFact.run(lease, JSON.stringify({ holder, until }));
        return true;
      });
    },
    async trouble() {
      return read(() => {
        const text = getFact.get(trouble);
        return text === undefined ? undefined : (JSON.parse(text) as EmbeddingTrouble);
      });
    },
    async noteTrouble(said) {
      write(() => putFact.run(trouble, JSON.stringify(said)));
    },
  };
}

const toModel = ({ name, dimensions, wanted, complete }: ModelRow): VectorModel => ({
  name,
  dimensions: dimensions ?? undefined,
  wanted: wanted === 1,
  complete: complete === 1,
});

const otherDimensions = (name: string, before: number, now: number) =>
  new HoldfastError('CONFLICT', `${name} gave ${now} numbers for a text, and ${before} for earlier ones`, {
    hint: 'Another model seems to answer under this name. Name it as it is: holdfast config set embedding.model <name>',
  });
