import { describe, expect, it } from 'vitest';
import { edit, run, type Step, say, session, turn } from '../../../test/turns.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Turn } from '../material.ts';
import { extractConversation } from './extract.ts';

const extract = (...turns: Turn[]) => extractConversation({ ...session(turns), id: 1 });
const statements = (...turns: Turn[]) =>
  Object.fromEntries(extract(...turns).projects.flatMap((one) => one.statements.map(({ key, text }) => [key, text])));
const worked = (request: string, ...steps: Step[]) =>
  turn(request, [edit('/home/dev/tide/a.go'), say('Done.'), ...steps]);
const having = (of: Turn, form: Entry['form'], text: string, author: Entry['author'] = 'person'): Turn => ({
  ...of,
  entries: [...of.entries, { ...(of.entries[0] as Entry), id: `${of.prompt}-${form}`, form, text, author }],
});

const compaction = `This session is being continued from a previous conversation.

Summary:
1. Primary Request and Intent:
   The user asked to review locks.

2. Key Technical Concepts:
   - **Lock file semantics**: \`.tide/wingman.lock\` indicates a review in progress; \`staleLockThreshold\` (30min) is only for acquisition.
   - **Lock column**: \`lock_data\` column of the table, which holds the owner when opened instead of a file
   - **go-git RemoveReference**: does not persist with packed refs or in worktrees; delete with \`git branch -D\` instead
   - **Pending work**: the hook still needs to be added to the settings
   - **\`buildHarbour()\`**: Shared block of code for the harbour, the quay and the moorings of a boat
   - **Testing**: all tests of the package pass with the new code path
   - Plain words without a name that is bold

3. Files and Code Sections:
   - **main.go**: the entry point of the program, which was changed in this session`;

