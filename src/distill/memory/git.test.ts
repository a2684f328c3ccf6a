import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../../../test/demo-memory.ts';
import { apply, conversation, extraction, fact, folderOf, write } from '../../../test/memory-stand.ts';
import { afterBatch } from './git.ts';
import { keepExtraction } from './librarian.ts';

const monday = conversation('a', '2026-09-14T08:00:00.000Z');
const tuesday = conversation('b', '2026-09-15T08:00:00.000Z');

const git = (memory: Memory, ...args: string[]): string =>
  execFileSync('git', ['-C', folderOf(memory), ...args], { encoding: 'utf8' }).trim();

async function repository(env: NodeJS.ProcessEnv = {}): Promise<Memory> {
  const memory = await emptyMemory({ PATH: process.env.PATH, ...env });
  fs.mkdirSync(folderOf(memory), { recursive: true });
  git(memory, 'init', '--quiet');
  return memory;
}

it('a batch commits its pages, and leaves alone what the person has staged or not added', async () => {
  const memory = await repository();
  write(memory, 'mine.md', 'staged');
  write(memory, 'other.md', 'not added');
  git(memory, 'add', 'mine.md');
  await keepExtraction(memory.context, monday, extraction(fact('a', '1')), 'offline');
  await keepExtraction(memory.context, tuesday, extraction({ questions: [{ text: 'b?' }] }), 'offline');
  await afterBatch(memory.context);
  expect(git(memory, 'show', '--name-only', '--format=%s')).toBe('Memories: 2 pages\n\ncore/facts.md\nquestions.md');
  expect(git(memory, 'status', '--porcelain')).toBe('A  mine.md\n?? other.md');
  await afterBatch(memory.context);
  expect(git(memory, 'rev-list', '--count', 'HEAD')).toBe('1');
});

it('a batch commits the removal of a page', async () => {
  const memory = await repository();
  await apply(memory, monday, fact('a', '1'));
  await afterBatch(memory.context);
  await memory.store.memory.dropExtractions(await memory.store.memory.extractions());
  await afterBatch(memory.context);
  expect(git(memory, 'ls-files')).toBe('');
});

it('a batch logs that another process has locked git, and its pages go into the next commit', async () => {
  const memory = await repository();
  const said: string[] = [];
  const deps = { ...memory.context, log: (line: string) => said.push(line) };
  const lock = path.join(folderOf(memory), '.git/index.lock');
  fs.writeFileSync(lock, '');
  await apply(memory, monday, fact('a', '1'));
  await afterBatch(deps);
  expect(said.join()).toContain('were not committed');
  fs.rmSync(lock);
  await afterBatch(deps);
  expect(git(memory, 'ls-files')).toBe('core/facts.md');
});

it('a batch commits nothing if the folder only lies inside a repository, or if the setting is off', async () => {
  const around = await emptyMemory({ PATH: process.env.PATH });
  execFileSync('git', ['-C', around.home, 'init', '--quiet']);
  await apply(around, monday, fact('a', '1'));
  await afterBatch(around.context);
  expect(execFileSync('git', ['-C', around.home, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('?? memory/\n');
  const off = await repository({ HOLDFAST_MEMORY_GIT: 'false' });
  await apply(off, monday, fact('a', '1'));
  await afterBatch(off.context);
  expect(git(off, 'status', '--porcelain')).toBe('?? core/');
});

it('a batch does not commit to another repository that the environment names', async () => {
  const memory = await repository({ GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere/index' });
  await apply(memory, monday, fact('a', '1'));
  await afterBatch(memory.context);
  expect(git(memory, 'ls-files')).toBe('core/facts.md');
});
