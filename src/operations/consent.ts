// Destructive operations never run unasked: either a person confirms, or the call itself says yes.
import { HoldfastError } from '../system/errors.ts';
import type { Operation } from './operation.ts';

/**
 * For a caller that cannot answer a question: a script, an agent's shell, HTTP. Refuses before anything is opened or
 * changed.
 */
export function refuseUnasked(
  { name, destroys }: Operation,
  input: Readonly<Record<string, unknown>>,
  how: string,
): void {
  if (!destroys || input.yes === true || input.dryRun === true) return;
  throw new HoldfastError('BAD_INPUT', `\`${name}\` removes things for good, and nothing here can confirm that`, {
    hint: `Nothing was changed. If it is what you want, ${how}.`,
  });
}
