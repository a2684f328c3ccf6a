// Reading JSON from other programs: every function takes any value and never throws.
import type { ParsedToolUse } from './agent.ts';

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

/** An answer with the names of the tools it used, which makes them searchable. */
export function usedTools(text: string, uses: readonly ParsedToolUse[]): string {
  if (uses.length === 0) return text;
  const line = `[Used tools: ${[...new Set(uses.map((use) => use.tool))].join(', ')}]`;
  return text === '' ? line : `${text}\n${line}`;
}
