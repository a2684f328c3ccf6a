// A command line → what it was for, how it is told in a few words, and whether it went well.
import { cut, inOneLine } from '../../text/gist.ts';
import { errorLine } from '../../text/open-ends.ts';

export type CommandKind =
  | 'test'
  | 'check'
  | 'build'
  | 'install'
  | 'commit'
  | 'merge'
  | 'push'
  | 'tag'
  | 'publish'
  | 'request'
  | 'alter'
  | 'look'
  | 'run';

/** The first pattern that one of the parts of a command line begins with, from the most telling kind to the least. */
const kinds: readonly (readonly [CommandKind, RegExp])[] = [
  [
    'publish',
    /^(?:npm|pnpm|yarn|bun|cargo) (?:run )?(?:publish|release)\b|^(?:twine upload|gh release create|vsce publish|uv publish|poetry publish|gem push)\b/,
  ],
  ['tag', /^git tag (?!-l|--list|-d|--delete)(?=\S)/],
  ['commit', /^git (?:-\S+ )*commit\b/],
  ['request', /^(?:gh pr create|glab mr create)\b/],
  ['merge', /^(?:git merge (?!--abort)|gh pr merge|git rebase (?!--abort))/],
  ['push', /^git push\b/],
  [
    'test',
    /^(?:(?:npm|pnpm|yarn|bun|deno|cargo|go|dotnet|mix|make|just|mvn|swift|bundle exec) (?:run )?\S*test\S*|(?:npx |uv run |poetry run |python3? -m |pnpm (?:exec )?|yarn |bunx? )?(?:vitest|jest|pytest|mocha|ava|tox|nox|rspec|phpunit|ctest|playwright test|unittest)\b|(?:\.\/)?gradlew? \S*test|node (?:\S+ )*--test\b)/i,
  ],
  [
    'check',
    /^(?:(?:npm|pnpm|yarn|bun|make|just) (?:run )?\S*(?:lint|check|type|format|audit|knip)\S*|(?:npx |uv run |poetry run |uvx |pnpm (?:exec )?|yarn |bunx )?(?:eslint|biome|ruff|tsc|tsgo|mypy|pyright|ty check|prettier|black|flake8|golangci-lint|knip|stylelint|shellcheck)\b|cargo (?:clippy|check|fmt)|go vet)/i,
  ],
  [
    'build',
    /^(?:(?:npm|pnpm|yarn|bun|cargo|go|make|just|dotnet|swift|docker|container|docker compose|mvn|zig) (?:run )?\S*(?:build|package|compile|bundle)\S*|make$|(?:npx )?(?:vite|next|webpack|rollup|rolldown|esbuild) build\b|(?:\.\/)?gradlew? (?:build|assemble))/i,
  ],
  [
    'install',
    /^(?:npm (?:i|install|ci|add|uninstall)|(?:pnpm|yarn|bun) (?:add|install|i|remove)|pip3? install|uv (?:add|sync|tool install|pip|remove)|poetry (?:add|install)|cargo add|brew install|apt(?:-get)? install|gem install|bundle install|go get|composer require)\b/,
  ],
  [
    'alter',
    /^(?:git (?:checkout|switch|branch -[mdMD]|stash(?! list)|reset|restore|revert|cherry-pick|mv|rm|add|submodule|worktree (?:add|remove)|init|clone)|cp|mv|rm|mkdir|touch|ln|chmod|sed -i|perl -pi|tee|patch|npm version|npm init)\b/,
  ],
  [
    'look',
    /^(?:ls|cat|bat|head|tail|less|grep|rg|ag|find|fd|tree|wc|pwd|which|type|file|stat|du|df|ps|env|printenv|echo|printf|date|sed -n|awk|sort|uniq|jq|diff|cd|true|sleep|command -v|whoami|uname|man|git (?:-\S+ )*(?:status|diff|log|show|branch|remote|blame|ls-files|rev-parse|stash list|fetch|grep|reflog|worktree list|check-ignore)|gh (?:pr|issue|run|api|repo) ?(?:view|list|checks|diff|status|watch)?|npm (?:ls|view|info|outdated)|docker (?:ps|images|logs)|(?:\S+ )?--?(?:help|version)\b)/i,
  ],
];

