// Removes what must not be kept, before anything is stored: private passages, our own text, and secrets.
import { briefingTag } from '../../schema/briefing-tag.ts';
import { recallTag } from '../../schema/recall-tag.ts';
import { findPassages, tagsNamed, without, withoutPassagesAcross } from '../passages.ts';
import { namesSecret, withoutSecretField, withoutSecrets } from './secrets.ts';

/** Increase it whenever the rules find more than before: rows stored under a lower version are then redacted again. */
export const redactionVersion = 2;

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

/** The name of a field. In `{"name": "DB_PASSWORD", "value": "…"}` the field beside it holds the name. */
export const fieldName = (fields: Readonly<Record<string, unknown>>, key: string): string =>
  key === 'value' && typeof fields.name === 'string' ? fields.name : key;

/** Deeper than any tool's input. Without a limit, a deep value would overflow the stack, and its whole transcript would be lost. */
const deepest = 200;
const tooDeep = '[left out: nested too deeply]';

/**
 * Redacts every text in a JSON value: keys, values by their own shape, values by the name of their field, and values that follow an
 * option (`["--password", "…"]`). Returns the same object if there is nothing to hide.
 */
export function redactValue(value: unknown, redactText: (text: string) => string = redact, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return tooDeep;
  if (Array.isArray(value)) {
    const clean = value.map((item, i) => {
      const option = optionBefore(value, i);
      return typeof item === 'string' && option !== undefined
        ? redactField(option, item, redactText)
        : redactValue(item, redactText, depth + 1);
    });
    return clean.some((item, i) => item !== value[i]) ? clean : value;
  }
  let changed = false;
  const fields = value as Record<string, unknown>;
  const clean = Object.entries(fields).map(([key, item]): [string, unknown] => {
    const name = redactKey(key);
    const says = fieldName(fields, key);
    const next =
      typeof item === 'string' ? redactField(says, item, redactText) : redactValue(item, redactText, depth + 1);
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

/** A command's name or a picture beside a private passage does not reveal its content. */
const saysNothing = /^[\s!]*(?:\/[\w:.-]{1,80})?\s*(?:\[(?:Image|Pasted text)[^\]\n]{0,200}\]\s*)*$/;

/** Whether a prompt has private passages and says nothing beside them. */
export function isWhollyPrivate(text: string): boolean {
  const passages = findPassages(text, privateTags);
  if (passages.length === 0) return false;
  return saysNothing.test(without(text, passages));
}
