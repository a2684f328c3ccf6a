import { describe, expect, it } from 'vitest';
import { edit, run, type Step, session, turn } from '../../../test/turns.ts';
import { bodyIn } from './commit-message.ts';
import { extractConversation } from './extract.ts';

const extracted = (...steps: Step[]) => extractConversation({ ...session([turn('commit it', steps)]), id: 1 });
const kept = (...steps: Step[]): string[] =>
  extracted(...steps).projects.flatMap(({ statements }) =>
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

const title = 'Send refs to tide-server in batches';
const decided = `Decided in a commit: send refs to tide-server in batches. ${told}`;

describe('the description of a commit', () => {
  it('gives the reason for what the title says', () => {
    expect(kept(commit(title, caps))).toEqual([decided]);
    expect(kept(run(`git commit -m "${title}" -m "${caps.replaceAll('`', '\\`')}"`))).toEqual([decided]);
    expect(kept(run(`gh pr create --title "${title}" --body "$(cat <<'EOF'\n## Why\n${caps}\nEOF\n)"`))).toEqual([
      decided,
    ]);
  });

  it('gives the first reason with the title, later limits by themselves, and tells of a commit and its pull request once', () => {
    const later = 'A batch without `maxRefUpdates` is never sent because the server rejects it.';
    expect(kept(commit(title, `Add a loop to the client.\n\n${caps}\n\nRename the loop.\n\n- ${later}`))).toEqual([
      decided,
      `${later} (From the commit “${title}”.)`,
    ]);
    const request = run(`gh pr create --title "${title}" --body "$(cat <<'EOF'\n${caps}\n\n- ${later}\nEOF\n)"`);
    expect(kept(commit(title, caps), request)).toEqual([decided, `${later} (From the pull request “${title}”.)`]);
  });

  it.each([
    'Some receive-pack programs read a header for every command and fail with an error when none follows.',
    'Delete-only pushes stay without a pack, as git requires.',
  ])('gives a reason that is stated outright, also after details and below headings: %s', (reason) => {
    const details = 'Add a loop to the client.\n\n'.repeat(6);
    expect(
      kept(commit(title, `${details}## Tests\n\n- All pass as git requires them to.\n\n## Wire\n\n${reason}`)),
    ).toEqual([`Decided in a commit: send refs to tide-server in batches. ${reason}`]);
  });

  it.each([
    'Gate `sendRefs` on `maxRefUpdates` so that a push only fails where the cap is in effect.',
    'Run sendRefs() after closeBatch() to prevent refs of a harbour from leaking into the next one.',
  ])('gives what a step is for: %s', (reason) =>
    expect(kept(commit(title, `Add a loop to the client.\n\n- ${reason}`))).toEqual([
      `Decided in a commit: send refs to tide-server in batches. ${reason}`,
    ]),
  );

  it('gives what follows from the reason with it', () => {
    const over = 'The `sendRefs` loop no longer sends `maxRefUpdates` refs at once.';
    const instead = 'It sends the batches of the harbour and keeps `lastRef` for the last one.';
    expect(kept(commit(title, `${over} ${instead} All refs arrive.`))).toEqual([
      `Decided in a commit: send refs to tide-server in batches. ${over} ${instead}`,
    ]);
    const point = 'Otherwise `sendRefs` stops at the first batch of the harbour.';
    expect(kept(commit(title, `${caps} ${point} I will look at the rest.`))).toEqual([`${decided} ${point}`]);
    expect(kept(commit(title, `${caps} If you want, I can look at \`sendRefs\` of the harbour.`))).toEqual([decided]);
  });

  it('also gives what a variable of the environment does and what is over, whatever the title says', () => {
    const variable = 'Set TIDE_MAX_REFS to raise the cap for servers that take larger pushes.';
    const over = 'Moor --all no longer waits for `maxRefUpdates` of the harbour.';
    const silent = '`sendRefs` no longer waits for `maxRefUpdates` of the harbour.';
    const instead = 'It sends them at once, and the harbour takes what it can.';
    const from = (name: string) => `(From the commit “${name}”.)`;
    expect(kept(commit('Fix two findings of the review', `${variable}\n\n- ${over}`))).toEqual([
      `${variable} ${from('Fix two findings of the review')}`,
      `${over} ${from('Fix two findings of the review')}`,
    ]);
    expect(kept(commit('Fix two findings', silent)), 'without what it does instead').toEqual([]);
    expect(kept(commit('Fix two findings', `${silent} ${instead}`))).toEqual([
      `${silent} ${instead} ${from('Fix two findings')}`,
    ]);
    expect(kept(commit(title, `${caps}\n\nAdd a loop.\n\n${variable}`))).toEqual([
      decided,
      `${variable} ${from(title)}`,
    ]);
    expect(kept(commit(title, `${caps}\n\n${variable}`)), 'the point of the reason').toEqual([
      `${decided} ${variable}`,
    ]);
    const step = 'Run sendRefs() after closeBatch() to prevent refs of a harbour from leaking into the next one';
    expect(kept(commit('Show all refs on the page', `- Add a loop\n- ${step}`)), 'without a full stop').toEqual([
      `${step}. ${from('Show all refs on the page')}`,
    ]);
    expect(kept(commit('Fix two findings', 'Use TIDE_KINDS for the lines of the table in the harbour.'))).toEqual([]);
    expect(kept(commit('docs: tell of batches', variable))).toEqual([]);
    expect(kept(commit('Fix two findings', `## Problem\n\n${over}`))).toEqual([]);
    expect(kept(commit('Fix two findings', 'Confirmed that the run with TIDE_MAX_REFS set passes for all.'))).toEqual(
      [],
    );
  });

  it('gives the cause if the title mends something, as an insight', () => {
    const { insights, projects } = extracted(commit('Fix lost refs of large harbours', caps));
    expect(projects).toEqual([]);
    expect(insights.map(({ text }) => text)).toEqual([`Fix lost refs of large harbours. ${told}`]);
  });

  it('gives nothing if the reason tells how it was, unless the title is a decision', () => {
    const past = 'The list of `harbour.go` was never copied, so a plan changed the list of its caller.';
    expect(extracted(commit('Keep the list of harbours apart', past))).toMatchObject({ projects: [], insights: [] });
    expect(extracted(commit('Fix the list of harbours', past))).toMatchObject({ projects: [], insights: [] });
    expect(kept(commit('Defer the copy of harbours until a plan needs one', past))).toEqual([
      `Decided in a commit: defer the copy of harbours until a plan needs one. ${past}`,
    ]);
  });

  it.each([
    ['tells of the change itself', 'Add `maxRefUpdates` so that the client never sends more than the server accepts.'],
    ['tells of the change in other words', 'Wrap the reader of `harbour.go` so that the loop never waits for it.'],
    ['is an item with a label', 'Secondary: `tide-server` never reads the list, because the client has sent it.'],
    [
      'points to a place in earlier text',
      'Sending the refs of `tide-server` there is never allowed, since it keeps them.',
    ],
    ['points above', 'The client never sends `maxRefUpdates` refs at once because that is already handled above.'],
    ['is about tests', 'The test in lock_test.go only covers the path that `tide-server` rejects with an error.'],
    ['refers to earlier text', 'This means that `tide-server` never accepts more than one push at the same time.'],
    ['refers to something in earlier text', 'A boat that lacks it is never moored, because `tide-server` rejects it.'],
    [
      'begins with a thing that only the change explains',
      'The trailer always follows the capability that the target advertises as `format`.',
    ],
    ['holds for a while', '`tide-server` only accepts one push of a client, which is enough for a first cut.'],
    ['is one of several', 'The first reply is written by `tide-server`, because the list of boats is never empty.'],
    ['tells a version', '`tide-server` itself requires `libtide@v0.51.0`, so the tool never lifts the version.'],
    ['names nothing', 'The server never accepts more than one push of the same client at the same time.'],
    ['was cut', 'The server caps `maxRefUpdates` at … [79 characters left out] … for every client of the harbour.'],
  ])('yields no sentence that %s', (_, sentence) => expect(kept(commit(title, sentence))).toEqual([]));

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
    expect(kept(commit(title, caps, true))).toEqual([]);
    expect(kept(commit(title, caps), run('git reset --hard HEAD~1'))).toEqual([]);
    expect(kept(commit(title, caps), commit('Drop `maxRefUpdates`', 'Not needed.'))).toEqual([]);
  });

  it('gives a reason that names a short flag, or that stands behind what was done', () => {
    for (const reason of [
      'The `-v` alias is not used since every command binds it to verbose logs.',
      'Let `tide --port` work without a command, since forecast is the only command of the program.',
    ])
      expect(kept(commit(title, reason))).toEqual([
        `Decided in a commit: send refs to tide-server in batches. ${reason}`,
      ]);
  });

  it('says which commit of an earlier conversation it amended', () => {
    const amends = run(`git commit --amend -m "${title}"`);
    const retired = (...steps: Step[]) =>
      extracted(...steps).projects.flatMap(({ statements }) =>
        statements.filter(({ change }) => change === 'retire').map(({ key }) => key),
      );
    expect(retired(amends)).toEqual([`amended: ${title}`]);
    expect(retired(commit(title, caps), amends)).toEqual([]);
  });

  it('yields nothing if the commit only adds tests, was amended, or belongs to another repository', () => {
    const other = '`tide-server` never moors a boat without a berth of its own.';
    const quoted = caps.replaceAll('`', '\\`');
    expect(kept(commit('Cover the sending of refs to tide-server', caps))).toEqual([]);
    expect(kept(commit('Add integration tests for refs of tide-server', caps))).toEqual([]);
    expect(kept(commit('Simplify tide-server after review', caps))).toEqual([]);
    expect(
      kept(commit(title, caps), run(`git commit --amend -m "${title}\n\n${other.replaceAll('`', '\\`')}"`)),
    ).toEqual([`Decided in a commit: send refs to tide-server in batches. ${other}`]);
    expect(kept(commit(title, other), run('git reset --soft main'))).toEqual([]);
    expect(kept(run(`cd ../libtide && gh pr create --title "${title}" --body "${quoted}"`))).toEqual([]);
    expect(kept(run(`cd ../libtide && git commit -m "${title}" -m "${quoted}"`))).toEqual([]);
    expect(kept(run(`git -C ../libtide commit -m "${title}" -m "${quoted}"`))).toEqual([]);
  });

  it('names the repository that the commands change into, if the session changed files only there', () => {
    const moor = run(
      `cd ~/../dev/libtide && git commit -q -F - <<'EOF'\n${title}\n\n${caps}\nEOF`.replace('~/..', '/home'),
    );
    const text = `Decided in a commit: send refs to tide-server in batches in \`libtide\`. ${told}`;
    expect(kept(edit('/home/dev/libtide/push.go'), moor)).toEqual([text]);
    expect(kept(edit('/home/dev/libtide/push.go'), edit('/home/dev/tide/main.go'), moor)).toEqual([]);
    const variable = 'Set TIDE_MAX_REFS to raise the cap for servers that take larger pushes.';
    expect(
      kept(
        edit('/home/dev/libtide/push.go'),
        run(`cd /home/dev/libtide && git commit -m "Fix two findings" -m "${variable}"`),
      ),
    ).toEqual([`${variable} (From the commit “libtide: Fix two findings”.)`]);
  });

  it('is read in time linear in the length of the command', () => {
    for (const part of ['-m "', "-m '", '<<EOF\n', '\\"', ' --body "x', 'a: ']) {
      const line = `git commit ${part.repeat(40_000)}`;
      expect(typeof bodyIn(line)).toBe('string');
    }
  });
});
