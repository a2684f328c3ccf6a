// Removes what must not be kept, before anything is stored: private passages, our own text, and secrets.
import { briefingTag } from '../../schema/briefing-tag.ts';
import { recallTag } from '../../schema/recall-tag.ts';
import { findPassages, tagsNamed, without, withoutPassagesAcross } from '../passages.ts';
import { namesSecret, withoutSecretField, withoutSecrets } from './secrets.ts';

/** Increase it whenever the rules find more than before: rows stored under a lower version are then redacted again. */
export const redactionVersion = 6;

const privateTags = tagsNamed('private');
const ownTags = tagsNamed(`${briefingTag}|${recallTag}`);

/** Contract: never throws; returns text without anything to hide unchanged. */
export function redact(text: string): string {
  return withoutSecrets(withoutPassages(text));
}

const withoutPassages = (text: string): string => {
  const open = without(text, findPassages(text, privateTags));
  return without(open, findPassages(open, ownTags));
};

/** For texts that follow each other, such as the blocks of one message: a private passage may extend from one into the next. */
export const withoutPrivatePassages = (texts: readonly string[]): string[] => withoutPassagesAcross(texts, privateTags);

/** Redacts the value of a field, whose name may say that it is secret. */
export const redactField = (name: string, value: string, redactText: (text: string) => string = redact): string =>
  namesSecret(name) ? withoutSecretField(name, withoutPassages(value)) : redactText(value);

/** The option before a value in a list of arguments: `["--password", "…"]`. */
export function optionBefore(list: readonly unknown[], index: number): string | undefined {
  const before = list[index - 1];
  return typeof before === 'string' && before.length < 80 && /^--?[a-z]/i.test(before) ? before : undefined;
}

/**
 * The name of a field. `holder` is the name of the object: it names the secret in `{"db_password": {"value": "…"}}`. A browser's cookie has a
 * name that says little, and a domain.
 */
export const fieldName = (fields: Readonly<Record<string, unknown>>, key: string, holder: string): string => {
  if (key !== 'value' && key !== 'default') return key;
  if (typeof fields.name !== 'string') return holder;
  return typeof fields.domain === 'string' ? 'cookie_token' : fields.name;
};

/** A Kubernetes secret without the values below `data` and `stringData`. Any other object is returned as it is. */
export function withoutKubernetesSecret(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (fields.kind !== 'Secret') return fields;
  const hidden = Object.entries(fields)
    .filter(([key, item]) => (key === 'data' || key === 'stringData') && typeof item === 'object' && item !== null)
    .map(([key, item]) => [
      key,
      Object.fromEntries(Object.keys(item as object).map((name) => [name, '[redacted: secret]'])),
    ]);
  return hidden.length === 0 ? fields : { ...fields, ...Object.fromEntries(hidden) };
}

/** Deeper than any tool's input. Without a limit, a deep value would overflow the stack, and its whole transcript would be lost. */
const deepest = 200;
const tooDeep = '[left out: nested too deeply]';

/**
 * Redacts every text in a JSON value: keys, values by their own shape, values by the name of their field, and values that follow an
 * option (`["--password", "…"]`). Returns the same object if there is nothing to hide.
 */
export function redactValue(
  value: unknown,
  redactText: (text: string) => string = redact,
  depth = 0,
  holder = '',
): unknown {
  if (typeof value === 'string') return redactField(holder, value, redactText);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return tooDeep;
  if (Array.isArray(value)) {
    const clean = value.map((item, i) => redactValue(item, redactText, depth + 1, optionBefore(value, i) ?? holder));
    return clean.some((item, i) => item !== value[i]) ? clean : value;
  }
  const fields = withoutKubernetesSecret(value as Record<string, unknown>);
  let changed = fields !== value;
  const clean = Object.entries(fields).map(([key, item]): [string, unknown] => {
    const name = redactKey(key);
    const next = redactValue(item, redactText, depth + 1, fieldName(fields, key, holder));
    if (next !== item || name !== key) changed = true;
    return [name, next];
  });
  return changed ? Object.fromEntries(clean) : value;
}

/** Fields of tools repeat the same few keys. */
const knownKeys = new Map<string, string>();
const mostKnown = 1000;
const longestKnown = 80;

function redactKey(key: string): string {
  const known = knownKeys.get(key);
  if (known !== undefined) return known;
  const clean = redact(key);
  if (key.length > longestKnown) return clean;
  if (knownKeys.size === mostKnown) knownKeys.clear();
  knownKeys.set(key, clean);
  return clean;
}

/** Redacts a JSON text, whether whole or cut off. */
export function redactJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const clean = redactValue(value);
    return clean === value ? text : JSON.stringify(clean);
  } catch {
    // Not JSON, or only a part of it.
    return redact(text);
  }
}

/** A command's name or a picture beside a private passage does not reveal its content, nor do signs without a letter or a digit. */
const saysNothing =
  /^[^\p{L}\p{N}/[]*(?:\/[\w:.-]{1,80})?\s*(?:\[(?:Image|Document|Pasted text)[^\]\n]{0,200}\]\s*)*[^\p{L}\p{N}]*$/u;
/** Colours, and fillers that are letters without a sign. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
const unseen = /\u001b\[[0-9;]{0,40}m|[\u115f\u1160\u3164\uffa0]/g;

/** Whether a prompt has private passages and says nothing beside them. */
export function isWhollyPrivate(text: string): boolean {
  const passages = findPassages(text, privateTags);
  if (passages.length === 0) return false;
  return saysNothing.test(without(text, passages).replace(unseen, ''));
}
