// What must not be kept is taken out before anything is stored: private passages, text of our own, and secrets.
import { briefingTag } from '../schema/briefing-tag.ts';
import { recallTag } from '../schema/recall-tag.ts';
import { withoutSecrets } from './secrets.ts';

/** Raised whenever the rules find more than before: rows that were stored under a lower one are redacted again. */
export const redactionVersion = 1;

/** An opening or closing tag in any case, with spaces or attributes in it. Bounded, and it stops at the next `<`: linear. */
const tagsNamed = (name: string): RegExp =>
  new RegExp(`<\\s{0,20}(/?)\\s{0,20}${name}(?![\\w:.-])[^<>]{0,1000}>`, 'gi');

const privateTags = tagsNamed('private');
const ownTags = tagsNamed(`(?:${briefingTag}|${recallTag})`);
const mayBePrivate = /<\s{0,20}\/?\s{0,20}private/i;
const mayBeOwn = new RegExp(`${briefingTag}|${recallTag}`, 'i');

/** Contract: never throws; text without anything to hide comes back as it is. */
export function redact(text: string): string {
  let clean = text;
  if (text.includes('<')) {
    if (mayBePrivate.test(clean)) clean = withoutPassages(clean, privateTags);
    if (mayBeOwn.test(clean)) clean = withoutPassages(clean, ownTags);
  }
  return withoutSecrets(clean);
}

/** No tool is called with more. Whoever walks a value that goes deeper runs out of stack, and with it a whole transcript is lost. */
const deepest = 200;

/** Every text in a JSON value redacted. What has nothing to hide comes back as the same object. */
export function redactValue(value: unknown, redactText: (text: string) => string = redact, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '[left out: nested too deeply]';
  if (Array.isArray(value)) {
    const clean = value.map((item) => redactValue(item, redactText, depth + 1));
    return clean.some((item, i) => item !== value[i]) ? clean : value;
  }
  let changed = false;
  const clean = Object.entries(value).map(([key, item]): [string, unknown] => {
    const next = redactValue(item, redactText, depth + 1);
    if (next !== item) changed = true;
    return [key, next];
  });
  return changed ? Object.fromEntries(clean) : value;
}

/** A JSON text redacted, whole or cut in the middle. */
export function redactJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const clean = redactValue(value);
    return clean === value ? text : JSON.stringify(clean);
  } catch {
    // No JSON, or only parts of one.
    return redact(text);
  }
}

/** Whether a prompt has private passages and says nothing beside them. */
export function isWhollyPrivate(text: string): boolean {
  if (!mayBePrivate.test(text)) return false;
  const left = withoutPassages(text, privateTags);
  // A shell command begins with `!`.
  return left.length < text.length && /^[\s!]*$/.test(left);
}

/** Nested passages are one; what is not closed goes to the end; a closing tag alone goes by itself. */
function withoutPassages(text: string, tags: RegExp): string {
  let kept = '';
  let from = 0;
  let depth = 0;
  for (const tag of text.matchAll(tags)) {
    const end = tag.index + tag[0].length;
    if (tag[1] === '') {
      if (depth === 0) kept += text.slice(from, tag.index);
      depth++;
    } else if (depth === 0) {
      kept += text.slice(from, tag.index);
      from = end;
    } else if (--depth === 0) {
      from = end;
    }
  }
  return depth > 0 ? kept : kept + text.slice(from);
}
