import { expect, it } from 'vitest';
import { commitsIn, webAddressOf } from './commits.ts';

it('commits are read from what git prints', () => {
  const output =
    'hook ran\n[fix/lamp 1a2b3c4] Mend the lamp\n 1 file changed\n[main (root-commit) abcdef0] Begin\n[not a commit] x\n';
  expect(commitsIn(output)).toEqual([
    { hash: '1a2b3c4', branch: 'fix/lamp', subject: 'Mend the lamp' },
    { hash: 'abcdef0', branch: 'main', subject: 'Begin' },
  ]);
  expect(commitsIn('[main 1a2b3c4]')).toEqual([]);
});

it('a repository has a page on the web by any of its addresses', () => {
  for (const address of [
    'git@github.com:o/r.git',
    'https://x@github.com/o/r.git',
    'ssh://git@github.com:22/o/r',
    'github.com/o/r/',
  ])
    expect(webAddressOf(address)).toBe('https://github.com/o/r');
  for (const address of [undefined, '', '/srv/git/r', 'file:///srv/r', 'javascript:alert(1)', '../r'])
    expect(webAddressOf(address)).toBeUndefined();
});
