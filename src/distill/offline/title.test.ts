import { describe, expect, it } from 'vitest';
import { edit, run, type Step, say, session, turn } from '../../../test/turns.ts';
import type { SessionMaterial } from '../material.ts';
import { summarizeSession } from './summarize.ts';

const titleOf = (turns: Parameters<typeof session>[0], more: Partial<SessionMaterial> = {}): string | undefined =>
  summarizeSession({ ...session(turns), ...more })?.title;
const asked = (text: string, ...steps: Step[]) => turn(text, [edit('/home/dev/tide/setup.go'), say('Done.'), ...steps]);
const commit = (message: string) => run(`git commit -m "${message}"`);

describe('the title of a session', () => {
  it("is the agent's own title, if there is one", () => {
    const turns = [asked('Implement the following plan:\n\n# Plan: Tides', commit('feat: tides in summer'))];
    expect(titleOf(turns, { title: 'Tide tables', titleSource: 'agent' })).toBe('Tide tables');
  });

  it.each([
    'Review Dependabot alerts',
    'Review git-sync issue #46',
    'Fix the bug',
    'Understand why the tide tables are late',
    'Tide table rendering capabilities',
  ])('is not the agent’s own title %j if the work has a better one', (title) => {
    const own = { title, titleSource: 'agent' as const };
    expect(titleOf([asked('look at it', commit('feat: tides in summer'))], own)).toBe('Tides in summer');
    expect(titleOf([asked('Implement the following plan:\n\n# Plan: Harbour lights')], own)).toBe('Harbour lights');
    expect(titleOf([asked('look at it')], own)).toBe(title);
    expect(titleOf([asked('look at it', commit('feat: tides'))], { title, titleSource: 'person' })).toBe(title);
  });

  it('is nothing that the person took back', () => {
    const own = { title: 'Round tide heights in reports', titleSource: 'agent' as const };
    const rounded = asked('round the heights of the tide in all reports');
    const later = asked('commit', commit('fix: keep the lock until the tide turns'));
    expect(titleOf([rounded, asked('can you revert this change?'), later], own)).toBe(
      'Keep the lock until the tide turns',
    );
    expect(titleOf([rounded, later], own)).toBe(own.title);
    const moved = asked('Move the harbour package to the pier folder');
    const replaced = asked('ok, change in plan: put all harbour files into the root folder');
    expect(titleOf([moved, replaced])).toBe('Put all harbour files into the root folder');
    expect(
      titleOf([asked('save', commit('feat: sort the piers by depth')), asked('actually revert the commit'), later]),
    ).toBe('Keep the lock until the tide turns');
  });

  it('is a new version of a dependency if nothing else was committed', () => {
    const bump = commit('chore(deps): bump golang.org/x/net to v0.55.0 to fix CVE-2026-25680');
    const own = { title: 'Review alerts', titleSource: 'agent' as const };
    expect(titleOf([asked('look', bump)], own)).toBe('Bump golang.org/x/net to v0.55.0 to fix CVE-2026-25680');
    expect(titleOf([asked('look', bump, commit('Keep the lock until the tide turns'))], own)).toBe(
      'Keep the lock until the tide turns',
    );
  });

  it('is a commit about the program rather than one about documents', () => {
    expect(
      titleOf([
        asked('commit what is there', commit('docs: reorganize documentation')),
        asked('next', commit('feat: read tar archives')),
      ]),
    ).toBe('Read tar archives');
  });

  it('is the commit rather than the plan if the person corrected the plan', () => {
    const plan = asked('Implement the following plan:\n\n# Plan: Lights in the header');
    const correction = asked('it should not be in the header but below', commit('feat: show lights below the header'));
    expect(titleOf([plan, correction])).toBe('Show lights below the header');
    expect(titleOf([plan, asked('commit', commit('feat: show lights'))])).toBe('Lights in the header');
    const review = asked('Implement the following plan:\n\n# Assessment: Lights in the header');
    expect(titleOf([review, asked('commit', commit('fix: stop lights from blinking at noon'))])).toBe(
      'Stop lights from blinking at noon',
    );
  });

  it('is not that a file of instructions was made, if other work followed', () => {
    const init = turn('/init', [
      edit('/home/dev/tide/CLAUDE.md'),
      say('I created a CLAUDE.md file for this repository.'),
    ]);
    expect(titleOf([init, asked('Migrate the recorder to AudioWorklet')])).toBe('Migrate the recorder to AudioWorklet');
  });

  it('is what the agent says that it did if the request refers to earlier text', () => {
    expect(
      titleOf([
        turn('please replace them with a single one', [
          edit('/home/dev/tide/nav.go'),
          say('I replaced the navigation links with one link to the combined chart.'),
        ]),
      ]),
    ).toBe('Replaced the navigation links with one link to the combined chart');
  });

  it('has no request for help at its end', () => {
    expect(titleOf([asked('we need to change /pkg/tides to /sync can you help me with that')])).toBe(
      'Change /pkg/tides to /sync',
    );
  });

  it('keeps the blank before a path that begins with dots', () => {
    expect(titleOf([asked('the entire backend is in ../harbour , look there')])).toBe(
      'The entire backend is in ../harbour, look there (setup.go)',
    );
  });

  it('is the heading of the plan that it carries out', () => {
    expect(
      titleOf([
        asked('Implement the following plan:\n\n# Plan: Simplify `tide enable` Onboarding Flow\n\n## Context\nx'),
      ]),
    ).toBe('Simplify `tide enable` Onboarding Flow');
    const approved = turn('look at the harbour', [edit('/home/dev/tide/a.go'), say('ok')]);
    const entries = [
      ...approved.entries,
      {
        ...(approved.entries[0] as never as object),
        id: 'v',
        form: 'verdict',
        text: '[Approved the plan: Harbour lights]',
      },
    ];
    expect(titleOf([{ ...approved, entries } as never])).toBe('Harbour lights');
  });

  it('is the title of its pull request, or else of its first telling commit', () => {
    expect(
      titleOf([
        asked(
          'ship it',
          commit('fix lint'),
          run('gh pr create --title "Say \\"ebb\\" at low tide" --body "x"', 'https://github.com/o/r/pull/12'),
        ),
      ]),
    ).toBe('Say "ebb" at low tide');
    expect(
      titleOf([asked('Commit this, push and open a draft PR', commit('fix: handle array content in tide files'))]),
    ).toBe('Handle array content in tide files');
    expect(
      titleOf([
        asked(
          'merge conflicts',
          commit('Merge main'),
          run('git -C /home/dev/tide commit -m "Keep the lock until the tide turns"'),
        ),
      ]),
    ).toBe('Keep the lock until the tide turns');
    expect(
      titleOf([
        asked('write the harbour chart', commit('fix lint'), run('cd /tmp/x && git commit -m "Try something"')),
      ]),
    ).toBe('Write the harbour chart');
  });

  it('names branch and file if the request is vague', () => {
    expect(
      titleOf([asked('Address the bugbot comment on the PR')], {
        branches: ['ann/simplify-enable-onboarding', 'main'],
      }),
    ).toBe('Address the bugbot comment on the PR — simplify enable onboarding');
    expect(titleOf([asked('fix the failing tests')], { branches: ['main'] })).toBe('Fix the failing tests (setup.go)');
  });

  it('comes from the arguments of a slash command', () => {
    expect(
      titleOf([
        asked('/github:issue ENT-221-state-machine-for-tracking-tides-between-hooks'),
        asked('Are there any problems with concurrent access?'),
      ]),
    ).toBe('ENT-221 state machine for tracking tides between hooks');
  });

  it('comes from a later request only if the first says little', () => {
    expect(
      titleOf([asked('Do you have access to linear?'), asked('Add a harbour map with the depth of each berth')]),
    ).toBe('Add a harbour map with the depth of each berth');
    expect(
      titleOf([asked('Add a harbour map with the depth of each berth'), asked('What is the output of the tests?')]),
    ).toBe('Add a harbour map with the depth of each berth');
  });

  it('is not taken from pasted output or from lines after a shell prompt', () => {
    expect(
      titleOf([
        asked(
          'Store the tide session in the harbour trailer.\n\n❯ git commit\nLink this commit to Agent session context?',
        ),
      ]),
    ).toBe('Store the tide session in the harbour trailer');
    expect(titleOf([asked('The harbour rebase stops with this:\nCommit or stash them first')])).toContain(
      'harbour rebase',
    );
  });

  it('does not end in the middle of a phrase, and does not refer to earlier text', () => {
    expect(titleOf([asked('Generate me a list of plausible-looking harbour tokens for')])).toBe(
      'Generate me a list of plausible-looking harbour tokens',
    );
    expect(titleOf([asked('Do the same thing for them'), asked('Write the berth allocation for large ships')])).toBe(
      'Write the berth allocation for large ships',
    );
    expect(titleOf([asked('Do "<strategy name> strategy initialized" and remove the old harbour output')])).toContain(
      '<strategy name>',
    );
    expect(titleOf([asked('Simplify the berth check in @/Users/ann/src/tide/cmd/berth.go:1-9 for ships')])).toBe(
      'Simplify the berth check in berth.go for ships',
    );
  });

  it('has no words in brackets after it, even with many turns', () => {
    const turns = Array.from({ length: 9 }, (_, i) =>
      turn(`Change the harbour map of pier ${i} a little`, [edit('/home/dev/tide/page.ts')], { prompt: i + 1 }),
    );
    expect(titleOf(turns)).toBe('Change the harbour map of pier 0 a little');
  });
});

it('keeps the words between two quotations', () => {
  expect(
    titleOf([
      asked('We should not display "AGENTS.md" for the harbour instructions, but instead "Harbour instructions"'),
    ]),
  ).toContain('"AGENTS.md" for the harbour');
});

it('finds the commit in a command that another program runs', () => {
  expect(titleOf([asked('commit and push', run('rtk git commit -m "Show the ebb of every harbour"'))])).toBe(
    'Show the ebb of every harbour',
  );
});
