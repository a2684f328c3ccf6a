import { describe, expect, it } from 'vitest';
import { run, type Step, session, turn } from '../../../test/turns.ts';
import { bodyIn } from './commands.ts';
import { extractConversation } from './extract.ts';

const kept = (...steps: Step[]): string[] =>
  extractConversation({ ...session([turn('commit it', steps)]), id: 1 }).projects.flatMap(({ statements }) =>
    statements.filter(({ change }) => change !== 'retire').map(({ text }) => text),
  );
const commit = (title: string, body: string, failed = false) =>
  run(
    `git add -A && git commit -m "$(cat <<'EOF'\n${title}\n\n${body}\n\nCo-Authored-By: A <a@b.c>\nEOF\n)"`,
    '',
    failed,
  );
const caps = 'tide-server caps a push at 25,000 refs (`maxRefUpdates`), so the client\nsends several batches.';
const told = 'tide-server caps a push at 25,000 refs (`maxRefUpdates`), so the client sends several batches.';

describe('the description of a commit', () => {
  it('yields what it states about the program, with the commit as its source', () => {
    expect(kept(commit('Send refs in batches', caps))).toEqual([`${told} (From the commit “Send refs in batches”.)`]);
    expect(kept(run(`git commit -m "Send refs in batches" -m "${caps.replaceAll('`', '\\`')}"`))).toEqual([
      `${told} (From the commit “Send refs in batches”.)`,
    ]);
    expect(kept(run(`gh pr create --title "Batches" --body "$(cat <<'EOF'\n## Why\n${caps}\nEOF\n)"`))).toEqual([
      `${told} (From the pull request “Batches”.)`,
    ]);
  });

  it.each([
    ['tells of the change itself', 'Add `maxRefUpdates` so that the client never sends more than the server accepts.'],
    ['tells how it was before', 'The client sent every ref in one push, which `tide-server` rejects with an error.'],
    ['tells of a bug that is gone', 'lock.go duplicated the loop of `harbour.go`, so the two are never the same.'],
    ['is about tests', 'The test in lock_test.go only covers the path that `tide-server` rejects with an error.'],
    ['refers to earlier text', 'This means that `tide-server` never accepts more than one push at the same time.'],
    [
      'begins with a thing that only the change explains',
      'The trailer always follows the capability that the target advertises as `format`.',
    ],
    ['holds for a while', '`tide-server` only accepts one push of a client, which is enough for a first cut.'],
    ['is one of several', 'The first reply is written by `tide-server`, because the list of boats is never empty.'],
    ['tells a version', '`tide-server` itself requires `libtide@v0.51.0`, so the tool never lifts the version.'],
    ['names nothing', 'The server never accepts more than one push of the same client at the same time.'],
    ['was cut', 'The server caps `maxRefUpdates` at … [79 characters left out] … for every client of the harbour.'],
  ])('yields no sentence that %s', (_, sentence) => expect(kept(commit('Send refs', sentence))).toEqual([]));

  it('yields the layout of the code if it lists at least four folders', () => {
    const folders = ['wire', 'plan', 'auth', 'moor'].map((name) => `- harbour/${name}: what concerns the ${name} part`);
    expect(
      kept(commit('Rewrite the harbour', `Folders:\n\n${folders.join('\n')}\n- main.go: starts all of it`)),
    ).toEqual([
      '`harbour/wire` (what concerns the wire part), `harbour/plan` (what concerns the plan part), `harbour/auth` (what concerns the auth part), `harbour/moor` (what concerns the moor part).',
    ]);
    expect(kept(commit('Rewrite the harbour', folders.slice(1).join('\n')))).toEqual([]);
    const actions = ['checkout', 'setup', 'cache', 'upload'].map((name) => `- actions/${name}: v6.0.2 (de0fac2)`);
    expect(kept(commit('Pin actions', actions.join('\n')))).toEqual([]);
  });

  it('yields nothing if the commit failed, was taken back, or a later one removes what it names', () => {
    expect(kept(commit('Send refs', caps, true))).toEqual([]);
    expect(kept(commit('Send refs', caps), run('git reset --hard HEAD~1'))).toEqual([]);
    expect(kept(commit('Send refs', caps), commit('Drop `maxRefUpdates`', 'Not needed.'))).toEqual([]);
  });

  it('yields what holds since the commit', () => {
    expect(
      kept(
        commit('Keep berths', '`openBerth` now reports whether the folder is its own, so a failure never removes it.'),
      ),
    ).toEqual([
      '`openBerth` reports whether the folder is its own, so a failure never removes it. (From the commit “Keep berths”.)',
    ]);
  });

  it('yields nothing if the commit only adds tests, was amended, or belongs to another repository', () => {
    const amended = commit('Send refs', 'A boat without a berth is never moored by `tide-server`.');
    const other = '`tide-server` never moors a boat without a berth of its own.';
    expect(kept(commit('Cover the sending of refs', caps))).toEqual([]);
    expect(kept(commit('Add integration tests for refs', caps))).toEqual([]);
    expect(kept(commit('Simplify after review', caps))).toEqual([]);
    expect(
      kept(run(`cd ../libtide && gh pr create --title "Send refs" --body "${caps.replaceAll('`', '\\`')}"`)),
    ).toEqual([]);
    expect(
      kept(commit('Send refs', caps), run(`git commit --amend -m "Send refs\n\n${other.replaceAll('`', '\\`')}"`)),
    ).toEqual([`${other} (From the commit “Send refs”.)`]);
    expect(kept(amended, run('git reset --soft main'))).toEqual([]);
    expect(kept(run(`cd ../libtide && git commit -m "Send refs" -m "${caps.replaceAll('`', '\\`')}"`))).toEqual([]);
    expect(kept(run(`git -C ../libtide commit -m "Send refs" -m "${caps.replaceAll('`', '\\`')}"`))).toEqual([]);
  });

  it('is read in time linear in the length of the command', () => {
    for (const part of ['-m "', "-m '", '<<EOF\n', '\\"', ' --body "x', 'a: ']) {
      const line = `git commit ${part.repeat(40_000)}`;
      expect(typeof bodyIn(line)).toBe('string');
    }
  });
});
