import { expect, it } from 'vitest';
import { keyOf, nameSlug, sameText, titleSlug } from './names.ts';

it('keys that mean the same become one key, and others do not', () => {
  const one = keyOf('package manager');
  for (const key of ['Package managers', 'the package manager used', 'Our current PACKAGE  manager', 'package-manager'])
    expect(keyOf(key), key).toBe(one);
  for (const key of ['manager', 'package', 'manager of packages', 'パッケージ']) expect(keyOf(key), key).not.toBe(one);
  expect(keyOf('the')).not.toBe(keyOf('of'));
  expect(keyOf('🐙')).not.toBe(keyOf('🦑'));
});

it('a key keeps short words if only they distinguish it from another', () => {
  for (const [one, other] of [
    ['key a', 'key i'],
    ['key a', 'key'],
    ['option a of the plan', 'option i of the plan'],
    ['sign in', 'sign on'],
    ['it', 'we'],
  ] as const)
    expect(keyOf(one), `${one}, ${other}`).not.toBe(keyOf(other));
  const editor = keyOf('editor');
  for (const key of ['the editor we use', 'editor in use', 'an editor', 'current editor'])
    expect(keyOf(key), key).toBe(editor);
  expect(keyOf('A')).toBe(keyOf('a'));
});

it('a name that is a valid file name becomes one in lower case; any other ends with its hash', () => {
  expect(['courier', 'Foo Bar', 'node.js', '海の底', 'ana maría'].map(nameSlug)).toEqual([
    ...['courier', 'foo-bar', 'node.js', '海の底', 'ana-maría'],
  ]);
  expect(nameSlug('C++')).toMatch(/^c-[0-9a-f]{8}$/);
  expect(nameSlug('../../etc')).toMatch(/^etc-[0-9a-f]{8}$/);
  expect(nameSlug('con')).toMatch(/^con-[0-9a-f]{8}$/);
  expect(nameSlug('e\u0301')).toBe(nameSlug('\u00e9'));
});

it('a long title is cut between words', () => {
  expect(titleSlug('The difference is that VS Code terminal does not display colours')).toBe(
    'the-difference-is-that-vs-code-terminal-does-not',
  );
  expect(titleSlug('a'.repeat(100))).toBe('a'.repeat(51));
  expect(titleSlug('🐙')).toMatch(/^[0-9a-f]{8}$/);
});

it('texts that differ only in spaces, case or the final full stop are the same', () => {
  expect(sameText('Use  pnpm.', 'use pnpm')).toBe(true);
  expect(sameText('Use pnpm 9', 'use pnpm')).toBe(false);
});
