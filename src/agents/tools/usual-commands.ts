// Which commands build, test, lint and format a project. Only commands that cover the project as a whole count.
import { splitLine } from './command-line.ts';

export type Purpose = 'test' | 'lint' | 'format' | 'type check' | 'check' | 'build';

export interface UsualCommand {
  /** Two commands under one key are two ways to do one thing. */
  readonly key: string;
  readonly purpose: Purpose;
  /** Exactly as it was run, with the folder it was run in. */
  readonly line: string;
  /** The part of a task's name that distinguishes it, such as `ci` in `test:ci`. */
  readonly which: string;
}

/** Programs that run a task by its name, which shows what the task is for. */
const runners =
  /^(?:mise (?:run|r)|just|task|make|(?:npm|pnpm|yarn|bun) run|npm(?= (?:t|test)\b)|(?:pnpm|yarn)(?= [\w:-]*(?:test|lint|fmt|format|build|check)\b)|bun(?= (?:test|build)\b)|(?:npx |pnpm |yarn |bunx )?(?:nx|turbo)(?: run)?|(?:bundle exec )?rake|hatch run|pdm run|(?:uv run |poetry run )?(?:poe|invoke|inv)|deno task|composer(?: run(?:-script)?)?|(?:\.\/)?gradlew?|(?:\.\/)?mvnw?|sbt|moon run|lerna run|rush|tox -e|nox -s|mage|\.\/(?:scripts?|bin|tools|hack)\/|(?:scripts?|bin|tools|hack)\/|\.\/(?=[\w-]+(?:\.sh)?(?:\s|$)))\s*([\w][\w:./-]*)/;

const tools: readonly (readonly [Purpose, RegExp])[] = [
  [
    'test',
    /^(?:go test|cargo (?:nextest run|test)|dotnet test|mix test|swift test|zig build test|bazel test|ctest|deno test|node --test|(?:npx |uv run |poetry run |pipenv run |python3? -m |pnpm (?:exec )?|yarn |bunx |bundle exec )?(?:vitest(?: run)?|jest|pytest|mocha|ava|tox|nox|rspec|phpunit|playwright test|unittest))(?=\s|$)/,
  ],
  [
    'lint',
    /^(?:golangci-lint run|cargo clippy|(?:npx |uv run |poetry run |uvx |pnpm (?:exec )?|yarn |bunx |bundle exec )?(?:eslint|biome (?:lint|check|ci)|ruff check|flake8|pylint|rubocop|oxlint|stylelint|shellcheck|clippy|ktlint|swiftlint|credo))(?=\s|$)/,
  ],
  [
    'format',
    /^(?:gofmt|goimports|gofumpt|go fmt|cargo fmt|dotnet format|mix format|terraform fmt|(?:npx |uv run |poetry run |uvx |pnpm (?:exec )?|yarn |bunx )?(?:prettier|black|isort|ruff format|biome format|rustfmt|clang-format))(?=\s|$)/,
  ],
  [
    'type check',
    /^(?:cargo check|(?:npx |uv run |poetry run |uvx |pnpm (?:exec )?|yarn |bunx )?(?:tsc|tsgo|mypy|pyright|ty check|vue-tsc|svelte-check|sorbet))(?=\s|$)/,
  ],
  [
    'build',
    /^(?:make(?=$)|go build|cargo build|dotnet build|swift build|zig build|bazel build|mix compile|cmake --build|ninja|docker (?:compose )?build|container build|(?:npx |pnpm (?:exec )?|yarn |bunx )?(?:vite|next|webpack|rollup|rolldown|esbuild|astro|nuxt) build)(?=\s|$)/,
  ],
];

const byName: Readonly<Record<string, Purpose>> = {
  ...{ test: 'test', tests: 'test', spec: 'test', e2e: 'test', unit: 'test', integration: 'test', pytest: 'test' },
  ...{ lint: 'lint', lints: 'lint', eslint: 'lint', clippy: 'lint' },
  ...{ fmt: 'format', format: 'format', prettier: 'format' },
  ...{ typecheck: 'type check', types: 'type check', tsc: 'type check', mypy: 'type check' },
  ...{ check: 'check', checks: 'check', verify: 'check', ci: 'check', dup: 'check' },
  ...{ build: 'build', compile: 'build', assemble: 'build', bundle: 'build' },
};

/** Finds a part of what compilers and linters find. It counts as an attempt, but is never how a project is checked. */
const partial = /^go vet(?=\s|$)/;

