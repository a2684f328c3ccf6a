import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { normalRemote, repositoryOf } from './repository.ts';

describe('the address of a remote', () => {
  it.each([
    'git@github.com:Acme/App.git',
    'ssh://git@github.com/acme/app',
    'ssh://git@github.com:22/acme/app.git',
    'ssh://GitHub.com:2222/acme/app.git/',
    'https://github.com/acme/app',
    'https://GITHUB.com/Acme/App.git',
    'https://user:token@github.com:443/acme/app.git',
    'http://github.com/acme//app/',
    'ssh://git@ssh.github.com:443/acme/app.git',
    'git://github.com/acme/app.git',
    'git+ssh://git@github.com/acme/app.git',
    'github.com:acme/app',
    'git@github.com:/acme/app.git',
    'https://github.com/acme/%61pp.git?x=1',
  ])('%s is github.com/acme/app', (address) => expect(normalRemote(address)).toBe('github.com/acme/app'));

  it.each([
    '/srv/git/app.git',
    '../app',
    'C:\\git\\app',
    'C:/git/app',
    'file:///srv/git/app',
    'ssh://localhost/app',
    '',
  ])('%j means nothing on another machine', (address) => expect(normalRemote(address)).toBeUndefined());

  it.each([
    ['ssh://git@altssh.gitlab.com:443/acme/sub/app.git', 'https://gitlab.com/Acme/Sub/App'],
    ['ssh://git@altssh.bitbucket.org:443/acme/app.git', 'https://me@bitbucket.org/acme/app.git'],
    ['git@ssh.dev.azure.com:v3/Acme/Shop/app', 'https://acme@dev.azure.com/acme/shop/_git/app'],
    ['ssh://git@git.example.com:7999/acme/app.git', 'https://git.example.com:8443/acme/app'],
  ])('%s is the same as %s', (ssh, https) => {
    expect(normalRemote(ssh)).toBe(normalRemote(https));
    expect(normalRemote(ssh)).toMatch(/^[a-z.]+\/acme\//);
  });

  it('keeps repositories of different hosts and groups apart', () => {
    const names = ['git@gitlab.com:acme/app', 'git@github.com:acme/app', 'git@gitlab.com:acme/sub/app'].map(
      normalRemote,
    );
    expect(names).toEqual(['gitlab.com/acme/app', 'github.com/acme/app', 'gitlab.com/acme/sub/app']);
  });
});

describe('the repository of a folder', () => {
  const folder = () => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-repository-'));
    onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
    return made;
  };
  const git = (at: string, ...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-C', at, ...words], {
      stdio: 'pipe',
    }).toString();
  const repository = (remote?: string) => {
    const at = folder();
    git(at, 'init', '-q');
    git(at, 'commit', '-q', '--allow-empty', '-m', 'first');
    if (remote !== undefined) git(at, 'remote', 'add', 'origin', remote);
    return at;
  };

  const named = (at: string) => repositoryOf(at, process.env);

  it('is its remote, also for a subfolder and a worktree', async () => {
    const at = repository('git@github.com:acme/app.git');
    fs.mkdirSync(path.join(at, 'src/deep'), { recursive: true });
    const tree = path.join(folder(), 'tree');
    git(at, 'worktree', 'add', '-q', tree);
    for (const place of [at, path.join(at, 'src/deep'), tree]) expect(await named(place)).toBe('github.com/acme/app');
  });

  it('prefers origin to other remotes', async () => {
    const at = repository('https://github.com/me/fork');
    git(at, 'remote', 'add', 'another', 'https://github.com/acme/app');
    expect(await named(at)).toBe('github.com/me/fork');
  });

  it('is its first commit if there is no remote, or if the remote is a path', async () => {
    const at = repository();
    const first = `root:${git(at, 'rev-parse', 'HEAD').trim()}`;
    git(at, 'commit', '-q', '--allow-empty', '-m', 'second');
    const clone = path.join(folder(), 'other-name');
    git(at, 'clone', '-q', at, clone);
    expect([await named(at), await named(clone)]).toEqual([first, first]);
  });

  it('is unknown without a repository, without a commit, for a shallow clone without a remote, and for a missing folder', async () => {
    const empty = folder();
    git(empty, 'init', '-q');
    const shallow = repository();
    fs.writeFileSync(path.join(shallow, '.git/shallow'), `${'0'.repeat(40)}\n`);
    const answers = await Promise.all([folder(), empty, shallow, '/not/there', 'relative', 'a\0b'].map(named));
    expect(answers).toEqual(Array(6).fill(undefined));
  });

  it('is unknown, and nothing waits, if its settings are a pipe or link to themselves', async () => {
    const [piped, looped] = [folder(), folder()];
    fs.mkdirSync(path.join(piped, '.git'));
    execFileSync('mkfifo', [path.join(piped, '.git/config')]);
    fs.symlinkSync('.git', path.join(looped, '.git'));
    expect(await Promise.all([piped, looped].map(named))).toEqual([undefined, undefined]);
  });

  it('runs no program that a repository names, even if a commit must be fetched', async () => {
    const at = repository();
    git(at, 'commit', '-q', '--allow-empty', '-m', 'second');
    const first = git(at, 'rev-parse', 'HEAD~').trim();
    fs.rmSync(path.join(at, '.git/objects', first.slice(0, 2), first.slice(2)));
    const trace = path.join(folder(), 'ran');
    git(at, 'config', 'core.repositoryFormatVersion', '1');
    git(at, 'config', 'extensions.partialClone', 'evil');
    git(at, 'config', 'remote.evil.promisor', 'true');
    git(at, 'config', 'remote.evil.url', at);
    git(at, 'config', 'remote.evil.uploadpack', `touch ${trace}; git-upload-pack`);
    expect(await named(at)).toBeUndefined();
    expect(fs.existsSync(trace)).toBe(false);
  });
});
