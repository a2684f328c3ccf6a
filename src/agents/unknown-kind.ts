// Kinds of lines, messages and blocks that a reader does not know: a newer version of the agent may write them. They are
// counted, and are never an error.
import type { ParsedLine } from './agent.ts';
import { asObject } from './json.ts';

type Unknown = Pick<ParsedLine, 'unknown'>;

/** `of` says what the kind is a kind of. A kind that is not text is damage, not news. */
export const unknownKind = (known: ReadonlySet<unknown>, kind: unknown, of = ''): Unknown =>
  typeof kind !== 'string' || kind === '' || known.has(kind) ? {} : { unknown: `${of}${kind}` };

/** The first unknown kind among the blocks of a message. */
export function unknownBlock(known: ReadonlySet<unknown>, content: unknown): Unknown {
  for (const block of Array.isArray(content) ? content : []) {
    const found = unknownKind(known, asObject(block).type, 'block ');
    if (found.unknown !== undefined) return found;
  }
  return {};
}

/** Messages have one of these two roles. */
export const roles: ReadonlySet<unknown> = new Set(['user', 'assistant']);
