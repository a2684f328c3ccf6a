import { expect, it } from 'vitest';
import { styles } from '../style.ts';
import { renderToolUse } from './tool-use.ts';

const view = { style: styles(false), width: 80, now: 0, timeZone: 'UTC' };
const shown = (tool: string, input: unknown, rest: { outcome?: 'ok' | 'error'; output?: string } = {}) =>
  renderToolUse(
    { id: 'u', entry: 'e', tool, at: '2026-03-01T10:00:00.000Z', input: JSON.stringify(input), files: [], ...rest },
    view,
    '/srv/app',
  );

it('a command is shown as it was typed, with its exit code and the ends of its output', () => {
  const output = `Exit code 2\n${Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n')}`;
  const text = shown('Bash', { command: 'make lamp\nmake light' }, { outcome: 'error', output });
  expect(text).toMatch(/^ {2}✗ \$ make lamp {2}exit 2\n {4}make light\n/);
  expect(text).toContain('… 23 more lines');
  expect(text).toContain('line 29');
  expect(text).not.toContain('{"command"');
});

it('an edit is shown as a patch, with a path relative to the project', () => {
  const input = { file_path: '/srv/app/src/lamp.ts', old_string: 'wet\nwick', new_string: 'dry\nwick' };
  expect(shown('Edit', input, { outcome: 'ok' })).toBe('  ✓ Edit src/lamp.ts  +1 −1\n    - wet\n    + dry\n      wick');
});

it('nothing of it moves the cursor', () => {
  const text = shown(
    'Bash',
    { command: 'echo \u001b[2J\u001b]0;owned\u0007' },
    { outcome: 'ok', output: 'a\u001b[2Jb\rc' },
  );
  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
});
