import { describe, expect, it } from 'vitest';
import { formIn } from '../../schema/statement-form.ts';
import { choiceStandsAlone, lastingFact, lastingInsight, standsAlone, withoutAnaphor } from './lasting.ts';

describe('a statement by the person', () => {
  it.each([
    'Of the plan “Moor by size” the person said: Keep the name of the file, otherwise gtg.',
    'Of the plan “Moor by size” the person said: Looks fine, add the pier.',
  ])('needs its conversation: %j', (text) => expect(standsAlone(text, formIn(text))).toBe(false));

  it.each([
    'Of the plan “Moor by size” the person said: Never ask the pier for credentials.',
    'I prefer tabs over spaces in this code.',
  ])('is understood alone: %j', (text) => expect(standsAlone(text, formIn(text))).toBe(true));
});

describe('a choice of the person', () => {
  it.each([
    ['How should we cover the harbour push case?', 'Probe before the push.'],
    ['Should the helper report errors in this change?', 'Report them to the caller.'],
    ['Moor by size: Should the pier signal full berths?', 'Yes, do it properly.'],
    ['Should the pier signal full berths?', 'No.'],
    [
      'Probe for a pilot before mooring ships: How should we handle the push?',
      'Pilot probe before mooring (asks first).',
    ],
  ])('needs its conversation: %s %s', (question, answer) =>
    expect(choiceStandsAlone({ question, answer })).toBe(false),
  );

  it.each([
    ['Should we add a fallback for more than 30 berths?', 'No fallback, trust the pier.'],
    ['Moor by size: Which direction should the fix take?', 'Batches in the client.'],
    ['Should the pier signal full berths?', 'Yes, by a red lamp.'],
    ['Probe for a pilot before mooring ships: Where are pilots kept?', 'SQLite.'],
  ])('is understood alone: %s %s', (question, answer) => expect(choiceStandsAlone({ question, answer })).toBe(true));

  it('loses a question about the work at hand if it has a subject', () => {
    const question = 'Moor by size: Which direction should the fix take?';
    expect(withoutAnaphor({ question, answer: 'Batches in the client.' }).question).toBe('Moor by size');
    expect(choiceStandsAlone({ question, answer: 'The first.' })).toBe(false);
    const open = { question: 'Moor by size: Should the pier signal full berths?', answer: 'Yes, by a red lamp.' };
    expect(withoutAnaphor(open)).toBe(open);
  });
});

describe('an insight', () => {
  it.each([
    'Fix: Pier floods the harbour. This happens because `useBerth()` returns a new object on every render.',
    'Root cause: When a berth is deleted, its `lampId` stays set, so the lamp stays hidden forever.',
    "The root cause was that the queries in `berths.ts` weren't selecting `pier_id`.",
    'The failure was caused by stale `tmp/piers/` folders from previous runs.',
    'Carry the mappings into the config. buildConfig copied the branches but never set the mappings.',
    'The `loadBerth` effect only handles "full". The "failed" status falls through, making deletion impossible.',
    'Latest Tide CLI package `0.79.6` does not expose `--base-url`.',
    'The lamp button has a tooltip because the label is too long.',
  ])('that the work overtook is not told: %j', (text) => expect(lastingInsight(text)).toBe(''));

  it.each([
    'The `report` decoder stops at its own flush and ignores trailing bytes.',
    'Since npm only allows one trusted publisher per package, only one workflow may publish.',
    "The root cause: tide-lib's `plugin` reads the host's `~/.gitconfig` at init time.",
  ])('about how things are is told: %j', (text) => expect(lastingInsight(text)).toBe(text));

  it('loses the sentence about a version and keeps the rest', () =>
    expect(
      lastingInsight(
        'Root cause: `v4.4.1` exists, but npm never published it. Tags by `GITHUB_TOKEN` start no workflow.',
      ),
    ).toBe('Tags by `GITHUB_TOKEN` start no workflow.'));
});

describe('a fact', () => {
  it('loses how things were before', () =>
    expect(
      lastingFact(
        'Decided in a commit: ask the helper after a 401. On new hosts, git fell back to a prompt and broke the run.',
      ),
    ).toBe('Decided in a commit: ask the helper after a 401.'));

  it('is not told if it is about looks', () =>
    expect(lastingFact('Planned and carried out: Merge lists. Status badge always visible in the row header.')).toBe(
      '',
    ));

  it('stays otherwise', () => {
    const text = 'Decided in a commit: send refs in batches. A batch has 5000 refs, because the server refuses more.';
    expect(lastingFact(text)).toBe(text);
  });
});