describe('text that a model has already written', () => {
  it('yields the named concepts of a compaction as statements, with the name as key', () => {
    expect(statements(having(worked('review the locks'), 'compaction', compaction, 'machine'))).toEqual({
      'Lock file semantics':
        '`.tide/wingman.lock` indicates a review in progress; `staleLockThreshold` (30min) is only for acquisition.',
      'go-git RemoveReference':
        'does not persist with packed refs or in worktrees; delete with `git branch -D` instead.',
    });
  });

  it('yields those below a tag, up to the end of the tag', () => {
    const snapshot = `<state_snapshot>
    <key_knowledge>
        - **Lock file semantics**: \`.tide/wingman.lock\` is only for the acquisition of a review.
    </key_knowledge>
    <file_system_state>
        - **lock.go**: \`loadLock\` must not be called without the lock of the store.
    </file_system_state>
</state_snapshot>`;
    expect(statements(having(worked('review the locks'), 'compaction', snapshot, 'machine'))).toEqual({
      'Lock file semantics': '`.tide/wingman.lock` is only for the acquisition of a review.',
    });
  });

  const plan = `Implement the following plan:

# Plan: Multi-Lock Support

## Context
**Root cause**: git never writes \`packed-refs\` for \`loadLock\` in lock.go, so the lock stays.

## Key Design Decisions
- **Retention**: Keep locks even when an evaluation is run again, with generated labels
- **Consolidation**: YES — add it
- Locks are searched in every worktree, not only in \`.git\`

## Changes
- **File**: change the lock in the file that holds all of the locks`;
  const carriesOut = () => turn(plan, [edit('/home/dev/tide/lock.go'), say('Done.')]);

  it('yields the decisions of an accepted plan with its subject, and its causes as insights', () => {
    const made = extract(carriesOut());
    expect(made.projects[0]?.statements.map(({ key, text }) => [key, text])).toEqual([
      ['Retention (Multi-Lock Support)', 'Keep locks even when an evaluation is run again, with generated labels.'],
      [
        'decision: Multi-Lock Support locks searched worktree',
        'Multi-Lock Support: Locks are searched in every worktree, not only in `.git`.',
      ],
    ]);
    expect(made.insights.map(({ text }) => text)).toEqual([
      'git never writes `packed-refs` for `loadLock` in lock.go, so the lock stays.\nFound while working on: Multi-Lock Support.',
    ]);
  });

  it('yields named edge cases of a plan, and a value that stays for the sake of compatibility', () => {
    const more = `- **Lock column**: Keep the \`lock_kind\` column for backward compatibility with older stores

## Edge Cases
- **Stale lock**: Return 409 while the holder of the lock is alive
- **Two holders** (clones of one store): Reject the later one. It may try again.
- Without locks, the list of \`loadLock\` shows nothing at all in the view

## Changes`;
    const made = extract(turn(plan.replace('## Changes', more), [edit('/home/dev/tide/lock.go'), say('Done.')]));
    expect(made.projects[0]?.statements.slice(2).map(({ key, text }) => [key, text])).toEqual([
      ['Lock column (Multi-Lock Support)', 'Keep the `lock_kind` column for backward compatibility with older stores.'],
      ['Stale lock (Multi-Lock Support)', 'Return 409 while the holder of the lock is alive.'],
      ['Two holders (Multi-Lock Support)', 'Reject the later one (clones of one store). It may try again.'],
    ]);
  });

  const planned = (title: string, background: string) =>
    turn(
      `Implement the following plan:\n\n# ${title}\n\n## Context\n\n${background}\n\n## Changes\n\n1. lock.go: see \`a\``,
      [edit('/home/dev/tide/lock.go'), say('Done.')],
    );

  it('yields what a carried-out plan wanted: its goal, or how it says that things should be', () => {
    const goal =
      'Two files hold locks.\n\n**Goal**: When both files exist, `tide.lock` becomes the only source. The other holds a reference.';
    expect(Object.values(statements(planned('Plan: Consolidate the lock files', goal)))).toEqual([
      'Planned and carried out: Consolidate the lock files. When both files exist, `tide.lock` becomes the only source. The other holds a reference.',
    ]);
    const committed = worked(
      'commit',
      run('git commit -m "Replace two lock files by a reference to the only source `tide.lock`"'),
    );
    const both = statements(planned('Plan: Consolidate the lock files', goal), { ...committed, prompt: 2 });
    expect(Object.values(both), 'the commit repeats the plan').toHaveLength(1);
    const should =
      'The page currently lists locks. Users must currently scroll. Locks should only be listed with `?debug=true` in the address.';
    expect(Object.values(statements(planned('Hide locks behind `?debug=true`', should)))).toEqual([
      'Planned and carried out: Hide locks behind `?debug=true`. Locks should only be listed with `?debug=true` in the address.',
    ]);
    expect(statements(planned('Show the labels of locks', should))).toEqual({});
  });

  it('yields the cause that a plan gives for a fault as an insight, read together with its title, if it outlasts the mend', () => {
    const cause = (reason: string) =>
      extract(planned('Fix: Page floods the server', `The server gets too many requests. ${reason}`)).insights.map(
        ({ text }) => text,
      );
    const outside = 'This happens because git never writes `packed-refs`, and `LockTab.tsx` asks again for each.';
    expect(cause(outside)).toEqual([`Fix: Page floods the server. ${outside}`]);
    expect(
      cause('This happens because `useLocks()` returns a new object for every page, and `LockTab.tsx` loads again.'),
    ).toEqual([]);
    expect(extract(planned('Fix: Page floods the server', 'The server gets too many requests.')).insights).toEqual([]);
  });

  it('reads a plan that the person approved in the same session, up to where it was cut', () => {
    const proposal = `${plan.replace('Implement the following plan:\n\n', '').split('## Changes', 1)[0]}- **Half**: of a … [9 characters left out] … b`;
    const proposes = turn('support many locks', [{ tool: 'ExitPlanMode', input: { plan: proposal } }]);
    const approves = turn(undefined, [edit('/home/dev/tide/lock.go')], { prompt: 2 });
    const verdict = having(
      { ...approves, entries: proposes.entries.slice(0, 1) },
      'verdict',
      '[Approved the plan: Multi-Lock Support]',
    );
    expect(Object.keys(statements(proposes, { ...verdict, entries: verdict.entries.slice(1) }))).toEqual([
      'Retention (Multi-Lock Support)',
      'decision: Multi-Lock Support locks searched worktree',
    ]);
  });

  it('yields nothing of a plan that the agent did not carry out', () => {
    const made = extract(turn(plan, [edit('/home/dev/tide/harbour.go'), say('Something else first.')]));
    expect(made.projects).toEqual([]);
    expect(made.insights).toEqual([]);
    expect(statements(turn(plan, [run('git commit -m "Add multi-lock support"')]))).not.toEqual({});
  });

  it.each([
    "I've reverted your changes - focus only on the second point",
    'ok, please undo all of it',
    "that's not what I asked for. Let's start over",
    'Revert this.',
  ])('yields nothing of a plan that the person took back with %j', (text) => {
    const made = extract(carriesOut(), turn(text, [say('Understood.')], { prompt: 2 }));
    expect(made.projects).toEqual([]);
    expect(made.insights).toEqual([]);
  });

  it('yields the rest of a plan of which the person took back one thing by its name', () => {
    const made = statements(carriesOut(), turn('please revert the search in `.git`', [say('Done.')], { prompt: 2 }));
    expect(Object.keys(made)).toEqual(['Retention (Multi-Lock Support)']);
  });

  it('yields nothing of a plan that the agent reset, or that a later plan about the same replaced', () => {
    expect(statements(carriesOut(), turn('hm', [run('git reset --hard HEAD~1')], { prompt: 2 }))).toEqual({});
    const later = plan.replace('Multi-Lock Support', 'Multi-lock support without labels').replace(/- \*\*Ret.*/, '');
    expect(Object.keys(statements(carriesOut(), turn(later, [edit('/home/dev/tide/lock.go')], { prompt: 2 })))).toEqual(
      ['decision: Multi-lock support without labels locks searched worktree'],
    );
  });

  it('yields no line of a plan about what it leaves out, about the wording of one text, or about the values of a type', () => {
    const lines = [
      '- The harbour is NOT added as a place of locks here',
      '- **Text**: Use "For each lock" (not "For all locks")',
      '- **LockOwner type**: const object + string union (`person`, `agent`, `worker`)',
      '- **Labels**: "Lock #N - X owners" + the timestamp of its last change',
    ];
    expect(
      Object.keys(
        statements(turn(plan.replace('- Locks are', `${lines.join('\n')}\n- Locks are`), [edit('/a/lock.go')])),
      ),
    ).toEqual(['Retention (Multi-Lock Support)', 'decision: Multi-Lock Support locks searched worktree']);
  });

  it('yields rules that an edit added to the instructions of agents, unless a later edit removed them', () => {
    const added = (before: string, after: string): Step => ({
      ...{ tool: 'Edit', files: ['/home/dev/tide/CLAUDE.md'] },
      input: { file_path: '/home/dev/tide/CLAUDE.md', old_string: before, new_string: after },
    });
    const old = '## Rules\n- Old rule that stays as it is here';
    const made = statements(
      turn('note the rules', [
        added(
          old,
          `${old}\n- Always run \`mise run fmt\` before you commit a change\n- **Locks**: use \`TryLock\` and never wait for a lock\n- Requires \`navigator.tides\` for access to the harbour\n- Short one`,
        ),
        added(
          '- Always run `mise run fmt` before you commit a change',
          '- Never commit a change without `mise run check` before',
        ),
      ]),
    );
    expect(Object.values(made)).toEqual([
      'Locks: use `TryLock` and never wait for a lock.',
      'Never commit a change without `mise run check` before.',
    ]);
  });
});

