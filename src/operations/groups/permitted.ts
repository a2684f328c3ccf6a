// What people and agents say to groups is stored until it is answered: without secrets, and without what is marked as private.
import { HoldfastError } from '../../system/errors.ts';

/** Throws BAD_INPUT when nothing is left. `what` names it: a message, a prompt, a name. */
export async function permitted(text: string, what: string): Promise<string> {
  const { isWhollyPrivate, redact } = await import('../../capture/redaction/redact.ts');
  const clean = redact(text).trim();
  if (clean !== '' && !isWhollyPrivate(text)) return clean;
  throw new HoldfastError('BAD_INPUT', `${what} is empty, or all of it is marked as private`, {
    hint: 'It would be stored until it is answered, and what is private is never stored.',
  });
}
