// What destroys something never runs unasked: a person is asked, or the call itself says yes.
import { HoldfastError } from '../system/errors.ts';
import type { Operation } from './operation.ts';

/** For a caller who cannot be asked: a script, an agent's shell, HTTP. Refuses before anything is opened or changed. */
export function refuseUnasked(
  { name, destroys }: Operation,
  input: Readonly<Record<string, unknown>>,
  how: string,
): void {
  if (!destroys || input.yes === true || input.dryRun === true) return;
  throw new HoldfastError('BAD_INPUT', `\`${name}\` removes things for good, and nobody can be asked here`, {
    hint: `Nothing was changed. If it is what you want, ${how}.`,
  });
}
