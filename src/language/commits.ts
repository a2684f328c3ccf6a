// Commits in what git prints: `[main 1a2b3c4] Mend the lamp`.

export interface MadeCommit {
  readonly hash: string;
  readonly branch: string;
  readonly subject: string;
}

const line = /^\[([^\s\]]{1,200})(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,500})$/gm;

/** Contract: linear in the length of the output. A detached head has no branch. */
export function commitsIn(output: string): MadeCommit[] {
  return [...output.matchAll(line)].map(([, branch = '', hash = '', subject = '']) => ({
    ...{ hash, branch, subject: subject.trim() },
  }));
}

/** The web page of a repository, from its git address. Undefined if it has none. */
export function webAddressOf(repository: string | undefined): string | undefined {
  const text = (repository ?? '')
    .trim()
    .replace(/\.git$/, '')
    .replace(/\/$/, '');
  const [, host, path] =
    /^(?:https?:\/\/(?:[^@/\s]*@)?|ssh:\/\/(?:[^@/\s]*@)?|git@)?([\w.-]+\.[a-z]{2,})(?::\d+)?[:/]([\w./~-]+)$/i.exec(
      text,
    ) ?? [];
  return host === undefined || path === undefined ? undefined : `https://${host}/${path}`;
}
