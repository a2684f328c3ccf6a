// Replaces secrets, found by shape or by name, with marks that name their kind.
import { find } from './secrets/find.ts';
import { isSecretField, kindOf } from './secrets/names.ts';
import { withMarks } from './secrets/span.ts';

/** Contract: never throws; returns text without a secret unchanged. */
export const withoutSecrets = (text: string): string => withMarks(text, find(text));

/** Redacts the value of a field whose name says that it is secret. */
export function withoutSecretField(name: string, value: string): string {
  const kind = isSecretField(name, value);
  return kind === undefined ? withoutSecrets(value) : `[redacted: ${kind}]`;
}

export const namesSecret = (name: string): boolean => kindOf(name) !== undefined;
