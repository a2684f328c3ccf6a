import { describe, expect, it } from 'vitest';
import { isLasting, withSubject } from './choices.ts';

const choice = (question: string, answer: string) => ({ question, answer, entry: 'e', at: '2026-09-01T08:00:00.000Z' });

it.each([
  ['How should convert handle refs of others (refs/merge-requests/*) under --all?', 'Exclude by default'],
  ['For the prompt that receives the tide table, should it get only the table or also the notes?', 'Table and notes'],
  ['How should we cover the push of a harbour?', 'Probe before the push'],
  [
    'Which cache do you want me to use for lost buoys?',
    'One per harbour (`BuoyCache` keyed by the name of the harbour)',
  ],
  ['Windows build?', 'Skip Windows (keep darwin and linux only)'],
])('an answer about how things are lasts: %s', (question, answer) =>
  expect(isLasting(choice(question, answer))).toBe(true),
);

it.each([
  ['Which cache do you want me to use for lost buoys?', 'One per harbour'],
  ['Do you want me to use `BuoyCache` for lost buoys?', 'Only `BuoyCache` of the harbour'],
  ['How should I deliver the fixes of the harbour?', 'Push the two commits'],
  ['Should we push the branch with the new harbour?', 'Yes, push it'],
  ['It has two harbours, which should be kept open?', 'The northern harbour'],
  ['How autonomous should the loop over harbours be?', 'Fully (I report each harbour when it is done)'],
])('an answer about the next step, or without its object, does not last: %s', (question, answer) =>
  expect(isLasting(choice(question, answer))).toBe(false),
);

describe('a choice', () => {
  const asked = (question: string, subject = 'Probe buoys') =>
    withSubject(choice(question, 'In `harbour.go`'), subject)?.question;

  it.each(['Where should the probe live?', 'Where should the plan of all harbours be kept?'])(
    'gets the subject of the work: %s',
    (question) => expect(asked(question)).toBe(`Probe buoys: ${question}`),
  );

  it('stands alone if the question names something of the code, or says the subject itself', () => {
    expect(asked('Where should `probeAll` be kept?')).toBe('Where should `probeAll` be kept?');
    expect(asked('Where should the probe of a buoy be kept?')).toBe('Where should the probe of a buoy be kept?');
  });

  it('gets its subject even with a name if it points at the work, and is dropped if there is no subject', () => {
    expect(asked('Should `probeAll` work as in the current prompt?')).toContain('Probe buoys: ');
    expect(asked('How should we cover the moor-boat push case?')).toContain('Probe buoys: ');
    expect(asked('Should `probeAll` be part of this change?', '')).toBeUndefined();
  });

  it('tells what a yes means', () => {
    const told = (answer: string) => withSubject(choice('Should `probeAll` retry?', answer), 'x')?.answer;
    expect(told('Yes, do it properly (Probe each buoy three times)')).toBe('Yes: Probe each buoy three times');
    expect(told('Probe twice (as before)')).toBe('Probe twice (as before)');
    expect(isLasting(choice('Should `probeAll` retry lost buoys?', 'Yes, do it properly.'))).toBe(false);
  });
});
