// ④ Times as people say them ("last Tuesday", "in May") → ranges of whole days, and the query without them. Conservative: a possible verb,
// version, port or line of a stack trace is not a time.
import { atCivil, offset, oneDay } from '../../schema/day.ts';
import { mayHoldTime, nextMonth, type Span, timesRead } from './times-read.ts';

export interface TimeRange {
  readonly from: number;
  /** The first moment after it. */
  readonly until: number;
  readonly said: string;
}

export interface TimeWords {
  readonly ranges: readonly TimeRange[];
  /** The query without its times. */
  readonly rest: string;
}

/** Dates in a longer text are pasted, not meant. */
const longestQuery = 500;
const mostRanges = 4;

const months =
  'jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch)?|märz|mars|apr(?:il)?|avril|may|mai|june?|juni|juin|july?|juli|juillet|' +
  'aug(?:ust)?|août|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?|décembre';
const monthStarts = 'jan fe|fé mar|mär ap|av mai|may jun|juin jul|juil au|ao sep o n d'.split(' ');
/** A month's name alone can be a verb or a person, so one of these must precede it. */
const leads =
  'in|during|since|until|till|before|after|by|of|from|between|early|mid|late|last|this|around|through|' +
  'im|seit|vor|nach|bis|ab|von|zwischen|anfang|mitte|ende|letzten|en|depuis|avant|après|entre|fin|début';
const joins = 'and|to|until|till|through|-|–|und|bis|et|à';
const year = '(?:19|20)\\d\\d';
const anyYear = new RegExp(year);

/** Contract: a pure function of its arguments. */
export async function timeWords(query: string, at: { now: number; timeZone: string }): Promise<TimeWords> {
  // Most queries end here, before anything is loaded.
  if (query.length > longestQuery || !(anyMonth.test(query) || anyYear.test(query) || mayHoldTime(query)))
    return { ranges: [], rest: query };
  const civilNow = at.now + offset(at.now, at.timeZone);
  const today = civilNow - (((civilNow % oneDay) + oneDay) % oneDay);
  const spans = [...monthsIn(query, today), ...yearsIn(query, today), ...datesIn(query)];
  const own = spans.reduce(cover, query);
  spans.push(...(await timesRead(own, at, today)));
  const all = merged(
    query,
    spans.toSorted((a, b) => a.start - b.start),
  ).slice(0, mostRanges);
  const opened = all.map((span) => widened(query, span, today));
  return {
    ranges: opened.map(({ start, end, from, until }) => ({
      from: from === 0 ? 0 : atCivil(from, at.timeZone),
      until: atCivil(until, at.timeZone),
      said: query.slice(start, end),
    })),
    rest: opened.length === 0 ? query : opened.reduce(cover, query).replace(/\s+/g, ' ').trim(),
  };
}

const cover = (text: string, { start, end }: { start: number; end: number }): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);

const range = `\\b(between|from|zwischen|von|entre)\\s+(${months})\\.?(?:\\s+(${year}))?\\s+(?:${joins})\\s+(${months})\\.?(?:\\s+(${year}))?`;
const one = `\\b(?:${leads})(?:\\s+the\\s+(?:end|beginning|middle)\\s+of)?\\s+(${months})\\.?(?:\\s*,?\\s+(${year}))?|(?<![\\p{L}\\p{N}])(${months})\\.?,?\\s+(${year})`;
// `in May 5` is a day, `mar-42` a name.
const monthEnd = '(?![\\p{L}\\p{N}_:/@-]|\\.[\\p{L}\\p{N}]|\\s+\\d{1,2}(?:st|nd|rd|th)?(?![\\p{L}\\p{N}]))';
const anyMonth = new RegExp(`\\b(?:${months})`, 'i');
const monthRange = new RegExp(`(?:${range})${monthEnd}`, 'giu');
const oneMonth = new RegExp(`(?:${one})${monthEnd}`, 'giu');

/** Names of months without a day: the last such month that is not in the future. */
function monthsIn(query: string, today: number): Span[] {
  if (!anyMonth.test(query)) return [];
  const found: Span[] = [];
  for (const match of query.matchAll(monthRange)) {
    const last = monthOf(match[4] ?? '', match[5] ?? match[3], today);
    const first = monthOf(match[2] ?? '', match[3], last);
    found.push({ ...placeOf(match), from: first, until: nextMonth(last) });
  }
  const left = found.reduce(cover, query);
  for (const match of left.matchAll(oneMonth)) {
    // `5th of May` is a day, which chrono reads.
    if (/\d(?:st|nd|rd|th|\.)?\s+$/i.test(left.slice(0, match.index))) continue;
    if (/^this\s+ma/i.test(match[0]) || /^last\s+ma/.test(match[0])) continue;
    const from = monthOf(match[1] ?? match[3] ?? '', match[2] ?? match[4], today);
    if (from <= today) found.push({ ...placeOf(match), from, until: nextMonth(from) });
  }
  return found;
}

