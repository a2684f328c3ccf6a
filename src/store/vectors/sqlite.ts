// The port of vectors, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { vectorAttempts } from './attempts.ts';
import { vectorModels } from './models.ts';
import type { VectorsPort } from './port.ts';
import { vectorReading } from './reading.ts';
import { vectorRefining } from './refining.ts';
import { vectorSaving } from './saving.ts';

export function vectorsPort(connection: Connection): VectorsPort {
  const { models, wantModel, dropOld, counts } = vectorModels(connection);
  const { pending, save } = vectorSaving(connection);
  const { rough, refine } = vectorRefining(connection);
  const { lease, trouble, noteTrouble } = vectorAttempts(connection);
  const { placesAfter, after, newest, of, at, numbers } = vectorReading(connection);
  return {
    models,
    wantModel,
    dropOld,
    counts,
    pending,
    save,
    rough,
    refine,
    lease,
    trouble,
    noteTrouble,
    placesAfter,
    after,
    newest,
    of,
    at,
    numbers,
  };
}
