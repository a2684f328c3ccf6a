import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from '../../operations/index.ts';
import type { Operation } from '../../operations/operation.ts';
import { HoldfastError } from '../../system/errors.ts';
import { fieldsOf, toInput } from './fields.ts';

const named = (name: string, field: z.ZodType): Operation =>
  ({ name: 'try', input: z.object({ [name]: field }) }) as unknown as Operation;

function complaint(operation: Operation, typed: Record<string, unknown>): string {
  try {
    toInput(operation, typed);
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'BAD_INPUT') return error.message;
    throw error;
  }
  return '';
}

describe('the complaint about typed text', () => {
  it('is the message of a pattern or of a check, in any words', () => {
    const colour = z.string().regex(/^[a-z]+$/, 'takes small letters only');
    expect(complaint(named('colour', colour), { colour: 'RED' })).toBe('--colour takes small letters only');
    const even = z.string().refine((text) => text.length % 2 === 0, 'needs an even number of letters');
    expect(complaint(named('pair', even.optional()), { pair: 'abc' })).toBe('--pair needs an even number of letters');
  });

  it('says that an empty or a missing text must not be empty', () => {
    const text = z.string().min(1);
    expect(complaint(named('text', text), { text: '' })).toBe('--text must not be empty');
    expect(complaint(named('text', text), {})).toBe('--text must not be empty');
  });

  it('comes from Holdfast for every option that has a pattern, never from the library', () => {
    let patterns = 0;
    for (const operation of operations)
      for (const { name, kind, label } of fieldsOf(operation)) {
        if (kind !== 'text') continue;
        const field = named(name, (operation.input.shape as Record<string, z.ZodType>)[name] as z.ZodType);
        const said = complaint(field, { [name]: '\0\n ;?' });
        if (said === '') continue;
        patterns++;
        expect(said).toMatch(/^(?:<\w+>|--[\w-]+) must /);
        expect(said, `${operation.name} ${label}`).not.toMatch(/invalid|pattern/i);
      }
    expect(patterns).toBeGreaterThan(5);
  });
});
