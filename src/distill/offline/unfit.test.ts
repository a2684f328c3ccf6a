import { expect, it } from 'vitest';
import { emptyMemory } from '../../../test/demo-memory.ts';
import { apply, conversation, filesOf, folderOf } from '../../../test/memory-stand.ts';
import { run, type Step, session, turn } from '../../../test/turns.ts';
import { extractConversation } from './extract.ts';

const extracted = (...steps: Step[]) => extractConversation({ ...session([turn('test it', steps)]), id: 1 });
const told = (...steps: Step[]): string[] =>
  extracted(...steps)
    .projects.flatMap(({ statements }) => statements)
    .filter(({ key }) => key.startsWith('unfit: '))
    .map(({ text }) => text);
const failed = (command: string, output: string) => run(command, output, true);
const wrapped = failed('wrap bun run test 2>&1 | tail -5', "error: unrecognized subcommand 'bun'\n\nUsage: wrap");

it.each([
  ['wrap bun run test', "error: unrecognized subcommand 'bun'", 'The program `wrap` knows no command `bun`.'],
  ['cd app && moor list --short', 'Error: unknown flag: --short', 'The program `moor` knows no option `--short`.'],
  ['timeout 30 git fetch', 'zsh:1: command not found: timeout', 'The command `timeout` is not found.'],
  ['gsed -i x a.ts', 'bash: line 1: gsed: command not found', 'The command `gsed` is not found.'],
])('a command that is not known is kept: %s', (command, output, text) =>
  expect(told(failed(command, output))).toEqual([text]),
);

it.each([
  ['its error names another word', failed('moor list', 'Error: unknown flag: --short')],
  ['its tests fail', failed('go test ./...', 'expected: command not found: x in the list')],
  ['it succeeded', run('wrap bun', "error: unrecognized subcommand 'bun'")],
])('nothing is kept if %s', (_, step) => expect(told(step)).toEqual([]));

it('nothing is kept if the same works in the conversation', () => {
  expect(told(wrapped, run('wrap bun run test'))).toEqual([]);
  expect(told(failed('gsed -i x a.ts', 'gsed: command not found'), run('gsed -i x a.ts'))).toEqual([]);
});

it('the page tells it once three sessions met it', async () => {
  const memory = await emptyMemory();
  const page = () => filesOf(folderOf(memory))['projects/tide/overview.md'] ?? '';
  const { projects } = extracted(wrapped, run('bun run test'));
  for (const day of [1, 2]) await apply(memory, conversation(`s${day}`, `2026-09-0${day}T08:00:00.000Z`), { projects });
  expect(page()).not.toContain('knows no command');
  await apply(memory, conversation('s3', '2026-09-03T08:00:00.000Z'), { projects });
  expect(page()).toContain('- The program `wrap` knows no command `bun`. (seen in commands)\n');
});