/** A run of one test, or on one file, says nothing about the project. */
const selector =
  /(?:^|\s)(?:-run|-k|-t|-g|--grep|--filter|--testNamePattern|--test-name-pattern|--only|--test|-p|--package|--bin|--bench|-bench|--lib|--doc|-c|-o|--watch|--help|-h|--version)(?:[\s=]|$)|::|\s--\s+[^-\s]|[`$*?{}<>…]|\\/;

/** Words after the command that name files or folders; `.` and `./...` mean all of it. */
const narrow = (rest: string): boolean =>
  rest
    .split(/\s+/)
    .some(
      (word) =>
        word !== '' &&
        !word.startsWith('-') &&
        !/^(?:\.|\.\/|\.\/\.\.\.|src\/?|all)$/.test(word) &&
        !/^\d+$/.test(word),
    );

const mostCharacters = 90;

/** What one simple command is for, if it is for the whole project. */
export function purposeOf(part: string): Omit<UsualCommand, 'line'> | undefined {
  if (part.length > mostCharacters || selector.test(part)) return undefined;
  const task = runners.exec(part);
  if (task !== null) {
    const name = (task[1] as string).replace(/\.(?:sh|py|mjs|js|ts)$/, '');
    const rest = part.slice(task[0].length);
    const segments = name.toLowerCase().split(/[:./_-]+/);
    const found = segments.find((segment) => Object.hasOwn(byName, segment));
    if (found === undefined || segments.length > 3 || narrow(rest)) return undefined;
    const purpose = byName[found] as Purpose;
    const which = segments.filter((segment) => segment !== found).join(' ');
    return { purpose, which, key: which === '' ? `${purpose} command` : `${name.toLowerCase()} command` };
  }
  for (const [purpose, pattern] of tools) {
    const found = pattern.exec(part);
    // Listing what would change formats nothing.
    if (found !== null && purpose === 'format' && /\s(?:-l|-d|--check|--diff|--list-different)\b/.test(part))
      return undefined;
    if (found !== null)
      return narrow(part.slice(found[0].length)) ? undefined : { purpose, which: '', key: `${purpose} command` };
  }
  return undefined;
}

/** What a program in the project's own folder is for, even if it ran on one file or one test. */
export function roughPurpose(part: string): Purpose | undefined {
  const task = runners.exec(part)?.[1];
  if (task !== undefined) {
    const segments = task.toLowerCase().split(/[:./_-]+/);
    const found = segments.find((segment) => Object.hasOwn(byName, segment));
    return found === undefined ? undefined : byName[found];
  }
  return partial.test(part) ? 'type check' : tools.find(([, pattern]) => pattern.test(part))?.[0];
}

/** A script may have been written for one run. */
const script = /^(?:\.\/)?(?:scripts?|bin|tools|hack)\/|^\.\/(?!gradlew|mvnw)/;

/** Whether a usual command runs a task that the project defines, rather than a tool by itself. */
export function runsTask(line: string): boolean {
  const part = line.replace(/^cd \S+ && /, '');
  return part === 'make' || (runners.test(part) && !script.test(part));
}

/**
 * The usual commands in a line that succeeded. It was run in `cwd`, and a `cd` in it continues from there. A command
 * that ran in a folder outside the project belongs to another project.
 */
export function usualIn(line: string, root: string, cwd: string): UsualCommand[] {
  let folder: string | undefined = below(root, cwd);
  const found: UsualCommand[] = [];
  for (const { text } of splitLine(line)) {
    const to = /^cd\s+(?:"([^"]+)"|'([^']+)'|(\S+))$/.exec(text);
    if (to !== null) {
      const target = (to[1] ?? to[2] ?? to[3]) as string;
      folder = target === cwd ? below(root, cwd) : enter(root, folder, target);
      continue;
    }
    const usual = purposeOf(text);
    if (usual === undefined || folder === undefined) continue;
    const key = folder === '' ? usual.key : `${usual.key} in ${folder}`;
    found.push({ ...usual, key, line: folder === '' ? text : `cd ${folder} && ${text}` });
  }
  return found;
}

/** The path below the project; undefined outside of it, empty at its root. */
function below(root: string, folder: string): string | undefined {
  const at = folder.replace(/\/+$/, '');
  if (root === '' || at === root || at === '') return '';
  if (at.startsWith(`${root}/`)) {
    const rest = at.slice(root.length + 1);
    // A worktree inside the repository is the repository at another path.
    return rest.replace(/^\.?(?:claude\/)?\.?worktrees\/[^/]+\/?/, '');
  }
  return '';
}

function enter(root: string, from: string | undefined, to: string): string | undefined {
  if (to.startsWith('/'))
    return root !== '' && (to === root || to.startsWith(`${root}/`)) ? below(root, to) : undefined;
  if (from === undefined || to.startsWith('~') || to.includes('$') || to === '-') return undefined;
  const steps = from === '' ? [] : from.split('/');
  for (const step of to.split('/')) {
    if (step === '' || step === '.') continue;
    if (step === '..') {
      if (steps.length === 0) return undefined;
      steps.pop();
    } else steps.push(step);
  }
  return steps.join('/');
}
