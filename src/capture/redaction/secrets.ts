// Secrets by their shapes and their names → marks of what was there.
import { find } from './secrets/find.ts';
import { isSecretField, kindOf } from './secrets/names.ts';
import { withMarks } from './secrets/span.ts';

/** Contract: never throws; text without a secret comes back as it is. */
export const withoutSecrets = (text: string): string => withMarks(text, find(text));

/** The value of a field whose name says that it is secret. */
export function withoutSecretField(name: string, value: string): string {
  const kind = isSecretField(name, value);
  return kind === undefined ? withoutSecrets(value) : `[redacted: ${kind}]`;
}

export const namesSecret = (name: string): boolean => kindOf(name) !== undefined;