describe('a choice of the person', () => {
  it('is kept with its question if both make sense without context', () => {
    const choice =
      'Where should the READMEs of new locations be stored?\n→ As inline strings (Recommended)\n\nShould I commit now?\n→ Yes, commit\n\nWhich one do you mean?\n→ The other one';
    const [project] = extract(having(worked('write READMEs'), 'choice', choice)).projects;
    expect(project?.statements.map(({ text, choice }) => ({ text, choice }))).toEqual([
      {
        text: 'Asked “Where should the READMEs of new locations be stored?”, the person chose: As inline strings.',
        choice: { question: 'Where should the READMEs of new locations be stored?', answer: 'As inline strings.' },
      },
    ]);
  });

  it('names the subject of the work if the question does not', () => {
    const choice = 'Which direction should the fix take?\n→ Client batching (the client sends several pushes)';
    const asked = having(worked('Send the refs of `tide-server` in batches'), 'choice', choice);
    expect(Object.values(statements(asked))).toEqual([
      'Asked “Send the refs of `tide-server` in batches: Which direction should the fix take?”, the person chose: Client batching (the client sends several pushes).',
    ]);
  });

  it('gets the subject of the plan that follows, not of the work before it', () => {
    const asked = having(
      turn('But should there be two passes?', [], { prompt: 2 }),
      'choice',
      'How is the current pass split?\n→ By the size of each boat',
    );
    const before = turn('Commit it', [run('git commit -m "Replace the old quay by a pier of stone"')], { prompt: 1 });
    const plan = { tool: 'ExitPlanMode', input: { plan: '# Plan: Moor boats in two passes\n\nText' } };
    const proposes = turn(undefined, [plan], { prompt: 3 });
    const after = turn('commit', [run('git commit -m "Reject boats without a pilot of the port"')], { prompt: 4 });
    expect(Object.values(statements(before, asked, proposes, after))).toContain(
      'Asked “Moor boats in two passes: How is the current pass split?”, the person chose: By the size of each boat.',
    );
    expect(Object.values(statements(before, asked)).filter((text) => text.startsWith('Asked'))).toEqual([]);
  });

  it.each([
    'Where did the timeout surface first?\n→ In the real run',
    'Should I open the harbour page?\n→ Open it in a tab',
    'Which claims about the tides should be processed?\n→ Everything (the high ones and all of the low ones)',
  ])('is not kept if it is about the moment: %j', (choice) =>
    expect(statements(having(worked('write READMEs'), 'choice', choice))).toEqual({}),
  );

  it('is the text of the option if the person names its letter or number', () => {
    const offer =
      'There are ways.\n\n**Option A** — Keep the lock in memory only\n**Option C** — Keep `tide.lock` beside the state file of each worktree\n\nWhere should the lock of a worktree be kept?';
    const offered = turn('where do we keep locks?', [edit('/home/dev/tide/a.go'), say(offer)]);
    expect(Object.values(statements(offered, worked('I like Option C.')))).toEqual([
      'Asked “Where should the lock of a worktree be kept?”, the person chose: Keep `tide.lock` beside the state file of each worktree.',
    ]);
    expect(statements(worked('hello'), worked('I like Option C.'))).toEqual({});
    expect(extract(offered, worked('I like Option C.')).facts).toEqual([]);
  });

  it('is the tool that they name when they refuse a command', () => {
    expect(statements(having(worked('install it'), 'verdict', '[Rejected the use of a tool]\nuse pnpm'))).toEqual({
      'package manager': 'Use pnpm: the person refused a command that did not.',
    });
  });
});

