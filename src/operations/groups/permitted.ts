// Messages to groups are stored until they are answered, so secrets and private parts are removed first.
import { HoldfastError } from '../../system/errors.ts';

/** Throws BAD_INPUT if nothing is left. `what` names the text: a message, a prompt, a name. */
export async function permitted(text: string, what: string): Promise<string> {
  const { isWhollyPrivate, redact } = await import('../../capture/redaction/redact.ts');
  const clean = redact(text).trim();
  if (clean !== '' && !isWhollyPrivate(text)) return clean;
  throw new HoldfastError('BAD_INPUT', `${what} is empty, or all of it is marked as private`, {
    hint: 'Holdfast stores a message until it is answered, and never stores private text.',
  });
}
