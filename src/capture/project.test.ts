import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../test/demo-memory.ts';
import { briefing } from '../operations/recall/briefing.ts';
import { projects, projectsLink } from '../operations/recall/projects.ts';
import { search } from '../operations/recall/search.ts';
import { ingest } from './ingest.ts';
import { projectFinder, projectOf } from './project.ts';

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'ignore' });

/** A repository with a worktree beside it and one inside it. */
function repository(home: string) {
  const main = path.join(fs.realpathSync(home), 'shop');
  fs.mkdirSync(path.join(main, 'src'), { recursive: true });
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  const [beside, inside] = [`${main}-fix`, path.join(main, '.worktrees', 'next')];
  git(main, 'worktree', 'add', '-q', beside, '-b', 'fix');
  git(main, 'worktree', 'add', '-q', inside, '-b', 'next');
  return { main, beside, inside };
}

const listed = async ({ context }: Memory) =>
  (await projects.run(context, {})).projects.map(({ path: at, sessions }) => [at, sessions]);

const prompt = (text: string) => [{ by: 'user', text } as const];

describe('the project of a folder', () => {
  it('is its git root, or the folder itself outside a repository', async () => {
    const { home } = await emptyMemory();
    const { main } = repository(home);
    expect(projectOf(path.join(main, 'src'))).toBe(main);
    expect(projectOf('/gone/away')).toBe('/gone/away');
  });

  it('is found whatever is in the place of `.git`', async () => {
    const { home } = await emptyMemory();
    const folder = path.join(fs.realpathSync(home), 'odd');
    const git = path.join(folder, '.git');
    fs.mkdirSync(folder);
    fs.symlinkSync('.git', git);
    expect(projectOf(folder), 'a link to itself').toBe(folder);
    fs.rmSync(git);
    fs.writeFileSync(git, '');
    fs.truncateSync(git, 3 * 2 ** 30);
    expect(projectOf(folder), 'a file that is too large to read').toBe(folder);
    fs.rmSync(git);
    execFileSync('mkfifo', [git]);
    expect(projectOf(folder), 'a pipe').toBe(folder);
  });

  it('is the repository of a deleted worktree, as far as the path shows it', () => {
    expect(projectOf('/gone/tide/.worktrees/1')).toBe('/gone/tide');
    expect(projectOf('/gone/tide/.claude/worktrees/agent-a4ca/src')).toBe('/gone/tide');
    expect(projectOf('/home/nobody-here/.cursor/worktrees/tide/x7k')).toBe('/home/nobody-here/.cursor/worktrees/tide');
    expect(projectOf('/gone/tide/.worktrees/1', true)).toBe('/gone/tide/.worktrees/1');
    expect(projectOf('/home/nobody-here/.worktrees/fix')).toBe('/home/nobody-here/.worktrees/fix');
  });

  it('statement 25: worktrees of one repository share it, and a setting separates them', async () => {
    const memory = await emptyMemory();
    const { main, beside, inside } = repository(memory.home);
    await tell(memory, 's1', main, '2026-11-01T10:00:00Z', prompt('Build the cart.'));
    await tell(memory, 's2', beside, '2026-11-01T11:00:00Z', prompt('Fix the cart.'));
    await tell(memory, 's3', inside, '2026-11-01T12:00:00Z', prompt('Plan the next cart.'));
    expect(await listed(memory)).toEqual([[main, 3]]);
    for (const folder of [main, beside, inside]) {
      expect((await briefing.run(memory.context, { project: folder })).text).toContain('3 sessions since');
      const found = await search.run(memory.context, {
        query: 'cart',
        kind: 'entry',
        subagents: false,
        limit: 10,
        project: folder,
      });
      expect(found.hits).toHaveLength(3);
    }

    const apart = { ...memory.config, settings: { ...memory.config.settings, separateWorktrees: true } };
    const context = { ...memory.context, config: apart };
    await ingest(context, { reimport: true });
    expect(await listed(memory)).toEqual([
      [inside, 1],
      [beside, 1],
      [main, 1],
    ]);
    expect((await briefing.run(context, { project: beside })).text).toContain('Fix the cart.');
    expect((await briefing.run(context, { project: beside })).text).not.toContain('Build the cart.');
  });

  it('follows links of folders that were moved', () => {
    const links = [
      { from: '/old', to: '/new' },
      { from: '/old/inner', to: '/elsewhere' },
    ];
    const find = projectFinder({ separateWorktrees: false, links });
    expect(['/old', '/old/a', '/old/inner/b', '/older'].map(find)).toEqual([
      '/new',
      '/new/a',
      '/elsewhere/b',
      '/older',
    ]);
  });
});

describe('the memory that a session gets', () => {
  it('is that of its repository, even if that is empty, and never that of a folder above or below', async () => {
    const memory = await emptyMemory();
    const { main } = repository(memory.home);
    const around = path.dirname(main);
    await tell(memory, 's1', around, '2026-11-01T10:00:00Z', prompt('Tidy up.'));
    await tell(memory, 's2', '/gone/notes/daily', '2026-11-01T11:00:00Z', prompt('Write it down.'));
    const told = async (folder: string) => (await briefing.run(memory.context, { project: folder })).project;
    expect(await told(main)).toBe('');
    expect(await told(path.join(main, 'src'))).toBe('');
    expect(await told(around)).toBe(path.basename(around));
    expect(await told('/gone/notes')).toBe('');
    expect(await told('/gone/notes/daily/may')).toBe('daily');
  });
});

describe('a folder that was moved', () => {
  it('keeps its sessions, also when they are read again or continue', async () => {
    const memory = await emptyMemory();
    const { main } = repository(memory.home);
    const old = path.join(memory.home, 'gone', 'shop');
    await tell(memory, 's1', old, '2026-11-01T10:00:00Z', prompt('Build the cart.'));
    await tell(memory, 's2', path.join(old, 'src'), '2026-11-01T11:00:00Z', prompt('Fix the cart.'));
    expect(await listed(memory)).toHaveLength(2);
    expect(await projectsLink.run(memory.context, { from: old, to: main })).toMatchObject({
      project: main,
      sessions: 2,
    });
    expect(await listed(memory)).toEqual([[main, 2]]);
    await ingest(memory.context, { reimport: true });
    await tell(memory, 's3', old, '2026-11-01T12:00:00Z', prompt('Go on.'));
    expect(await listed(memory)).toEqual([[main, 3]]);
    expect((await briefing.run(memory.context, { project: old })).project).toBe('shop');
    expect(await memory.store.admin.integrity()).toEqual([]);
  });

  it('must be a folder that sessions worked in, and the new one must be outside it', async () => {
    const memory = await emptyMemory();
    await expect(projectsLink.run(memory.context, { from: '/no', to: '/where' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(projectsLink.run(memory.context, { from: '/a', to: '/a/b' })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });
});
