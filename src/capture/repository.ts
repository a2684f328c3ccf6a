// The repository of a folder, under a name that is the same on every machine: its remote, otherwise its first commit.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readSome, statIfAny } from '../system/read-some.ts';

/**
 * `github.com/acme/app` for a repository with a remote, `root:<commit>` for one without. Undefined for a folder outside any repository,
 * without a commit, or in a shallow clone without a remote. Never a folder's name or path. Contract: never throws.
 */
export async function repositoryOf(folder: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const git = gitFolder(folder);
  if (git === undefined) return undefined;
  const settings = read(path.join(git, 'config'));
  // git itself would wait at a pipe.
  if (settings === undefined) return undefined;
  const remote = remoteIn(settings);
  return (remote === undefined ? undefined : normalRemote(remote)) ?? (await firstCommit(folder, git, environment));
}

/** Returns a function that remembers its answers as long as it exists. */
export function repositoryFinder(environment: NodeJS.ProcessEnv): (folder: string) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return (folder) => {
    const found = known.get(folder) ?? repositoryOf(folder, environment);
    known.set(folder, found);
    return found;
  };
}

/**
 * One spelling for all addresses of a repository: ssh or https, upper or lower case, users, ports and `.git` make no difference.
 * Undefined for a path on this machine, which means nothing on another.
 */
export function normalRemote(address: string): string | undefined {
  const text = address.trim();
  const named = /^(?:git\+)?(?:ssh|https?|git|ftps?):\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^/:]+)(?::\d*)?\/(.+)$/i.exec(text);
  // Not a Windows drive (`C:\app`), and no slash before the colon: git treats that as a path.
  const short = named ?? /^(?:[^@/\s]+@)?([^/:\s]{2,}|\[[^\]]+\]):(?!\/\/|\\)(.+)$/.exec(text);
  const [, host = '', rest = ''] = short ?? [];
  const repository = decoded(rest)
    .split(/[?#]/, 1)[0]
    ?.replace(/^[/~]+/, '')
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
    .replace(/\.git$/i, '')
    .toLowerCase();
  const name = sshHosts.get(host.toLowerCase()) ?? host.toLowerCase();
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(host);
  if (host === '' || isHere || !repository) return undefined;
  // `v3/org/project/app` over ssh is `org/project/_git/app` over https.
  return `${name}/${name === 'dev.azure.com' ? repository.replace(/^v3\//, '').replace('/_git/', '/') : repository}`;
}

/** Hosts that serve ssh, or ssh at the port of https, under a name of its own. */
const sshHosts: ReadonlyMap<string, string> = new Map([
  ['ssh.github.com', 'github.com'],
  ['altssh.gitlab.com', 'gitlab.com'],
  ['altssh.bitbucket.org', 'bitbucket.org'],
  ['ssh.dev.azure.com', 'dev.azure.com'],
]);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: keep the text as it is.
    return text;
  }
}

/** The address of `origin`, otherwise of the first remote by name. */
function remoteIn(config: string): string | undefined {
  const remotes = new Map<string, string>();
  let name: string | undefined;
  for (const line of config.split('\n').slice(0, 10_000)) {
    const section = /^\s*\[(?:remote "([^"]+)"|[^\]]*)\]/.exec(line);
    if (section !== null) name = section[1];
    const url = name === undefined ? undefined : /^\s*url\s*=\s*(.+?)\s*$/.exec(line)?.[1];
    if (url !== undefined && name !== undefined && !remotes.has(name)) remotes.set(name, url.replace(/^"(.*)"$/, '$1'));
  }
  return remotes.get('origin') ?? [...remotes].sort(([a], [b]) => (a < b ? -1 : 1))[0]?.[1];
}

/** The folder with the repository's config: for a worktree, that of the main tree. */
function gitFolder(folder: string): string | undefined {
  if (!path.isAbsolute(folder)) return undefined;
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const git = path.join(at, '.git');
    const stat = statIfAny(git);
    if (stat?.isDirectory()) return git;
    if (stat?.isFile()) {
      const named = /^gitdir: (.+)$/m.exec(read(git) ?? '')?.[1];
      if (named === undefined) return undefined;
      const own = path.resolve(at, named.trim());
      const common = read(path.join(own, 'commondir'))?.trim();
      return common === undefined ? own : path.resolve(own, common);
    }
    if (at === path.dirname(at)) return undefined;
  }
}

/** A repository may be hostile: git must not fetch what its history lacks, which could run a program that its settings name. */
const withoutFetching = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };

async function firstCommit(folder: string, git: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  // The first commit of a shallow clone is only where the history was cut off.
  if (fs.existsSync(path.join(git, 'shallow'))) return undefined;
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', folder, 'rev-list', '--max-parents=0', 'HEAD'], {
      timeout: 10_000,
      env: { ...environment, ...withoutFetching },
    });
    const [first] = stdout.split('\n').filter(Boolean).sort();
    return first === undefined ? undefined : `root:${first}`;
  } catch {
    // No git installed, or no commit yet: the folder has no name that another machine knows.
    return undefined;
  }
}

/** A repository may hold anything under these names, also a pipe or a huge file. */
const longestFile = 1 << 20;
const read = (file: string): string | undefined => readSome(file, longestFile);