function monthOf(name: string, inYear: string | undefined, latest: number): number {
  const lower = name.toLowerCase();
  const month = monthStarts.findIndex((starts) => starts.split('|').some((start) => lower.startsWith(start)));
  const thisYear = new Date(latest).getUTCFullYear();
  if (inYear !== undefined) return Date.UTC(Number(inYear), month);
  return Date.UTC(thisYear, month) <= latest ? Date.UTC(thisYear, month) : Date.UTC(thisYear - 1, month);
}

const counted =
  'files?|lines?|tests?|rows?|bytes?|entries|items?|errors?|requests?|commits?|places?|cases?|times|ms|tokens?|users?';
const yearPattern = new RegExp(
  `\\b(?:${leads}|в)\\s+(?:the\\s+year\\s+|dem\\s+jahr\\s+)?(${year})(?![\\p{L}\\p{N}_:/@%-]|\\.\\d|\\s+(?:${counted})\\b)`,
  'giu',
);

/** `in 2023`, but not `in 2023 files`. */
function yearsIn(query: string, today: number): Span[] {
  return [...query.matchAll(yearPattern)]
    .map((match) => ({
      ...placeOf(match),
      from: Date.UTC(Number(match[1]), 0),
      until: Date.UTC(Number(match[1]) + 1, 0),
    }))
    .filter(({ from }) => from <= today);
}

const datePattern = new RegExp(`(?<![\\w.-])(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?(${year})(?![\\w-]|\\.\\d)`, 'g');

/** `5.10.2026`: with dots the day comes first everywhere. With slashes it does not, so they are left alone. */
function datesIn(query: string): Span[] {
  return [...query.matchAll(datePattern)].flatMap((match) => {
    const [day, month, inYear] = [Number(match[1]), Number(match[2]), Number(match[3])];
    const from = Date.UTC(inYear, month - 1, day);
    const exists = new Date(from).getUTCMonth() === month - 1 && new Date(from).getUTCDate() === day;
    return exists ? [{ ...placeOf(match), from, until: from + oneDay }] : [];
  });
}

const placeOf = (match: RegExpExecArray): { start: number; end: number } => ({
  start: match.index,
  end: match.index + match[0].length,
});

/** Two times joined by a word are one range: `between 3 March and 5 March`. Overlapping ones are left out. */
function merged(query: string, spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (last !== undefined && span.start < last.end) continue;
    const between = last === undefined ? '' : query.slice(last.end, span.start);
    const opens = last !== undefined && /\b(?:between|from|zwischen|von|entre)\s+$/i.test(query.slice(0, last.start));
    if (last !== undefined && opens && new RegExp(`^\\s*(?:${joins})\\s*$`, 'i').test(between)) {
      out[out.length - 1] = {
        ...last,
        end: span.end,
        from: Math.min(last.from, span.from),
        until: Math.max(last.until, span.until),
      };
    } else out.push(span);
  }
  return out;
}

/** The word before says whether everything since then is meant, or everything until then. It is removed with the time. */
function widened(query: string, span: Span, today: number): Span {
  const said = query.slice(span.start, span.end);
  const inside = /^(since|seit|depuis|after|nach|après|before|avant|until|till|bis)\s/i.exec(said)?.[1];
  const ahead =
    /(?:^|\s)(since|seit|depuis|с|after|nach|après|before|avant|until|till|bis|до|on|in|at|from|between|during|am|im|le|the|on the|от|в)\s+$/i.exec(
      query.slice(0, span.start),
    );
  const word = (inside ?? ahead?.[1] ?? '').toLowerCase();
  const start = ahead === null ? span.start : span.start - ahead[0].trimStart().length;
  const wide = { ...span, start };
  const tomorrow = today + oneDay;
  if (/^(?:since|seit|depuis|с)$/.test(word)) return { ...wide, until: tomorrow };
  if (/^(?:after|nach|après)$/.test(word)) return { ...wide, from: Math.min(span.until, today), until: tomorrow };
  if (/^(?:before|avant)$/.test(word)) return { ...wide, from: 0, until: span.from };
  if (/^(?:until|till|bis|до)$/.test(word)) return { ...wide, from: 0 };
  return wide;
}
