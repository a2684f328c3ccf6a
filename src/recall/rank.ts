// ④ Keyword scores, cosines and where entries stand → what is found, best first, with what each owes its place to. Numbers in, numbers out.
import { flag, type Places } from './vectors/places.ts';

/** What it takes to rank something by itself. */
export type Standing = Pick<Places, 'size' | 'rowid' | 'session' | 'at' | 'role' | 'flags'>;

export interface RankInput<P extends Standing = Places> {
  readonly places: P;
  /** 1 at places that may be found. Absent: all may. */
  readonly scope?: Uint8Array | undefined;
  /** Places that hold words of the query, with their BM25. */
  readonly words: readonly { readonly place: number; readonly score: number }[];
  /** Of the query with every place. Absent where nothing can be compared by meaning. */
  readonly cosines?: Float32Array | undefined;
  /** Nothing but places in `words` may be found: a phrase was asked for. */
  readonly wordsOnly?: boolean | undefined;
  /** Whose words the question is about. */
  readonly speaker?: 'user' | 'assistant' | undefined;
  readonly times?: readonly { readonly from: number; readonly until: number }[] | undefined;
  /** False where age says nothing, or is weighed by others. */
  readonly recency?: boolean | undefined;
}

export interface Ranked {
  readonly place: number;
  readonly score: number;
  /** Each from 0 to 1, of the best that the query has: by words, by meaning. */
  readonly words: number;
  readonly meaning: number;
  /** The part of the score that comes from entries before and after it. */
  readonly near: number;
  /** The entry before it asks, and matches. */
  readonly answers: boolean;
  /** From 0 to 1: how much of what matches stands in its session. */
  readonly session: number;
  /** Which of the times it falls into; -1 for none. */
  readonly time: number;
}

/** Words say more where they agree; a session is as much about what was meant. */
export const meaningOfEntry = 0.4;
const meaningOfSession = 0.6;
/** Cosines below this are those of any two texts. */
const leastCosine = 0.15;
/** Without words of the query, in it or beside it, an entry must be this close. */
const findableCosine = 0.22;
/** Nor is standing beside a match enough, unless it answers that, or stands beside several. */
const leastBeside = 0.3;
/** Entries with less by themselves are not looked at; of many, the best are. */
const leastOwn = 0.1;
const mostMatches = 1000;
/** From this score on they lend some of it to their neighbours. */
const leastLent = 0.25;
/** What an answer gets of the question before it; what the next gets, and the second and third. */
const toAnswer = 0.8;
const toNext = 0.2;
const toNear = 0.1;
const reach = 3;
/** About 60 words: a longer entry speaks for itself, and what it says is not what its neighbours say. */
const shortText = 330;
const shareOfSession = 0.3;
const speakerBoost = 0.5;
const timeBoost = 0.3;
/** Enough to decide between equals; it halves every 90 days. */
const recencyBoost = 0.02;
const recencyHalfLife = 90 * 86_400_000;

/** All that is known of a query and the places, before anything is put in order. */
interface Weighed {
  readonly words: ReadonlyMap<number, number>;
  readonly meaning: Float32Array | undefined;
  readonly own: Float32Array;
  /** The places that match by themselves, in no order. */
  readonly matches: readonly number[];
  readonly sessions: ReadonlyMap<number, number>;
  boost(place: number): number;
  /** Close enough to be found, without a word of the query. */
  isClose(place: number): boolean;
}

/** Entries, best first: each by its own words and meaning, by what stands beside it, and by its session. */
export function rankEntries(input: RankInput, limit: number): Ranked[] {
  const weighed = weigh(input);
  const { words, own, matches, sessions } = weighed;
  const lent = lend(input, weighed);
  const strongest = matches.reduce((most, place) => Math.max(most, own[place] as number), 0);
  const findable = [...new Set([...words.keys(), ...matches, ...lent.touched])].filter((place) => {
    if (words.has(place) || input.wordsOnly) return words.has(place);
    const score = (own[place] as number) + (lent.got[place] as number);
    return weighed.isClose(place) || (lent.byWords[place] === 1 && score >= leastBeside * strongest);
  });
  const scores = Float64Array.from(
    findable,
    (place) => ((own[place] as number) + (lent.got[place] as number)) * weighed.boost(place),
  );
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  for (const [i, place] of findable.entries())
    scores[i] =
      (scores[i] as number) + shareOfSession * best * (sessions.get(input.places.session[place] as number) ?? 0);
  const least = scores.toSorted().at(-limit) ?? 0;
  const ranked = findable.flatMap((place, i) => {
    const score = scores[i] as number;
    return score < least
      ? []
      : [
          {
            ...parts(input, weighed, place),
            score,
            near: lent.got[place] as number,
            answers: lent.answers[place] === 1,
          },
        ];
  });
  return inOrder(ranked, input.places).slice(0, limit);
}

