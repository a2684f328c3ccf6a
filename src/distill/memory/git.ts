// Commits pages after a batch if their folder is the root of a git repository. Files that the person has staged stay staged.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type InLine, type MemoryDeps, writeDue } from './librarian.ts';

const run = promisify(execFile);
const patienceMs = 20_000;
/** File names per call of git, because systems limit the length of a command. */
const most = 200;

/** Ends a batch: writes the pages that are due, and commits them. */
export async function afterBatch(deps: MemoryDeps): Promise<InLine> {
  const done = await writeDue(deps);
  await commitPages(deps);
  return done;
}

export const isRepository = (folder: string): boolean => fs.existsSync(path.join(folder, '.git'));

/** Contract: never fails the batch. If git refuses, logs it; the pages go into the next commit. */
export async function commitPages(deps: MemoryDeps): Promise<void> {
  const { store, config } = deps;
  const folder = config.memoryPath;
  if (!config.settings.memoryGit || !isRepository(folder)) return;
  const pages = await store.pages.takeUncommitted();
  if (pages.length === 0) return;
  // If a hook of another repository started this process, GIT_DIR and the like would make git commit there.
  const inherited = Object.entries(config.environment).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(inherited), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  const git = (...args: string[]) => run('git', ['-C', folder, ...args], { timeout: patienceMs, env });
  try {
    const named = await git('config', 'user.email').then(
      ({ stdout }) => stdout.trim() !== '',
      () => false,
    );
    const author = named ? [] : ['-c', 'user.name=Holdfast', '-c', 'user.email=holdfast@localhost'];
    for (let i = 0; i < pages.length; i += most) {
      const some = pages.slice(i, i + most);
      const there = some.filter((page) => fs.existsSync(path.join(folder, page)));
      // `git commit` rejects paths that it has never tracked.
      const gone = some.filter((page) => !there.includes(page));
      const { stdout } = gone.length > 0 ? await git('ls-files', '-z', '--', ...gone) : { stdout: '' };
      const paths = [...there, ...stdout.split('\0').filter((name) => name !== '')];
      if (paths.length === 0) continue;
      if (there.length > 0) await git('add', '--', ...there);
      const { stdout: changed } = await git('status', '--porcelain', '--', ...paths);
      if (changed.trim() === '') continue;
      const message = `Memories: ${paths.length === 1 ? paths[0] : `${paths.length} pages`}`;
      await git(
        ...author,
        'commit',
        '--quiet',
        '--no-verify',
        '--no-gpg-sign',
        '--only',
        '-m',
        message,
        '--',
        ...paths,
      );
    }
  } catch (error) {
    const said = ((error as { stderr?: string }).stderr ?? String(error)).trim().split('\n')[0];
    deps.log?.(`The memory files were not committed: ${said}`);
    await store.pages.markUncommitted(pages);
  }
}
