import { describe, expect, it } from 'vitest';
import { flag, type Places } from '../vectors/places.ts';
import { grouped, type RankInput, rankAlone, rankEntries } from './rank.ts';
import { rankInTurns } from './rank-turns.ts';

const now = Date.UTC(2026, 5, 1);
const day = 86_400_000;

interface Said {
  readonly session?: number;
  readonly length?: number;
  readonly asks?: boolean;
  readonly by?: 'user' | 'assistant';
  readonly daysAgo?: number;
  readonly silent?: boolean;
}

/** Entries one after the other. Those of a session are neighbours. */
function placesOf(entries: readonly Said[]): Places {
  const session = entries.map((one) => one.session ?? 0);
  const beside = (i: number, step: number) => (session[i + step] === session[i] ? i + step : -1);
  return {
    size: entries.length,
    rowid: Int32Array.from(entries, (_, i) => i + 1),
    session: Int32Array.from(session),
    previous: Int32Array.from(entries, (_, i) => beside(i, -1)),
    next: Int32Array.from(entries, (_, i) => beside(i, 1)),
    turn: Int32Array.from(entries, (_, i) => i),
    hasTools: false,
    at: Float64Array.from(entries, ({ daysAgo = 10 }) => now - daysAgo * day),
    role: Uint8Array.from(entries, ({ by = 'user' }) => (by === 'user' ? 0 : 1)),
    flags: Uint8Array.from(entries, ({ asks, silent }) => (asks ? flag.asks : 0) | (silent ? flag.noVector : 0)),
    length: Uint32Array.from(entries, ({ length = 100 }) => length),
    placeOf: (row) => row - 1,
    sessionCount: Math.max(...session) + 1,
    sessionRow: (one) => one,
    sessionOf: (one) => one,
  };
}

const order = (entries: readonly Said[], input: Partial<RankInput>, limit = 10): number[] =>
  rankEntries({ places: placesOf(entries), words: [], ...input }, limit).map(({ place }) => place);

const apart = (count: number, more: (i: number) => Said = () => ({})): Said[] =>
  Array.from({ length: count }, (_, i) => ({ session: i, ...more(i) }));

describe('entries are ranked', () => {
  it('by words if nothing can be compared by meaning', () => {
    const words = [
      { place: 2, score: 3 },
      { place: 0, score: 5 },
    ];
    expect(order(apart(4), { words })).toEqual([0, 2]);
  });

  it('by meaning if no word is the same', () => {
    expect(order(apart(4), { cosines: Float32Array.of(0.1, 0.5, 0.05, 0.4) })).toEqual([1, 3]);
  });

  it('not at all if no word is the same and no text is near, though some turn is the nearest', () => {
    const places = { ...placesOf(apart(3)), hasTools: true };
    const found = (...cosines: number[]) =>
      rankInTurns({ places, words: [], cosines: Float32Array.from(cosines) }, 10).map(({ place }) => place);
    expect(found(0.2, 0.1, 0.05)).toEqual([]);
    expect(found(0.3, 0.1, 0.05)).toEqual([0]);
  });

  it('by both, if each alone would choose another', () => {
    const words = [
      { place: 0, score: 5 },
      { place: 1, score: 4 },
    ];
    expect(order(apart(3), { words, cosines: Float32Array.of(0.1, 0.4, 0.45) })).toEqual([1, 0, 2]);
  });

  it('as nothing if all are far from it', () => {
    expect(order(apart(3), { cosines: Float32Array.of(0.1, 0.2, 0.21) })).toEqual([]);
  });

  it('with an answer right behind the matching question, whatever it says', () => {
    const words = [{ place: 1, score: 5 }];
    expect(order([{}, { asks: true }, {}, {}], { words })).toEqual([1, 2]);
    expect(order([{}, {}, {}, {}], { words })).toEqual([1]);
    const [, answer] = rankEntries({ places: placesOf([{ asks: true }, {}]), words: [{ place: 0, score: 1 }] }, 5);
    expect(answer).toMatchObject({ place: 1, words: 0, answers: true });
  });

  it('with an entry between two matches', () => {
    const words = [0, 2].map((place) => ({ place, score: 5 }));
    expect(order([{}, {}, {}, { session: 1 }], { words })).toEqual([0, 2, 1]);
  });

  it('by the best match before it and the best after it: the scores of six matches do not add up', () => {
    const nearOf = (matches: readonly number[]) => {
      const words = [3, ...matches].map((place) => ({ place, score: 5 }));
      const places = placesOf([{}, {}, {}, {}, {}, {}, {}]);
      return rankEntries({ places, words }, 9).find(({ place }) => place === 3)?.near;
    };
    expect(nearOf([0, 1, 2, 4, 5, 6])).toBe(nearOf([2, 4]));
    expect(nearOf([2, 4])).toBeGreaterThan(nearOf([2]) as number);
  });

  it('with a small boost for a match before, two before or after', () => {
    const entries = [{ session: 0 }, ...[1, 1, 1].map((session) => ({ session }))];
    const beside = (other: number, self: number) => [
      { place: 0, score: 4 },
      { place: self, score: 3.8 },
      { place: other, score: 3 },
    ];
    expect(order(entries, { words: beside(1, 2) })[0]).toBe(2);
    expect(order(entries, { words: beside(1, 3) })[0]).toBe(3);
    expect(order(entries, { words: beside(3, 2) })[0]).toBe(2);
  });

  it('past entries that only used tools', () => {
    const entries = [{ asks: true }, { silent: true }, { silent: true }, {}];
    const cosines = Float32Array.of(0.2, 0, 0, 0.1);
    expect(order(entries, { words: [{ place: 0, score: 5 }], cosines })).toEqual([0, 3]);
  });

  it('without credit for long texts beside a match, and for short ones beside a long text', () => {
    const words = [{ place: 0, score: 5 }];
    expect(order([{ asks: true }, { length: 5000 }], { words })).toEqual([0]);
    expect(order([{ asks: true, length: 5000 }, {}], { words })).toEqual([0]);
  });

  it('better in a session that is about it', () => {
    const entries = [{ session: 0 }, { session: 1 }, { session: 1 }, { session: 1 }].map((one) => ({
      ...one,
      length: 9000,
    }));
    const words = [4, 4, 3.5, 3].map((score, place) => ({ place, score }));
    expect(order(entries, { words })[0]).toBe(1);
  });

  it('the same by every model, however near to each other it puts any two texts', () => {
    const entries = apart(60);
    const words = [
      { place: 0, score: 5 },
      { place: 1, score: 4 },
    ];
    const cosines = (level: number) =>
      Float32Array.from(entries, (_, i) => level + (1 - level) * ([0, 0.3, 0.5, 0.1][i] ?? 0));
    const [low, high] = [0.05, 0.75].map((level) => order(entries, { words, cosines: cosines(level) }, 5));
    expect(low).toEqual([1, 0, 2]);
    expect(high).toEqual(low);
  });

  it('only in scope', () => {
    const words = [0, 1].map((place) => ({ place, score: 5 }));
    const cosines = Float32Array.of(0.5, 0.5, 0.5, 0.5);
    expect(order(apart(4), { words, cosines, scope: Uint8Array.of(0, 1, 0, 1) })).toEqual([1, 3]);
  });

  it('only with the words, if a phrase was asked for', () => {
    const cosines = Float32Array.of(0.9, 0.2, 0.9);
    expect(order([{}, { asks: true }, {}], { words: [{ place: 1, score: 1 }], cosines, wordsOnly: true })).toEqual([1]);
  });

  it('including entries that have the words but no vector yet', () => {
    const entries = apart(3, (i) => ({ silent: i === 2 }));
    expect(order(entries, { words: [{ place: 2, score: 5 }], cosines: Float32Array.of(0.5, 0.1, 0) })).toEqual([2, 0]);
  });

  it('in the same order every time, newest first among equals', () => {
    const entries = apart(5, (i) => ({ daysAgo: i === 3 ? 1 : 50 }));
    const words = entries.map((_, place) => ({ place, score: 1 }));
    expect(order(entries, { words })).toEqual([3, 0, 1, 2, 4]);
    expect(order(entries, { words: words.toReversed() })).toEqual([3, 0, 1, 2, 4]);
  });
});