/** Whatever matches by itself, best first, for whole sessions and conversations: neighbours are part of these anyway. */
export function rankAlone(input: RankInput<Standing>, ofMeaning = meaningOfSession): Ranked[] {
  const weighed = weigh(input);
  const { words, meaning, matches, boost } = weighed;
  const share = meaning === undefined ? 0 : ofMeaning;
  const findable = [...new Set([...words.keys(), ...matches])].filter(
    (place) => words.has(place) || weighed.isClose(place),
  );
  const ranked = findable.map((place) => ({
    ...parts(input, weighed, place),
    score: ((1 - share) * (words.get(place) ?? 0) + share * (meaning?.[place] ?? 0)) * boost(place),
    near: 0,
    answers: false,
  }));
  return inOrder(ranked, input.places);
}

function weigh(input: RankInput<Standing>): Weighed {
  const { places, cosines, wordsOnly = false } = input;
  const words = wordScores(input);
  const meaning = meaningScores(input);
  const [byWords, byMeaning] = meaning === undefined ? [1, 0] : [1 - meaningOfEntry, meaningOfEntry];
  const own = new Float32Array(places.size);
  if (meaning !== undefined && !wordsOnly)
    for (let place = 0; place < own.length; place++) own[place] = byMeaning * (meaning[place] as number);
  for (const [place, score] of words) own[place] = byWords * score + byMeaning * (meaning?.[place] ?? 0);
  return {
    words,
    meaning,
    own,
    matches: bestOf(own),
    sessions: sessionShares(input, words),
    boost: boostsOf(input),
    isClose: (place) => !wordsOnly && (cosines?.[place] ?? 0) >= findableCosine,
  };
}

const parts = (
  input: RankInput<Standing>,
  { words, meaning, sessions }: Weighed,
  place: number,
): Pick<Ranked, 'place' | 'words' | 'meaning' | 'session' | 'time'> => ({
  place,
  words: words.get(place) ?? 0,
  meaning: meaning?.[place] ?? 0,
  session: sessions.get(input.places.session[place] as number) ?? 0,
  time: timeOf(input, input.places.at[place] as number),
});

/** The best of each group, best first. `keyOf` undefined: it belongs to none. */
export function grouped<Key>(ranked: readonly Ranked[], keyOf: (place: number) => Key | undefined): Map<Key, Ranked> {
  const groups = new Map<Key, Ranked>();
  for (const one of ranked) {
    const key = keyOf(one.place);
    if (key !== undefined && !groups.has(key)) groups.set(key, one);
  }
  return groups;
}

const inOrder = (ranked: readonly Ranked[], { at, rowid }: Standing): Ranked[] =>
  ranked.toSorted(
    (a, b) =>
      b.score - a.score ||
      (at[b.place] as number) - (at[a.place] as number) ||
      (rowid[a.place] as number) - (rowid[b.place] as number),
  );

/** BM25 as a share of the best. */
function wordScores({ words, scope }: RankInput<Standing>): Map<number, number> {
  const found = words.filter(({ place }) => scope === undefined || scope[place] === 1);
  const best = found.reduce((most, { score }) => Math.max(most, score), 0);
  return new Map(found.map(({ place, score }) => [place, best > 0 ? score / best : 0]));
}

/** How far each cosine lies above the mean, as a share of the largest. */
function meaningScores({ places, scope, cosines }: RankInput<Standing>): Float32Array | undefined {
  if (cosines === undefined) return undefined;
  const { flags, size } = places;
  let [sum, count, most] = [0, 0, 0];
  const counts = (place: number) =>
    (scope === undefined || scope[place] === 1) && ((flags[place] as number) & (flag.gone | flag.noVector)) === 0;
  for (let place = 0; place < size; place++) {
    if (!counts(place)) continue;
    const cosine = cosines[place] as number;
    sum += cosine;
    count++;
    if (cosine > most) most = cosine;
  }
  const lowest = count === 0 ? leastCosine : Math.min(leastCosine, sum / count);
  // Where nothing is near, the nearest is not near either.
  const span = Math.max(most - lowest, 0.2);
  const scores = new Float32Array(size);
  for (let place = 0; place < size; place++) {
    const cosine = cosines[place] as number;
    if (cosine >= leastCosine && counts(place)) scores[place] = (cosine - lowest) / span;
  }
  return scores;
}

