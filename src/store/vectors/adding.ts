// Adds vectors, in the caller's transaction.
import { HoldfastError } from '../../system/errors.ts';
import type { Connection } from '../sqlite/connection.ts';
import { codeOf } from './subjects.ts';

interface NewVector {
  readonly model: number;
  /** The code of the subject's kind. */
  readonly code: number;
  readonly subject: number;
  readonly part: number;
  readonly vector: Int8Array;
  readonly rough: boolean;
}

export function vectorAdding(connection: Connection) {
  const row = connection.statement(
    'INSERT INTO vectors (model_id, kind, subject_id, part, vector, rough) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const sessionOf = connection.statement<[number], number>('SELECT session_id FROM entries WHERE id = ?').pluck();
  const noteVectors = connection.statement<[number]>(
    'INSERT OR REPLACE INTO session_changes (session_id, vectors_only) VALUES (?, 1)',
  );
  const entry = codeOf('entry');

  function insert({ model, code, subject, part, vector, rough }: NewVector): void {
    row.run(model, code, subject, part, Buffer.from(vector.buffer, vector.byteOffset, vector.length), rough ? 1 : 0);
  }

  /** Call it once for each transaction, and `noteChanges` at its end. */
  function adding() {
    const entries = new Set<number>();
    return {
      add(vector: NewVector): void {
        insert(vector);
        if (vector.code === entry) entries.add(vector.subject);
      },
      /** Tells processes that cache the positions of entries about the sessions with new vectors. */
      noteChanges(): void {
        const touched = new Set<number>();
        for (const id of entries) {
          const session = sessionOf.get(id);
          if (session !== undefined) touched.add(session);
        }
        for (const session of touched) noteVectors.run(session);
      },
    };
  }
  return { insert, adding };
}

export const otherDimensions = (name: string, before: number, now: number) =>
  new HoldfastError('CONFLICT', `${name} gave ${now} numbers for a text, and ${before} for earlier ones`, {
    hint: 'Another model seems to answer under this name. Name it as it is: holdfast config set embedding.model <name>',
  });
