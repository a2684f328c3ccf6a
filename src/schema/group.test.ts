import { expect, it } from 'vitest';
import { GroupName } from './group.ts';

it.each([
  ...[
    '',
    '.',
    '..',
    '../main',
    'a/b',
    'a\\b',
    '/etc',
    'global',
    'Global',
    'con',
    'nul',
    'com1',
    '-rf',
    '_x',
    'a b',
    'a\n',
  ],
  ...['a\u0000', 'é', 'ａ', 'a.b', '~', '$HOME', '%2e%2e', 'x'.repeat(64)],
])('host.md 18: %j is not a group name', (name) => {
  expect(GroupName.safeParse(name).success).toBe(false);
});

it.each(['main', 'dev-team', 'a', '7', 'x_1', 'x'.repeat(63), 'globals', 'console'])('%s is a group name', (name) => {
  expect(GroupName.safeParse(name).success).toBe(true);
});