function bestOf(own: Float32Array): number[] {
  // Counted in steps of a thousandth: sorting all that are close to some degree would take longer than all the rest.
  const counts = new Uint32Array(1001);
  const stepOf = (score: number) => Math.min(1000, Math.floor(score * 1000));
  for (let place = 0; place < own.length; place++) {
    const score = own[place] as number;
    if (score >= leastOwn) counts[stepOf(score)] = (counts[stepOf(score)] as number) + 1;
  }
  let least = 1000;
  for (let sum = counts[least] as number; least > 0 && sum + (counts[least - 1] as number) <= mostMatches; )
    sum += counts[--least] as number;
  const found: number[] = [];
  for (let place = 0; place < own.length; place++) {
    const score = own[place] as number;
    if (score >= leastOwn && stepOf(score) >= least) found.push(place);
  }
  return found;
}

interface Lent {
  /** What each place got from its neighbours. */
  readonly got: Float32Array;
  readonly answers: Uint8Array;
  /** 1 where some of it came from an entry that holds words of the query. */
  readonly byWords: Uint8Array;
  readonly touched: readonly number[];
}

/** A match counts for what stands beside it: most for the answer to a question. */
function lend(input: RankInput, { words, own, matches }: Weighed): Lent {
  const { places, scope, cosines } = input;
  const { previous, next, flags, length } = places;
  const got = new Float32Array(places.size);
  const answers = new Uint8Array(places.size);
  const byWords = new Uint8Array(places.size);
  const touched = new Set<number>();
  const shortness = (place: number) => Math.min(1, shortText / Math.max(1, length[place] as number));
  /** Where all others have vectors, an entry without one says nothing: it used tools. */
  const isSilent = (place: number) => cosines !== undefined && ((flags[place] as number) & flag.noVector) !== 0;
  const step = (from: number, direction: Int32Array): number => {
    let place = direction[from] as number;
    for (let i = 0; i < 20 && place >= 0 && isSilent(place); i++) place = direction[place] as number;
    return place;
  };
  for (const lender of matches) {
    if ((own[lender] as number) < leastLent) continue;
    const given = (own[lender] as number) * shortness(lender);
    const asks = ((flags[lender] as number) & flag.asks) !== 0;
    for (const direction of [next, previous]) {
      let place = lender;
      for (let distance = 1; distance <= reach; distance++) {
        place = step(place, direction);
        if (place < 0) break;
        if (scope !== undefined && scope[place] !== 1) continue;
        const isAnswer = asks && direction === next && distance === 1;
        const share = isAnswer ? toAnswer : distance === 1 ? toNext : toNear;
        got[place] = (got[place] as number) + share * given * shortness(place);
        if (isAnswer) answers[place] = 1;
        if (words.has(lender)) byWords[place] = 1;
        touched.add(place);
      }
    }
  }
  return { got, answers, byWords, touched: [...touched] };
}

/** The three best matches of each session, by words, as a share of the session that has most. */
function sessionShares({ places }: RankInput<Standing>, words: ReadonlyMap<number, number>): Map<number, number> {
  const bySession = new Map<number, number[]>();
  for (const [place, score] of words) {
    const session = places.session[place] as number;
    const scores = bySession.get(session);
    if (scores === undefined) bySession.set(session, [score]);
    else scores.push(score);
  }
  const sums = [...bySession].map(([session, scores]): [number, number] => {
    scores.sort((a, b) => b - a);
    return [session, (scores[0] ?? 0) + (scores[1] ?? 0) / 2 + (scores[2] ?? 0) / 3];
  });
  const most = sums.reduce((best, [, sum]) => Math.max(best, sum), 0);
  return new Map(sums.map(([session, sum]) => [session, most > 0 ? sum / most : 0]));
}

/** What raises an entry a little, whatever it says; nothing lowers it. */
function boostsOf(input: RankInput<Standing>): (place: number) => number {
  const { speaker, recency = true } = input;
  const { at, role, size } = input.places;
  // Not the clock: the same store answers the same.
  let newest = 0;
  for (let place = 0; place < size; place++) if ((at[place] as number) > newest) newest = at[place] as number;
  const wanted = speaker === undefined ? -1 : speaker === 'user' ? 0 : 1;
  return (place) => {
    const then = timeOf(input, at[place] as number) >= 0 ? 1 + timeBoost : 1;
    const said = role[place] === wanted ? 1 + speakerBoost : 1;
    const late = recency ? 1 + recencyBoost * 2 ** (((at[place] as number) - newest) / recencyHalfLife) : 1;
    return said * then * late;
  };
}

const timeOf = ({ times = [] }: RankInput<Standing>, at: number): number =>
  times.findIndex(({ from, until }) => at >= from && at < until);
