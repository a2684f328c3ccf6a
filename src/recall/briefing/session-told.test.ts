import { describe, expect, it } from 'vitest';
import type { Summary } from '../../schema/summary.ts';
import type { SessionGlance } from '../../store/sessions/port.ts';
import { named, outcomeOf, type Told, tellsWork } from './session-told.ts';

const glance: SessionGlance = {
  ...{ id: 's', agent: 'claude-code', title: 'Review issue #46', cwd: '/tide' },
  ...{ startedAt: 0, endedAt: 1, asked: 'look at issue 46' },
};
const summary = (title: string, completed = '') => ({ title, completed }) as Summary;
const told = (title: string, completed: string, answer = ''): Told => ({
  glance: { ...glance, title },
  ending: { prompts: [], entries: answer === '' ? [] : [{ author: 'model', text: answer } as never], toolUses: [] },
  ...{ open: [], summary: summary(title, completed), place: '' },
});

describe('the name of a session in a briefing', () => {
  it('is the title of its summary, unless a person named it or the summary says less', () => {
    expect(named(glance, 'agent', summary('Split --force in two')).title).toBe('Split --force in two');
    expect(named(glance, undefined, summary('Split --force in two')).title).toBe('Split --force in two');
    expect(named(glance, 'person', summary('Split --force in two')).title).toBe('Review issue #46');
    expect(named(glance, 'agent', summary('Fix the bug')).title).toBe('Review issue #46');
    expect(named(glance, 'agent', undefined)).toBe(glance);
  });

  it('tells the work if it names an object', () => {
    expect(tellsWork(glance)).toBe(false);
    expect(tellsWork({ ...glance, title: 'Split --force in two' })).toBe(true);
  });
});

describe('the outcome of a session in a briefing', () => {
  it('lists only the commits that say more than the title and do more than tidy up', () => {
    const completed = 'Committed: “Send refs in batches”, “Limit a push to 5000 refs” and “gofmt: realign structs”.';
    expect(outcomeOf(told('Send refs in batches', completed)).text).toBe('Committed: “Limit a push to 5000 refs”');
  });

  it.each([
    'Build: passes. All tests pass.',
    'That test targets the old path, so it is unaffected.',
    'Read - Read files from the disk.',
  ])('is nothing if the last words say nothing: %j', (answer) =>
    expect(outcomeOf(told('Send refs', '', answer)).text).toBe(''),
  );
});
