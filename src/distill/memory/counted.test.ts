import { expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { apply, conversation, filesOf, folderOf, read } from '../../../test/memory-stand.ts';

const ran = (command: string) => ({
  projects: [
    {
      name: 'tide',
      statements: [{ key: 'test command', text: `Tests are run with \`${command}\`.`, saidBy: 'runs' as const }],
    },
  ],
});
const at = (day: number) => `2026-09-${String(day).padStart(2, '0')}T08:00:00.000Z`;

it('the command of a project is the one that most sessions ran, not the latest one, and needs three sessions', async () => {
  const memory = await emptyMemory();
  const page = () => filesOf(folderOf(memory))['projects/tide/overview.md'] ?? '';
  await apply(memory, conversation('s1', at(1)), ran('mise run test'));
  await apply(memory, conversation('s2', at(2)), ran('mise run test'));
  expect(page()).not.toContain('mise run test');
  await apply(memory, conversation('s3', at(3)), ran('mise run test'));
  expect(page()).toContain('- **test command:** Tests are run with `mise run test`. (seen in commands)');
  await apply(memory, conversation('s4', at(4)), ran('go test ./...'));
  expect(page()).toContain('`mise run test`');
  expect(page()).not.toMatch(/go test|Revisions/);
});

it('a linter that three sessions ran is told rather than `go vet`, however often that ran', async () => {
  const memory = await emptyMemory();
  const lints = (command: string) => ({
    projects: [
      {
        name: 'tide',
        statements: [{ key: 'lint command', text: `It is linted with \`${command}\`.`, saidBy: 'runs' as const }],
      },
    ],
  });
  const commands = ['go vet ./...', 'mise run lint', 'go vet ./...', 'mise run lint', 'go vet ./...', 'go vet ./...'];
  const page = () => filesOf(folderOf(memory))['projects/tide/overview.md'] ?? '';
  for (const [i, command] of commands.entries()) await apply(memory, conversation(`s${i}`, at(i + 1)), lints(command));
  expect(page()).toContain('`go vet ./...`');
  await apply(memory, conversation('s9', at(9)), lints('mise run lint'));
  expect(page()).toContain('`mise run lint`');
  expect(page()).not.toContain('go vet');
});

it('two projects that share only the name of their folder have separate pages, whichever came first', async () => {
  const pagesOf = async (folders: readonly string[]) => {
    const memory = await emptyMemory();
    for (const [i, folder] of folders.entries())
      await tell(memory, `s${folder.replaceAll('/', '-')}`, folder, at(1 + i), [
        { by: 'user', text: 'Begin.' },
        { by: 'assistant', text: 'Begun.' },
      ]);
    for (const one of await memory.store.conversations.list({}))
      await apply(memory, one, {
        projects: [{ name: 'cli', statements: [{ key: 'place', text: `At ${one.session}.` }] }],
      });
    const pages = (await memory.store.pages.list())
      .map(({ page }) => page)
      .filter((page) => page.startsWith('projects/'));
    return pages.sort().map((page) => [page, read(memory, page).match(/At s\S+\./g)]);
  };
  const found = await pagesOf(['/home/ann/cli', '/home/ben/cli']);
  expect(found.map(([, lines]) => lines)).toEqual(
    expect.arrayContaining([['At s-home-ann-cli.'], ['At s-home-ben-cli.']]),
  );
  expect(found).toHaveLength(2);
  expect(await pagesOf(['/home/ben/cli', '/home/ann/cli'])).toEqual(found);
  expect((await pagesOf(['/home/ann/cli'])).map(([page]) => page)).toEqual(['projects/cli/overview.md']);
});