export interface ParsedCommand {
  readonly kind: CommandKind;
  /** The part that gives it its kind, short enough for a line. */
  readonly told: string;
}

/** Contract: linear in the length of the command, which is cut already. */
export function parseCommand(command: string): ParsedCommand {
  const parts = partsOf(command);
  for (const [kind, pattern] of kinds) {
    const found = parts.find((part) => pattern.test(part));
    // Something that only looks is told by what it does beside it.
    if (found !== undefined && kind !== 'look') return { kind, told: tell(found) };
  }
  const acts = parts.find((part) => !isLook(part));
  return acts === undefined
    ? { kind: 'look', told: tell(parts.find((part) => !/^cd\b/.test(part)) ?? command) }
    : { kind: 'run', told: tell(acts) };
}

const lookPattern = kinds.at(-1)?.[1] as RegExp;
const isLook = (part: string): boolean => lookPattern.test(part);

/** The simple commands of a line, without variables set before them and without what only cuts the output. */
function partsOf(command: string): string[] {
  const [head = ''] = command.split(/<<-?\s*['"]?\w+['"]?/, 1);
  return split(head)
    .map((part) =>
      part
        .replace(/^[\s(]*(?:(?:time|sudo|env|nice(?: -n ?\d+)?|timeout \S+|[A-Za-z_]\w*=\S*)\s+)*/, '')
        .replace(/(?<!\s)\s*(?:\d?>&\d|[&\d]?>\s*\/dev\/null)/g, '')
        .trim(),
    )
    .map((part) => (part.endsWith(')') && !part.includes('(') ? part.slice(0, -1).trim() : part))
    .filter((part) => part !== '' && !part.startsWith('#'));
}

/** Cuts at `&&`, `||`, `;`, `|` and line ends that stand outside quotes. */
function split(line: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const found of line.matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"|(&&|\|\||[;|\n])/g)) {
    if (found[1] === undefined) continue;
    parts.push(line.slice(from, found.index));
    from = found.index + found[1].length;
  }
  return [...parts, line.slice(from)];
}

const tell = (part: string): string => cut(inOneLine(part), 100);

const failing =
  /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\bFAILED\b|^[^\S\n]*FAIL\b|\berror TS\d+|npm ERR!|npm error|Traceback \(most recent call last\)|\bAssertionError\b|panicked at|\bBUILD FAILED\b|Found [1-9]\d* (?:errors?|diagnostics?)/m;
const passing =
  /\b\d+ (?:passed|passing)\b|\b0 (?:failed|failures|errors)\b|\btest result: ok\b|\ball (?:\d+ )?(?:tests|checks) pass|\bPASS\b|\bNo issues found\b|All checks passed/i;

/** Whether it went well. A pipe hides how a command ended, so for tests and checks the output has a say. */
export function outcomeOf(
  kind: CommandKind,
  outcome: 'ok' | 'error' | undefined,
  output: string,
): 'ok' | 'failed' | 'unknown' {
  if (outcome === 'error') return 'failed';
  if (kind === 'test' || kind === 'check' || kind === 'build') {
    if (failing.test(output)) return 'failed';
    if (kind === 'test' && !passing.test(output)) return outcome === undefined ? 'unknown' : 'ok';
  }
  return outcome === undefined ? 'unknown' : 'ok';
}

/** What went wrong, in a line; empty when the output does not say. */
export const reasonIn = (output: string): string => {
  const line = inOneLine(errorLine(output) ?? '');
  return line.length < 8 ? '' : line;
};

/** The first line of a commit's message, where the command gives it. */
export function commitMessage(command: string): string | undefined {
  const heredoc = /<<-?\s*['"]?(\w+)['"]?\s*\n([^\n]+)/.exec(command)?.[2];
  const quoted = /\s(?:-[a-z]*m|--message)[ =]?(?:"((?:[^"\\$]|\\.){3,400})|'([^']{3,400}))/.exec(command);
  const message = (heredoc ?? quoted?.[1] ?? quoted?.[2])?.split('\n', 1)[0]?.trim();
  return message === undefined || message === '' || message.startsWith('$(') ? undefined : cut(inOneLine(message), 120);
}
