import { expect, it } from 'vitest';
import type { Places } from '../vectors/places.ts';
import { coverageOf } from './coverage.ts';
import { at, featureNames } from './features.ts';
import { rankSessions } from './rank-sessions.ts';
import type { Weighed } from './rank-turns.ts';

/** Entries of sessions, each its own turn unless `turns` says otherwise. The row of a place is its number and one. */
function placesOf(session: readonly number[], turns = session.map((_, i) => i)): Places {
  const column = (of: (i: number) => number) => Int32Array.from(session, (_, i) => of(i));
  return {
    size: session.length,
    rowid: column((i) => i + 1),
    session: Int32Array.from(session),
    previous: column(() => -1),
    next: column(() => -1),
    turn: Int32Array.from(turns),
    hasTools: true,
    at: new Float64Array(session.length),
    role: new Uint8Array(session.length),
    flags: new Uint8Array(session.length),
    length: new Uint32Array(session.length),
    placeOf: (row) => (row <= session.length ? row - 1 : -1),
    sessionCount: Math.max(...session) + 1,
    sessionRow: (one) => one,
    sessionOf: (one) => one,
  };
}

const entry = (place: number, score: number, { meaning = 0, words = 0 } = {}): Weighed => {
  const features = new Float64Array(featureNames.length);
  features[at.turnWords] = words;
  return { place, score, words: 0, meaning, near: 0, answers: false, session: 0, time: -1, features };
};

const order = (places: Places, entries: readonly Weighed[], rows: readonly (readonly number[])[] = []) =>
  rankSessions({ places, coverage: coverageOf({ places }, rows) }, entries, 'question').map(
    ({ place }) => places.session[place],
  );

it('shows each session by its best entry, the session with the best turn first', () => {
  const places = placesOf([0, 0, 1, 1]);
  const found = rankSessions({ places }, [entry(3, 7), entry(0, 5), entry(1, 4), entry(2, 3)], 'question');
  expect(found.map(({ place }) => place)).toEqual([3, 0]);
});

it('prefers several good turns to a single one that is a little better', () => {
  const places = placesOf([0, 0, 0, 1, 1, 1]);
  expect(order(places, [entry(3, 7), entry(0, 6.9), entry(1, 6.8), entry(2, 6.8)])).toEqual([0, 1]);
  // Entries of one turn are one turn.
  const inOneTurn = placesOf([0, 0, 0, 1, 1, 1], [0, 0, 0, 3, 3, 3]);
  expect(order(inOneTurn, [entry(3, 7), entry(0, 6.9), entry(1, 6.8), entry(2, 6.8)])).toEqual([1, 0]);
});

it('prefers the session that has all of the question to one that has a part of it', () => {
  const places = placesOf([0, 0, 1, 1]);
  const equal = [entry(0, 6), entry(2, 6)];
  expect(order(places, equal, [[1], [2]])).toEqual([0, 1]);
  expect(order(places, equal, [[1], [3], [4]])).toEqual([1, 0]);
});

it('expects more of a long session than of a short one', () => {
  const places = placesOf([...new Array<number>(60).fill(0), 1]);
  expect(order(places, [entry(0, 6), entry(60, 6)])).toEqual([1, 0]);
});

it('weighs all turns by words and by meaning for the message of a commit', () => {
  const places = placesOf([0, 0, 1]);
  const entries = [entry(2, 7), entry(0, 6.6, { words: 1, meaning: 0.9 }), entry(1, 6.5, { words: 0.9, meaning: 0.9 })];
  expect(rankSessions({ places }, entries, 'commit').map(({ place }) => places.session[place])).toEqual([0, 1]);
});

it('finds no session without entries', () => {
  expect(rankSessions({ places: placesOf([0]) }, [], 'question')).toEqual([]);
});

it('counts a term by its rarity and once, and only where it may be found', () => {
  const places = placesOf([0, 0, 1, 1], [0, 0, 2, 3]);
  // The first term is in one entry, twice; the second in three; no entry has the third; row 9 is unknown.
  const rows = [[1, 1, 9], [2, 3, 4], []];
  const coverage = coverageOf({ places }, rows);
  expect(coverage.entry(0)).toBeGreaterThan(coverage.entry(1));
  expect(coverage.turn(0)).toBeCloseTo(1);
  expect(coverage.session(0)).toBeCloseTo(1);
  expect(coverage.entry(2)).toBeCloseTo(coverage.session(1));
  expect(coverage.entry(3)).toBeGreaterThan(0);
  const scoped = coverageOf({ places, scope: Uint8Array.of(0, 1, 1, 1) }, rows);
  expect([scoped.entry(0), scoped.session(0)]).toEqual([0, 1]);
  expect(coverageOf({ places }, []).entry(0)).toBe(0);
});

it('takes no more terms than it has bits for', () => {
  const places = placesOf([0]);
  const coverage = coverageOf({ places }, new Array(100).fill([1]));
  expect(coverage.entry(0)).toBeCloseTo(places.size > 0 && coverage.session(0) > 0 ? 1 : 0);
});
