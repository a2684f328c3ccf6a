import { describe, expect, it } from 'vitest';
import { edit, read, run, type Step, say, session, turn } from '../../../test/turns.ts';
import type { SessionMaterial } from '../material.ts';
import { summarizeSession } from './summarize.ts';

const titleOf = (turns: Parameters<typeof session>[0], more: Partial<SessionMaterial> = {}): string | undefined =>
  summarizeSession({ ...session(turns), ...more })?.title;
const asked = (text: string, ...steps: Step[]) => turn(text, [edit('/home/dev/tide/setup.go'), say('Done.'), ...steps]);
const commit = (message: string) => run(`git commit -m "${message}"`);

describe('the title of a session without a strong source', () => {
  it('names the issue or pull request that the agent looked up', () => {
    const view = (kind: string, output: string) => run(`gh ${kind} view 12 --repo tide/charts`, output);
    expect(
      titleOf([
        turn('can you look at https://github.com/tide/charts/issues/12 and then chat', [
          view('issue', 'title:\tTides are late in autumn\nstate:\tOPEN\nnumber:\t12\n'),
          say('It is about the clock.'),
        ]),
        turn('how would that work with summer?', [read('/home/dev/tide/a.go'), say('As before.')], { prompt: 2 }),
      ]),
    ).toBe('Issue #12: Tides are late in autumn');
    expect(
      titleOf([
        turn('address the review comments on PR #12', [
          view('pr', '{"number":12,"title":"fix(clock): count tides by moon","url":"https://x/pull/12"}'),
          say('Done.'),
        ]),
      ]),
    ).toBe('Address the review comments on PR #12: Count tides by moon');
    expect(
      titleOf([
        turn('fix the tide clock in `clock.go`', [
          view('pr', '{"number":7,"title":"Another subject"}'),
          edit('/home/dev/tide/clock.go'),
          say('Done.'),
        ]),
      ]),
    ).toBe('Fix the tide clock in `clock.go`');
  });

  it('is the heading of a plan that the agent proposed, also if the person did not accept it here', () => {
    const plan = {
      tool: 'ExitPlanMode',
      input: { plan: '# Plan: Show buoys on the chart\n\n## Context\n' },
      failed: true,
    };
    expect(titleOf([turn("I've added the pictures of the buoys. Use them", [read('/home/dev/tide/a.go'), plan])])).toBe(
      'Show buoys on the chart',
    );
    const file = {
      tool: 'Write',
      input: { file_path: '/home/dev/.claude/plans/calm-sea.md', content: '# Harbour lights' },
    };
    expect(titleOf([turn('think about it', [file, say('Ready.')])])).toBe('Harbour lights');
  });

  it('is a minor commit, or one that a hook refused, if no request says it', () => {
    const refused = run('git commit -m "Embed the tide film in the tour"', 'hook failed', true);
    expect(titleOf([turn('make it bigger', [edit('/home/dev/tide/a.go'), refused, say('The hook fails.')])])).toBe(
      'Embed the tide film in the tour',
    );
    expect(
      titleOf([
        turn('publishing worked before, why not now?', [
          commit('ci(release): publish from the trusted workflow'),
          say('Done.'),
        ]),
      ]),
    ).toBe('Publish from the trusted workflow');
    expect(titleOf([asked('Rename the tide clock to moon clock', commit('chore: tidy'))])).toBe(
      'Rename the tide clock to moon clock',
    );
  });

  it('is the branch if the request was pasted or points at something, and never the branch of an agent', () => {
    const branches = ['dev/count-tides-by-moon'];
    expect(titleOf([asked('can you take another look at this change, the tests seem to fail')], { branches })).toBe(
      'Take another look at this change, the tests seem to fail — count tides by moon',
    );
    expect(
      titleOf([asked('1. High: clock.go:12 likely leaks the timer when the tide turns early')], { branches }),
    ).toBe('Count tides by moon');
    const own = { branches: ['worktree-agent-a4ca7529'] };
    expect(titleOf([asked('hand over this research to the others')], own)).not.toContain('agent');
  });

  it('is not that something was committed or completed', () => {
    expect(
      titleOf([turn('commit this', [edit('/home/dev/tide/a.go'), say('Committed and pushed to `main`, all green.')])]),
    ).not.toMatch(/^Committed/);
  });

  it('stays with the first request that names its object', () => {
    expect(
      titleOf([
        asked('Add a table of tides for Bremen'),
        turn(
          'do we even need `tideTable` then?',
          [edit('/home/dev/tide/b.go'), edit('/home/dev/tide/c.go'), say('Yes.')],
          {
            prompt: 2,
          },
        ),
      ]),
    ).toBe('Add a table of tides for Bremen');
    expect(
      titleOf([
        asked('please switch to main and delete the stale branches'),
        turn('Show the moon above the chart', [edit('/home/dev/tide/b.go'), say('Done.')], { prompt: 2 }),
      ]),
    ).toBe('Show the moon above the chart');
  });

  it('is the branch rather than a trace of tools', () => {
    const push = turn('ship it', [run('git push -u origin dev/show-the-moon'), say('Pushed.')]);
    expect(titleOf([push], { branches: ['dev/show-the-moon'] })).toBe('Show the moon');
  });

  it('is the outcome rather than a symptom or a question, if files changed', () => {
    const mended = [edit('/home/dev/tide/a.go'), say('Replaced the fixed clock of the pier by a moon clock.')];
    const outcome = 'Replaced the fixed clock of the pier by a moon clock';
    expect(titleOf([turn('I still have weird display issues in the "Harbour" tab', mended)])).toBe(outcome);
    expect(titleOf([turn('why is the pier clock late in the harbour tab?', mended)])).toBe(outcome);
    const how = [edit('/home/dev/tide/a.go'), say('Fixed by reading the moon from the almanac of the harbour.')];
    expect(titleOf([turn('the harbour tab shows me the wrong moon', how)])).toBe(
      'Reading the moon from the almanac of the harbour',
    );
    const explain = turn('Explain what moor_all and unmoor_all do', [read('/home/dev/tide/a.go'), say('They moor.')]);
    const more = [2, 3].map((prompt) => turn('replace it', mended, { prompt }));
    expect(titleOf([explain, ...more])).toBe(outcome);
    expect(titleOf([turn('fix the weird issues in the harbour tab', mended)])).toBe(
      'Fix the weird issues in the harbour tab',
    );
    expect(titleOf([explain])).toBe('Explain what moor_all and unmoor_all do');
  });

  it('is not a line of a role, and ends before the demands on the work', () => {
    const role = turn('You are the harbour coordinator.\n\nUse pilots for mooring and tugboats for towing.', [
      say('Yes.'),
    ]);
    const request = turn(
      'Show the moon above the chart, make sure it is round and not a square',
      [edit('/home/dev/tide/a.go'), say('Done.')],
      {
        prompt: 2,
      },
    );
    expect(titleOf([role, request])).toBe('Show the moon above the chart');
  });
});
