import { describe, expect, it } from 'vitest';
import { deedOf, exitCodeIn, pathFrom } from './deed.ts';

const use = (tool: string, input: unknown, files: string[] = []) =>
  deedOf({ tool, input: typeof input === 'string' ? input : JSON.stringify(input), files });

describe('what a tool use did', () => {
  it('is a command, with what it was for', () => {
    expect(use('Bash', { command: 'npm test', description: 'Run the tests' })).toEqual({
      kind: 'command',
      command: 'npm test',
      about: 'Run the tests',
    });
    expect(use('shell', { command: ['bash', '-lc', 'go build ./...'] })).toEqual({
      kind: 'command',
      command: 'go build ./...',
    });
    expect(use('exec', { cmd: ['git', 'status'] })).toMatchObject({ command: 'git status' });
  });

  it('is an edit: one, several, a whole file, or a patch', () => {
    const edited = use('Edit', { file_path: '/a/b.ts', old_string: 'one', new_string: 'two' });
    expect(edited).toEqual({ kind: 'edit', file: '/a/b.ts', changes: [{ before: 'one', after: 'two' }] });
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: '' },
    ];
    expect(use('MultiEdit', { file_path: '/a/b.ts', edits })).toMatchObject({
      changes: [
        { before: 'a', after: 'b' },
        { before: 'c', after: '' },
      ],
    });
    expect(use('Write', { file_path: '/a/new.ts', content: 'x\n' })).toMatchObject({
      changes: [{ before: '', after: 'x\n' }],
    });
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n keep\n-old\n+new\n*** End Patch';
    expect(use('apply_patch', { input: patch })).toEqual({
      kind: 'edit',
      file: 'src/a.ts',
      changes: [{ before: 'keep\nold', after: 'keep\nnew' }],
    });
    expect(use('apply_patch', patch)).toMatchObject({ kind: 'edit', file: 'src/a.ts' });
  });

  it('is read as far as possible from an input that was cut', () => {
    const cut =
      '{"file_path":"/a/b.ts","old_string":"say \\"hi\\"\\n","new_string":"say … [9 characters left out] … \\';
    expect(use('Edit', cut)).toMatchObject({ kind: 'edit', file: '/a/b.ts', changes: [{ before: 'say "hi"\n' }] });
    expect(use('Bash', '{"command":"echo a … [900 characters left out] … ')).toMatchObject({ kind: 'command' });
  });

  it('is otherwise described in one line', () => {
    expect(use('Grep', { pattern: 'tide', path: '/srv/app' })).toEqual({ kind: 'other', gist: 'tide in /srv/app' });
    expect(use('Read', { file_path: '/a/b.ts', limit: 3 })).toEqual({ kind: 'other', gist: '/a/b.ts' });
    expect(use('Odd', 'no JSON')).toEqual({ kind: 'other', gist: 'no JSON' });
  });

  it.each(['', '[]', 'null', '3', '{"command":3}', '{"edits":[null,1]}', `{"command":"${'\\'.repeat(100_001)}`])(
    'takes any input: %#',
    (input) => {
      expect(use('Any', input)).toHaveProperty('kind');
    },
  );

  it('includes the exit code and the path relative to the project', () => {
    expect(exitCodeIn('Exit code 2\nboom')).toBe(2);
    expect(exitCodeIn('all is well')).toBeUndefined();
    expect(pathFrom('/srv/app', '/srv/app/src/a.ts')).toBe('src/a.ts');
    expect(pathFrom('/srv/app', '/srv/apple/a.ts')).toBe('/srv/apple/a.ts');
  });
});
