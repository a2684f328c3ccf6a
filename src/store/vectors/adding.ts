// Adds vectors, in the caller's transaction.
import { HoldfastError } from '../../system/errors.ts';
import type { Connection } from '../sqlite/connection.ts';

interface NewVector {
  readonly model: number;
  /** The code of the subject's kind. */
  readonly code: number;
  readonly subject: number;
  readonly part: number;
  readonly vector: Int8Array;
  readonly rough: boolean;
}

/** Search follows the numbers of new vectors: a session that only got vectors does not count as changed. */
export function vectorAdding(connection: Connection): (vector: NewVector) => void {
  const row = connection.statement(
    'INSERT INTO vectors (model_id, kind, subject_id, part, vector, rough) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return ({ model, code, subject, part, vector, rough }) => {
    row.run(model, code, subject, part, Buffer.from(vector.buffer, vector.byteOffset, vector.length), rough ? 1 : 0);
  };
}

export const otherDimensions = (name: string, before: number, now: number) =>
  new HoldfastError('CONFLICT', `${name} gave ${now} numbers for a text, and ${before} for earlier ones`, {
    hint: 'Another model seems to answer under this name. Name it as it is: holdfast config set embedding.model <name>',
  });
