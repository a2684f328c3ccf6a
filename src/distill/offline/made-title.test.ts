import { describe, expect, it } from 'vitest';
import { edit, run, type Step, say, session, turn } from '../../../test/turns.ts';
import { summarizeSession } from './summarize.ts';

const edits = (count: number, file = 'harbour.go'): Step[] =>
  Array.from({ length: count }, () => edit(`/home/dev/tide/${file}`));
const commit = (message: string): Step => run(`git commit -m "${message}"`);
const opened = (title: string): Step =>
  run(`gh pr create --title "${title}" --body x`, 'https://github.com/o/r/pull/1');
const titleOf = (requests: readonly (readonly [string, readonly Step[]])[]): string | undefined =>
  summarizeSession(session(requests.map(([text, steps], i) => turn(text, [...steps, say('Done.')], { prompt: i + 1 }))))
    ?.title;

describe('a commit names a session', () => {
  it('if it covers clearly more work than an earlier one', () => {
    expect(
      titleOf([
        ['push', [...edits(1), commit('Drop the root artifacts of the pier')]],
        ['next', [...edits(9), commit('Read berth depths from the pilot service')]],
      ]),
    ).toBe('Read berth depths from the pilot service');
    expect(
      titleOf([
        ['go', [...edits(6), commit('Read berth depths from the pilot service')]],
        ['next', [...edits(7), commit('Tighten the berth depths reader')]],
      ]),
    ).toBe('Read berth depths from the pilot service');
  });

  it('by the subject of a plan that was committed first and carried out then', () => {
    const built = ['Create the berth ledger', 'Move pilots behind the berth ledger', 'Split the berth ledger by pier'];
    expect(
      titleOf([
        ['write it down', [...edits(1, 'plan.md'), commit('Add rewrite plan for berth allocation')]],
        ...built.map((message) => ['go on', [...edits(4), commit(message)]] as const),
      ]),
    ).toBe('Rewrite for berth allocation');
  });

  it('but not one of several that are unrelated, if the request says what they have in common', () => {
    const unrelated = ['Stop tokens leaking', 'Reject odd pilots', 'Keep mappings in fetches', 'Release idle anchors'];
    expect(
      titleOf([
        ['Fix the findings of the harbour audit', unrelated.flatMap((one) => [...edits(3), commit(one), opened(one)])],
      ]),
    ).toBe('Fix the findings of the harbour audit');
  });

  it('but not a small one about documents in a long session about something else', () => {
    const talk = Array.from(
      { length: 8 },
      (_, i) => [`and pier ${i}?`, [run('ls piers'), run('cat piers/depths')]] as const,
    );
    expect(
      titleOf([
        ['Compare how other ports measure the depth of a berth', [run('rg depth'), run('cat ports.csv')]],
        ...talk,
        ['commit', [...edits(1, 'AGENTS.md'), commit('docs: standardize lighthouse references')]],
      ]),
    ).toBe('Compare how other ports measure the depth of a berth');
  });

  it('but not one that only keeps the proof of the work', () => {
    expect(
      titleOf([
        ['Add the depth of each berth to the survey', [...edits(3), run('make survey')]],
        ['commit', [...edits(1, 'survey.png'), commit('Capture berth survey dogfood evidence')]],
      ]),
    ).toBe('Add the depth of each berth to the survey');
  });

  it('but not one about tests beside one about the program', () => {
    expect(
      titleOf([
        ['go', [...edits(6), commit('Add integration tests for mooring at night')]],
        ['next', [...edits(2), commit('Let pilots moor ships without a berth')]],
      ]),
    ).toBe('Let pilots moor ships without a berth');
  });

  it('with its scope if it is short', () => {
    expect(titleOf([['push it', [...edits(1), commit('ci(release): publish from trusted workflow')]]])).toBe(
      'Publish from trusted workflow (release)',
    );
  });
});
