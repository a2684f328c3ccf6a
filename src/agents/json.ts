// Reading JSON from other programs: every function takes any value and never throws.
import type { ParsedEntry } from './agent.ts';

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export const asString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Milliseconds since 1970 from an ISO date or a number; undefined for anything else. */
export function asTime(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? Math.trunc(value) : Number.NaN;
  return Math.abs(at) <= latest ? at : undefined;
}

/** The last moment that a Date can hold. */
const latest = 8.64e15;

/** The texts of `[{ type: 'text', text }, …]`, without other blocks. */
export function textOfBlocks(content: unknown): string[] {
  const texts: string[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    const block = asObject(part);
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text);
  }
  return texts;
}

/** The parsed text; undefined if it is not JSON, which no version of an agent writes. */
export function parsedJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/** The non-empty texts in these fields of an object, such as the files that a tool's input names. */
export const textsAt = (value: unknown, names: readonly string[]): string[] => {
  const fields = asObject(value);
  return names.map((name) => fields[name]).filter((text): text is string => typeof text === 'string' && text !== '');
};

/** Whether an answer has no text and used no tools. */
export const isEmpty = ({ text, toolUses }: Pick<ParsedEntry, 'text' | 'toolUses'>): boolean =>
  text === '' && toolUses.length === 0;