describe('a boost', () => {
  const words = [
    { place: 0, score: 5 },
    { place: 1, score: 4.5 },
  ];

  it('higher if they fall into a requested time, which hides nothing', () => {
    const entries = [{ session: 0, daysAgo: 400 }, { session: 1 }];
    const last = { from: now - 20 * day, until: now };
    expect(order(entries, { words, times: [last] })).toEqual([1, 0]);
    const [first] = rankEntries({ places: placesOf(entries), words, times: [last] }, 1);
    expect(first?.time).toBe(0);
  });

  it('higher if the requested speaker said them', () => {
    const entries: Said[] = [
      { session: 0, by: 'assistant' },
      { session: 1, by: 'user' },
    ];
    expect(order(entries, { words })).toEqual([0, 1]);
    expect(order(entries, { words, speaker: 'user' })).toEqual([1, 0]);
    expect(order(entries, { words, speaker: 'assistant' })).toEqual([0, 1]);
  });

  it('with a recency boost that cannot bury an older, better hit', () => {
    const entries = [
      { session: 0, daysAgo: 4000 },
      { session: 1, daysAgo: 0 },
    ];
    const better = [
      { place: 0, score: 5 },
      { place: 1, score: 4.8 },
    ];
    expect(order(entries, { words: better })).toEqual([0, 1]);
  });
});

it('a thousand matches leave room for the best alone', () => {
  const entries = apart(3000);
  const words = entries.map((_, place) => ({ place, score: 1 + place / 3000 }));
  expect(order(entries, { words }, 3)).toEqual([2999, 2998, 2997]);
});

it('a session ranks where its best entry ranks', () => {
  const entries = [{ session: 0 }, { session: 0 }, { session: 1 }, { session: 2 }];
  const places = placesOf(entries);
  const words = [1, 5, 3].map((score, place) => ({ place, score }));
  const ranked = rankAlone({ places, words, cosines: Float32Array.of(0.1, 0.1, 0.1, 0.6) });
  const best = grouped(ranked, (place) => places.session[place]);
  expect([...best.keys()]).toEqual([2, 0, 1]);
  expect(best.get(0)?.place).toBe(1);
});