describe('decisions and preferences', () => {
  it.each([
    'But we should keep in mind that the user might use `git stash`',
    "Let's drop the '-' before each commit",
    'I like Option 1, from a enabling perspective:',
    'I love it, go on',
    "let's keep it as it was instead of that",
    'The rerun succeeds, but the temp ref is never deleted.',
    'We should use this instead of that',
  ])('do not include %j', (text) => {
    const made = extract(worked(text));
    expect([made.projects, made.facts]).toEqual([[], []]);
  });

  it('include a general rule', () => {
    const rule = 'We should be using the strong types instead of string wherever we can.';
    expect(extract(worked(rule)).facts.map(({ text }) => text)).toEqual([rule]);
  });
});

describe('insights', () => {
  const insights = (text: string) =>
    extract(turn('why?', [run('npm run show'), say(text)])).insights.map(({ text: one }) => one.split('\n')[0]);

  it('name what was found out', () => {
    expect(
      insights('Root Cause: The `FileTools` list in `types.go` was missing the `replace` tool that the client uses.'),
    ).toHaveLength(1);
    expect(
      insights('Now I see the root cause: `additionalContext` must be nested under `hookSpecificOutput`.'),
    ).toHaveLength(1);
  });

  it('do not tell of a fault in the code that the session changed since, unless it lies elsewhere', () => {
    const found = (text: string) =>
      extract(turn('why?', [run('npm run show'), say(text)]), worked('fix it')).insights.map(({ text: one }) => one);
    const own = 'Root cause: `loadLock` in lock.go returns a new list for every page of the harbour.';
    const elsewhere = 'Root cause: `loadLock` in lock.go waits, because git never writes `packed-refs` for it.';
    expect(found(own)).toEqual([]);
    expect(found(elsewhere)[0]).toContain(elsewhere);
    expect(insights(own)).toEqual([own]);
  });

  it.each([
    [
      'Find out why the harbour page loads slowly',
      'Found while working on: Find out why the harbour page loads slowly.',
    ],
    ['Find out why the harbour page loads slowly, i wonder if the lock waits', undefined],
    ['Find out why the harbour page loads slowly (with the lock', undefined],
  ])('name the work only by a whole title: %j', (asked, about) => {
    const cause = 'Root cause: `loadLock` in lock.go waits, because git never writes `packed-refs` for it.';
    const [found] = extract(turn(asked, [run('npm run show'), say(cause)])).insights;
    expect(found?.text.split('\n')[1]).toBe(about);
  });

  it('are dropped if the person objects, or meets the same error again', () => {
    const error = "npm error: cannot find the module '@tide/linux' of build 12";
    const cause = 'The issue is that `npm ci` has a known bug with `optionalDependencies` in containers.';
    const found = (next: string) =>
      extract(
        turn(`the build fails\n\n${error}`, [run('npm run show'), say(cause)]),
        turn(next, [say('I see.')], { prompt: 2 }),
      ).insights;
    expect(found('thanks, now add a chart')).toHaveLength(1);
    expect(found("no, that's not it")).toEqual([]);
    expect(found('with npm install it ends the same way:\n\n'.concat(error.replace('12', '13')))).toEqual([]);
    expect(found('I get the same error with npm install')).toEqual([]);
  });

  it.each([
    'I found and fixed the root cause of the issue.',
    'The problem is in hooks_handlers.go:228-256.',
    "I've completed the root cause investigation.",
    'Fix addresses root cause correctly for both strategies.',
  ])('do not come from a sentence that says too little: %j', (text) => expect(insights(text)).toEqual([]));
});

describe('milestones', () => {
  it('name the pull request by title and number, and no list of tags', () => {
    const made = extract(
      worked(
        'ship',
        run('gh pr create --title "Say \\"ebb\\"" --body x', 'https://github.com/o/r/pull/342'),
        run('git tag --sort=-v:refname'),
      ),
      worked("I've merged the other PR but we now have some merge issues"),
      worked('I merged in main and maybe I resolved the conflict wrong'),
    );
    expect(made.milestones.map(({ title, text }) => [title, text])).toEqual([
      ['Opened pull request #342: Say "ebb"', 'Opened pull request #342: Say "ebb".'],
    ]);
  });
});
