import { describe, expect, it } from 'vitest';
import { roughPurpose, runsTask, usualIn } from './usual-commands.ts';

const root = '/home/dev/tide';
const lines = (command: string, cwd = root): string[] => usualIn(command, root, cwd).map(({ line }) => line);

describe('a command that builds, tests or checks a project', () => {
  it.each([
    ['mise run test:ci 2>&1 | tail -20', ['mise run test:ci']],
    ['mise run fmt && mise run lint && mise run test', ['mise run fmt', 'mise run lint', 'mise run test']],
    ['go build ./...', ['go build ./...']],
    ['just test', ['just test']],
    ['task lint', ['task lint']],
    ['npx nx run-many', []],
    ['turbo run build', ['turbo run build']],
    ['uv run pytest', ['uv run pytest']],
    ['cargo clippy --all-targets', ['cargo clippy --all-targets']],
    ['./gradlew test', ['./gradlew test']],
    ['deno task check', ['deno task check']],
    ['./scripts/test.sh', ['./scripts/test.sh']],
    ['npm t', []],
    ['npm test', ['npm test']],
  ])('is taken from %j as it was run', (command, expected) => expect(lines(command)).toEqual(expected));

  it.each([
    'go test ./cmd/tide -run "TestA|TestB"',
    'go test -run TestTide ./...',
    'npx vitest run src/a.test.ts',
    'pytest tests/test_a.py::test_b',
    'cargo test -- ebb',
    'npm test -- --grep ebb',
    'golangci-lint version --format json',
    'golangci-lint linters',
    'gofmt -l .',
    'go vet ./...',
    'go test -c',
    'grep -rn "npm test" docs',
    'echo mise run test',
    'eslint src/a.ts',
  ])('is never made of one test, one file or a mere word: %j', (command) => expect(lines(command)).toEqual([]));

  it('keeps the folder it was run in, and is ignored outside the project', () => {
    expect(lines('cd frontend && bun run build')).toEqual(['cd frontend && bun run build']);
    expect(lines('bun run build', `${root}/frontend`)).toEqual(['cd frontend && bun run build']);
    expect(lines(`cd ${root} && bun run build`)).toEqual(['bun run build']);
    expect(lines('cd /tmp/x && npm test')).toEqual([]);
    expect(lines('mise run test', `${root}/.worktrees/2`)).toEqual(['mise run test']);
  });

  it('is not found in a quotation or a here-document, even if the line was cut', () => {
    expect(lines('gh pr create --body "run\nnpm test\nfirst"')).toEqual([]);
    expect(lines("git commit -F - <<'EOF'\nx\nnpm test\nEOF\nmise run lint")).toEqual(['mise run lint']);
    expect(lines("gh api x --jq '.a |\nnpm test")).toEqual([]);
  });

  it('counts as an attempt at a check even if it is never how the project is checked', () =>
    expect(roughPurpose('go vet ./...')).toBe('type check'));

  it.each([
    ['mise run lint', true],
    ['cd web && npm run lint', true],
    ['npm test', true],
    ['make', true],
    ['./gradlew test', true],
    ['npx eslint .', false],
    ['go test ./...', false],
    ['./test.sh', false],
    ['scripts/test.sh', false],
  ])('is a task of the project or a bare tool: %s', (line, isTask) => expect(runsTask(line)).toBe(isTask));

  it('is found in time proportional to its length', () => {
    for (const part of ['npm ', "'", '"', '<<E\n', 'cd a && ', 'make\\\n', '$(', 'a|'])
      expect(lines(part.repeat(4000)).length).toBeLessThan(4001);
  });
});
