import { describe, expect, it } from 'vitest';
import type { Summary } from '../../schema/summary.ts';
import type { SessionGlance } from '../../store/sessions/port.ts';
import { named, outcomeOf, type Told, withHeadline } from './session-told.ts';

const glance: SessionGlance = {
  ...{ id: 's', agent: 'claude-code', title: 'Review issue #46', cwd: '/tide' },
  ...{ startedAt: 0, endedAt: 1, asked: 'look at issue 46' },
};
const summary = (title: string, said: Pick<Summary, 'outcome' | 'commits'> = { outcome: '', commits: [] }) =>
  ({ title, ...said }) as Summary;
/** What the summary has: the outcome, or the commits. */
const told = (title: string, came: string | string[], answer = ''): Told => ({
  glance: { ...glance, title },
  ending: { prompts: [], entries: answer === '' ? [] : [{ author: 'model', text: answer } as never], toolUses: [] },
  ...{ open: [], summary: summary(title, parts(came)), place: '', isNamed: false },
});
const parts = (came: string | string[]) =>
  typeof came === 'string' ? { outcome: came, commits: [] } : { outcome: '', commits: came };

describe('the name of a session in a briefing', () => {
  it('is the title of its summary, unless a person named it or the summary says less', () => {
    expect(named(glance, 'agent', summary('Split --force in two')).title).toBe('Split --force in two');
    expect(named(glance, undefined, summary('Split --force in two')).title).toBe('Split --force in two');
    expect(named(glance, 'person', summary('Split --force in two')).title).toBe('Review issue #46');
    expect(named(glance, 'agent', summary('Fix the bug')).title).toBe('Review issue #46');
    expect(named(glance, 'agent', undefined)).toBe(glance);
  });

  it('is its main commit if the title is a question or minor, and otherwise stays', () => {
    const titleOf = (title: string, came: string | string[], answer?: string) =>
      withHeadline(told(title, came, answer)).glance.title;
    const question = 'Explain what does moor_all do';
    expect(titleOf(question, ['fix(tide): keep empty berths'])).toBe('Keep empty berths');
    const bump = 'Bump tide-lib to v3.1.0';
    expect(titleOf(bump, ['Bump tide-lib to v3.1.0', 'Refuse ships without a pilot'])).toBe(
      'Refuse ships without a pilot',
    );
    expect(titleOf(question, 'Replaced the list of berths by one link.')).toBe(question);
    expect(titleOf(question, '', '`Bash` - Command execution specialist.')).toBe(question);
    expect(titleOf(bump, 'Replaced the list of berths by one link.')).toBe(bump);
    expect(titleOf('Split --force in two', ['Replace the list of berths'])).toBe('Split --force in two');
  });

  it('ends at the first semicolon, unless that stands in code', () => {
    const commit = 'Drop `; use moor` from the failure of a push; two others keep it';
    expect(withHeadline(told('Explain what does moor_all do', [commit])).glance.title).toBe(
      'Drop `; use moor` from the failure of a push',
    );
  });
});

describe('the outcome of a session in a briefing', () => {
  it('lists only the commits that say more than the title and do more than tidy up', () => {
    const commits = ['Send refs in batches', 'Limit a push to 5000 refs', 'gofmt: realign structs'];
    expect(outcomeOf(told('Send refs in batches', commits)).text).toBe('Committed: “Limit a push to 5000 refs”');
    const small = ['docs(tide): explain refs', 'Cover lost refs', 'feat(tide): send refs in batches'];
    expect(outcomeOf(told('Send refs in batches', small)).text).toBe('');
  });

  it.each([
    'Drop now-unused berth list',
    'moor: trim redundant test cases',
    'pier: address review of the harbour master: wording',
    'Remove dead code',
    'moor: post-review cleanup',
  ])('lists no commit that only cleans up: %s', (commit) =>
    expect(outcomeOf(told('Paint the boat', ['Keep empty berths', commit])).text).toBe(
      'Committed: “Keep empty berths”',
    ),
  );

  it('lists no commit twice, and none that repeats the title in other words', () => {
    const commits = [
      'Add a base tag for the pier',
      'Update harbour with base tag for the pier',
      'agent: name the tide in requests',
    ];
    expect(outcomeOf(told('Name tide requests by an agent', commits)).text).toBe(
      'Committed: “Add a base tag for the pier”',
    );
  });

  it('counts the commits that do not fit', () => {
    const commits = [
      'Read the moon from a table that the harbour master keeps, instead of computing its phase for every single hour of the day',
      'Keep empty berths after a storm',
      'Warn sailors of strong winds with a red lamp at the end of the pier, as the port authority demands since last winter',
      'Drop support for paper charts',
    ];
    expect(outcomeOf(told('Paint the boat', commits)).text).toMatch(
      /^Committed: “Read the moon .+ day”, “Keep empty berths after a storm” and 2 more$/,
    );
  });

  it('is not explained by the rest of last words that repeat the title', () => {
    const answer = 'The berths are moored by size now. Small boats moved to the pier.';
    expect(outcomeOf(told('Moor berths by size', '', answer)).text).toBe('');
    expect(outcomeOf(told('Paint the lamp', '', answer)).text).toBe(`Ended: ${answer}`);
    expect(outcomeOf(withHeadline(told('Why is the berth empty?', '', answer))).text).toBe(`Ended: ${answer}`);
    expect(outcomeOf(told('Paint the lamp', 'Painted the lamp.', answer)).text).toBe('');
  });

  it.each([
    'Spawned the research worker. Handle: `berth-research`.',
    'Uses the cached berths directly.',
    'Build: passes. All tests pass.',
    'Updated the action and fixed all the type issues.',
    'That test targets the old path, so it is unaffected.',
    'Read - Read files from the disk.',
  ])('is nothing if the last words say nothing: %j', (answer) =>
    expect(outcomeOf(told('Send refs', '', answer)).text).toBe(''),
  );
});
