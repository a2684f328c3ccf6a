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

  it('is read in time linear in the length of the command', () => {
    for (const part of ['-m "', "-m '", '<<EOF\n', '\\"', ' --body "x', 'a: ']) {
      const line = `git commit ${part.repeat(40_000)}`;
      expect(typeof bodyIn(line)).toBe('string');
    }
  });
});
