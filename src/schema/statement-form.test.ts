import { describe, expect, it } from 'vitest';
import { commitText, coreOf, formIn, planText, remarkText } from './statement-form.ts';

describe('the form of a statement', () => {
  it.each([
    ['commit', commitText('Moor ships by size.')],
    ['plan', planText('Moor ships by size.')],
    ['remark', remarkText('Moor “all” ships', 'Moor ships by size.')],
  ] as const)('%s is found in its text, and taken off it', (form, text) => {
    expect(formIn(text)).toBe(form);
    expect(coreOf(text, form)).toBe('Moor ships by size.');
  });

  it('is absent in other texts, which stay whole', () => {
    const text = 'The commit was decided in a commit: no.';
    expect(formIn(text)).toBeUndefined();
    expect(coreOf(text, undefined)).toBe(text);
  });
});
