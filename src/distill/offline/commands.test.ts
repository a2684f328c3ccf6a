import { describe, expect, it } from 'vitest';
import { neverRan, outcomeOf, parseCommand } from './commands.ts';
import { bodyIn, commitMessage } from './commit-message.ts';

describe('a command', () => {
  it.each([
    ['cd /home/dev/tide && npm test 2>&1 | tail -20', 'test', 'npm test'],
    ['CI=1 npx vitest run src/a.test.ts', 'test', 'npx vitest run src/a.test.ts'],
    ['uv run pytest -m browser -v', 'test', 'uv run pytest -m browser -v'],
    ['npm run typecheck > /dev/null', 'check', 'npm run typecheck'],
    ['npx tsc --noEmit', 'check', 'npx tsc --noEmit'],
    ['make', 'build', 'make'],
    ['pnpm add -D vite', 'install', 'pnpm add -D vite'],
    ['git add -A && git commit -m "feat: tide; and ebb"', 'commit', 'git commit -m "feat: tide; and ebb"'],
    ['git tag v1.2.0 && git push --tags', 'tag', 'git tag v1.2.0'],
    ['npm publish --access public', 'publish', 'npm publish --access public'],
    ['gh pr create --title "x"', 'request', 'gh pr create --title "x"'],
    ['git status && git diff', 'look', 'git status'],
    ['grep -rn "npm test" docs', 'look', 'grep -rn "npm test" docs'],
    ['git tag -l', 'run', 'git tag -l'],
    ['git tag --sort=-creatordate | head -3', 'run', 'git tag --sort=-creatordate'],
    ['mise run test:ci', 'test', 'mise run test:ci'],
    ['git -C /home/dev/tide commit -m "x y"', 'commit', 'git commit -m "x y"'],
    ['golangci-lint version --format json', 'run', 'golangci-lint version --format json'],
    [
      "gh api graphql --jq '.a |\n group_by(.in_reply_to_id // .id)\n | x'",
      'look',
      "gh api graphql --jq '.a | group_by(.in_reply_to_id // .id) | x'",
    ],
    ['rm -rf dist', 'alter', 'rm -rf dist'],
    ['python3 scripts/seed.py', 'run', 'python3 scripts/seed.py'],
  ])('%j is of kind %s', (command, kind, told) => expect(parseCommand(command)).toMatchObject({ kind, told }));

  it('counts as failed when its output says so, even if a pipe hid its exit status', () => {
    expect(outcomeOf('test', 'ok', 'Tests  2 failed | 10 passed')).toBe('failed');
    expect(outcomeOf('test', 'ok', '40 passed, 0 failed')).toBe('ok');
    expect(outcomeOf('check', 'ok', 'a.ts(1,2): error TS2305: no exported member')).toBe('failed');
    expect(outcomeOf('run', 'ok', '2 failed')).toBe('ok');
    expect(outcomeOf('run', 'error', '')).toBe('failed');
    expect(outcomeOf('run', undefined, '')).toBe('unknown');
  });

  it('that commits yields the message, also from a here-document', () => {
    expect(commitMessage('git commit -m "fix: the table\n\nmore"')).toBe('fix: the table');
    expect(commitMessage("git commit -am 'one'")).toBe('one');
    expect(commitMessage('git commit -m "$(cat <<\'EOF\'\nfeat: ebb\n\nbody\nEOF\n)"')).toBe('feat: ebb');
    expect(commitMessage('git commit --amend --no-edit')).toBeUndefined();
  });

  it.each([
    ["cd ~/tide && git commit -q -F - <<'EOF'\nfeat: ebb\n\nSlack water -from now on- is told.\nEOF"],
    ['git add -A\ngit commit --file=- <<EOF\nfeat: ebb\n\nSlack water -from now on- is told.\nEOF\ngit log -1'],
    ["cat <<'MSG' | git -C ../tide commit -aF -\nfeat: ebb\n\nSlack water -from now on- is told.\nMSG"],
    ["cat > /tmp/note <<'EOF'\nfeat: ebb\n\nSlack water -from now on- is told.\nEOF\ngit commit --file /tmp/note -q"],
  ])('that commits a message from elsewhere yields it: %j', (command) => {
    expect(commitMessage(command)).toBe('feat: ebb');
    expect(bodyIn(command)).toBe('Slack water -from now on- is told.');
  });

  it('that commits a message from a file it does not show yields none', () => {
    expect(commitMessage('git commit -F note.txt')).toBeUndefined();
    expect(commitMessage("git commit -F note.txt && cat <<'EOF'\nebb\nEOF")).toBeUndefined();
    expect(commitMessage('git commit -m "fix: read the -F - of a commit"')).toBe('fix: read the -F - of a commit');
  });

  it.each([
    ['rtk npm test 2>&1 | tail -20', 'rtk npm test'],
    ['CI=1 timeout 60 go test ./...', 'CI=1 timeout 60 go test ./...'],
    ['npm run lint 2>&1 | tail -3 && npm test && echo ok', 'npm run lint && npm test'],
    ['npm test; git add -A && git commit -m "tide"', 'npm test; git commit -m "tide"'],
    ['git commit -m "fix: the table\n\nIt was flat." --amend', 'git commit -m "fix: the table" --amend'],
    ['git commit -m "$(cat <<\'EOF\'\nfeat: ebb\n\nbody\nEOF\n)"', 'git commit -m "feat: ebb"'],
    ['gh pr create --title "Ebb" --body "$(cat <<\'EOF\'\n## Why\nEOF\n)"', 'gh pr create --title "Ebb"'],
  ])('%j is told as %s if it failed', (command, ran) => expect(parseCommand(command).ran).toBe(ran));

  it('did not run if the program before it failed by itself', () => {
    const usage = "error: unrecognized subcommand 'npm'\n\nUsage: rtk [OPTIONS] <COMMAND>";
    expect(neverRan('rtk npm test', usage)).toBe(true);
    expect(neverRan('npm test', usage)).toBe(false);
    expect(neverRan('timeout 9 gotest', 'timeout: failed to run command ‘gotest’: No such file or directory')).toBe(
      true,
    );
    expect(neverRan('sudo make', 'sudo: unable to resolve host tide\nmake: *** [all] Error 1')).toBe(false);
    expect(neverRan('rtk npm test', '1 failed, see rtk help')).toBe(false);
  });
});
