// The settings → the distiller.
import type { Config } from '../config/config.ts';
import { HoldfastError } from '../system/errors.ts';
import type { Redact } from './answers.ts';
import type { Distiller } from './distiller.ts';
import { ModelError } from './models/model.ts';

/** Loads only the chosen distiller. Throws MODEL_FAILED with a hint if the model lacks something, such as a key. */
export async function openDistiller(config: Config, redact: Redact): Promise<Distiller> {
  const { model } = config.settings.distill;
  if (model === 'none') return (await import('./offline-distiller.ts')).offlineDistiller;
  const [{ models }, { modelDistiller }] = await Promise.all([
    import('./models/index.ts'),
    import('./model-distiller.ts'),
  ]);
  try {
    return modelDistiller(await models[model](config), redact, config.settings.timeZone);
  } catch (error) {
    throw asHoldfastError(error);
  }
}

export const asHoldfastError = (error: unknown): unknown =>
  error instanceof ModelError
    ? new HoldfastError('MODEL_FAILED', error.message, {
        cause: error,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      })
    : error;
