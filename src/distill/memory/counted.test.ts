import { expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { apply, conversation, filesOf, folderOf, read } from '../../../test/memory-stand.ts';
import { askedFor } from '../../schema/statement-form.ts';
import { readConversation } from '../material.ts';
import { extractConversation } from '../offline/extract.ts';

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
  await apply(memory, conversation('s1', at(1)), ran('go test ./...'));
  await apply(memory, conversation('s2', at(2)), ran('go test ./...'));
  expect(page()).not.toContain('go test');
  await apply(memory, conversation('s3', at(3)), ran('go test ./...'));
  expect(page()).toContain('- **test command:** Tests are run with `go test ./...`. (seen in commands)');
  await apply(memory, conversation('s4', at(4)), ran('npx vitest run'));
  expect(page()).toContain('`go test ./...`');
  expect(page()).not.toMatch(/vitest|Revisions/);
});

it('a task that the project defines needs two sessions, and a check that the person asked for one', async () => {
  const memory = await emptyMemory();
  const page = () => filesOf(folderOf(memory))['projects/tide/overview.md'] ?? '';
  await apply(memory, conversation('s1', at(1)), ran('mise run test'));
  expect(page()).toBe('');
  await apply(memory, conversation('s2', at(2)), ran('mise run test'));
  expect(page()).toContain('`mise run test`');
  const lints = (command: string, why?: string) => ({
    projects: [
      {
        name: 'tide',
        statements: [
          {
            ...{ key: 'lint command', text: `It is linted with \`${command}\`.`, saidBy: 'runs' as const },
            ...(why === undefined ? {} : { why }),
          },
        ],
      },
    ],
  });
  await apply(memory, conversation('s3', at(3)), lints('golangci-lint run', askedFor));
  expect(page()).toContain('`golangci-lint run`');
  for (const day of [4, 5, 6]) await apply(memory, conversation(`s${day}`, at(day)), lints('revive ./...'));
  expect(page(), 'what three sessions ran').toContain('`revive ./...`');
});

it('a task of the project is told rather than the bare tool, however often that ran', async () => {
  const memory = await emptyMemory();
  const lints = (command: string) => ({
    projects: [
      {
        name: 'tide',
        statements: [{ key: 'lint command', text: `It is linted with \`${command}\`.`, saidBy: 'runs' as const }],
      },
    ],
  });
  const page = () => filesOf(folderOf(memory))['projects/tide/overview.md'] ?? '';
  for (const day of [1, 2, 3, 4]) await apply(memory, conversation(`s${day}`, at(day)), lints('golangci-lint run'));
  expect(page()).toContain('`golangci-lint run`');
  await apply(memory, conversation('s5', at(5)), lints('./lint.sh'));
  expect(page()).toContain('`golangci-lint run`');
  await apply(memory, conversation('s6', at(6)), lints('mise run lint'));
  expect(page()).toContain('`mise run lint`');
  expect(page()).not.toContain('golangci');
});

it('clones of one repository share a page although each has a label of its own', async () => {
  const memory = await emptyMemory();
  for (const [i, folder] of ['/home/ann/tide', '/home/ben/tide'].entries()) {
    await tell(memory, `s${i}`, folder, at(1 + i), [
      { by: 'user', text: 'In this repo, we never use default exports.' },
      { by: 'assistant', text: 'Noted. '.repeat(30) },
    ]);
    await memory.store.projects.identify(folder, 'github.com/acme/tide');
  }
  for (const one of await memory.store.conversations.list({})) {
    const material = await readConversation(memory.store, one.id);
    if (material !== undefined) await apply(memory, one, extractConversation(material));
  }
  const pages = Object.keys(filesOf(folderOf(memory))).filter((page) => page.startsWith('projects/'));
  expect(pages).toEqual(['projects/tide/overview.md']);
  expect(read(memory, pages[0] ?? '')).toContain('default exports');
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
