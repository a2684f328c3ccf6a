// Times that chrono reads in a text → days. Leaves out what chrono takes for a time and people do not mean as one.
import type { ParsedResult } from 'chrono-node';
import { offset, oneDay } from '../../schema/day.ts';

/** A part of the query, and the days it means. Days are civil: midnight by the person's clock, as if the zone were UTC. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly until: number;
}

/** Loaded only when a query has such a word. French `hier` is also a German word, so it needs another French one. */
const locales = {
  en: /\b(?:yesterday|today|tonight|ago|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:last|this|past|previous)\s+(?:\w+\s+)?(?:night|morning|afternoon|evening|days?|weeks?|months?|years?|hours?|mon|tue|wed|thu|fri|sat|sun))\b|\b(?:19|20)\d\d-\d\d-\d\d\b|\d(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.?\s+\d/i,
  de: /\b(?:vor)?gestern\b|\bheute\b|\b(?:letzte|vorige|vergangene|diese)[nrms]?\s|\bvor\s+\S+\s+(?:tag|woche|monat|jahr)|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)\b|\d\.\s*(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)/i,
  fr: /\b(?:semaine|année|mois)\s+(?:dernière?|passée?)|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b|\bil y a\s+\S+\s+(?:jour|semaine|mois|an)|\d\s+(?:jan|fév|mars|avr|mai|juin|juil|août|sept|oct|nov|déc)|\b(?:nous|avons|avez|était|pourquoi|qu['’]\S+|ai|fait)\b.*\bhier\b|\bhier\b.*\b(?:nous|avons|avez|était|pourquoi|fait)\b/i,
  ru: /вчера|сегодня|прошл|назад|(?:понедельник|вторник|сред[уа]|четверг|пятниц|суббот|воскресень)|(?:\d|^в|\sв)\s+(?:янв|фев|мар|апр|ма[яйе]|июн|июл|авг|сен|окт|ноя|дек)/i,
  ja: /昨日|今日|\d月\d+日/,
  zh: /昨天|前天|今天|上周[一二三四五六日天]/,
} as const;

export const mayHoldTime = (text: string): boolean => Object.values(locales).some((gate) => gate.test(text));

/** Never in the future. */
export async function timesRead(text: string, at: { now: number; timeZone: string }, today: number): Promise<Span[]> {
  const found: Span[] = [];
  for (const [locale, gate] of Object.entries(locales)) {
    if (!gate.test(text)) continue;
    const { casual } = await load(locale as keyof typeof locales);
    const reference = { instant: new Date(at.now), timezone: offset(at.now, at.timeZone) / 60_000 };
    for (const result of casual.parse(text, reference)) {
      const span = isMeant(text, result) ? toSpan(text, result, today) : undefined;
      if (span !== undefined && span.from <= today) found.push(span);
    }
  }
  return found;
}

type Casual = { casual: { parse(text: string, reference: { instant: Date; timezone: number }): ParsedResult[] } };

/** Each language is a separate file: together they would take a third of a second to load. */
async function load(locale: keyof typeof locales): Promise<Casual> {
  if (locale === 'de') return import('chrono-node/de');
  if (locale === 'fr') return import('chrono-node/fr');
  if (locale === 'ru') return import('chrono-node/ru');
  if (locale === 'ja') return import('chrono-node/ja');
  if (locale === 'zh') return import('chrono-node/zh');
  return import('chrono-node/en');
}

const abbreviated = /^(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|mo|di|mi|do|fr|sa|so|пн|вт|ср|чт|пт|сб|вс)\.?$/i;
const ofTheDay = /morning|afternoon|evening|night|noon|morgen|abend|nachmittag|matin|soir|утр|вечер/i;

const thisOne = /^(?:this|diese[nrms]?|cette|ce)\s+(week|month|year|woche|monat|jahr|semaine|mois|année)$/i;

/** Whether chrono's result is a time that a person meant. */
function isMeant(query: string, result: ParsedResult): boolean {
  const { text, index, start } = result;
  const [before, after] = [query[index - 1] ?? ' ', query.slice(index + text.length)];
  if (/[\p{L}\p{N}_./:@#\\-]/u.test(before) && !/[\p{Script=Han}\p{Script=Hiragana}]/u.test(before)) return false;
  if (/^(?:[\p{L}\p{N}_/:@\\-]|\.[\p{L}\p{N}])/u.test(after) && !/^[\p{Script=Han}\p{Script=Hiragana}]/u.test(after))
    return false;
  if (text.startsWith('昨日') && before === '一') return false;
  const names = result.tags();
  if (names.has('casualReference/now') || names.has('parser/SlashDateFormatParser')) return false;
  if (abbreviated.test(text.trim()) || /(?:after|before|later|from now)$/i.test(text)) return false;
  const timed = start.isCertain('hour') && !names.has('result/relativeDate');
  const dated = (['day', 'weekday', 'month', 'year'] as const).some((part) => start.isCertain(part));
  return !timed && (dated || ofTheDay.test(text) || thisOne.test(text));
}

function toSpan(query: string, result: ParsedResult, today: number): Span | undefined {
  const { text, index, start, end } = result;
  const place = { start: index, end: index + text.length };
  const current = thisOne.exec(text)?.[1] ?? '';
  const day = current === '' ? civilOf(start) : today;
  // Days counted back from now mean the range up to now.
  if (
    /^(?:the\s+)?(?:past\b|(?:last|previous|letzten|vergangenen|derniers?)\s+(?:\d+|\p{L}+)\s+\p{L}+)/iu.test(text) &&
    !/weekend/i.test(text)
  )
    return { ...place, from: day, until: today + oneDay };
  if (/weekend|wochenende/i.test(text)) {
    const saturday = day - ((new Date(day).getUTCDay() + 1) % 7) * oneDay;
    return { ...place, from: saturday, until: saturday + 2 * oneDay };
  }
  if (/week|woche|semaine|недел/i.test(text) && !start.isCertain('weekday')) {
    const monday = day - ((new Date(day).getUTCDay() + 6) % 7) * oneDay;
    return { ...place, from: monday, until: monday + 7 * oneDay };
  }
  if (start.isCertain('weekday') && !start.isCertain('day')) {
    const last = end === null || end === undefined ? day : civilOf(end);
    const back = day > today ? 7 * oneDay : 0;
    return { ...place, from: day - back, until: Math.max(day, last) - back + oneDay };
  }
  if (start.isCertain('day') || ofTheDay.test(text)) {
    const from = start.isCertain('year') || !start.isCertain('month') ? day : notAfter(day, today);
    const last = end === null || end === undefined ? from : civilOf(end) - (day - from);
    return { ...place, from, until: Math.max(from, last) + oneDay };
  }
  const date = new Date(day);
  if ((start.isCertain('month') && start.isCertain('year')) || /^mo/i.test(current)) {
    const from = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    return { ...place, from, until: nextMonth(from) };
  }
  if (start.isCertain('month')) return monthAlone(query, place, date, today);
  if (!start.isCertain('year') && current === '') return undefined;
  return { ...place, from: Date.UTC(date.getUTCFullYear(), 0), until: Date.UTC(date.getUTCFullYear() + 1, 0) };
}

/** Only in a language whose months monthsIn() does not know. */
function monthAlone(query: string, place: { start: number; end: number }, date: Date, today: number): Span | undefined {
  if (!/[\u0400-\u04ff]/.test(query.slice(place.start, place.end))) return undefined;
  const from = notAfter(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()), today);
  return { ...place, from, until: nextMonth(from) };
}

const civilOf = (date: ParsedResult['start']): number =>
  Date.UTC(date.get('year') ?? 1970, (date.get('month') ?? 1) - 1, date.get('day') ?? 1);

/** A day without a year is the last one that is not in the future. */
function notAfter(day: number, today: number): number {
  const date = new Date(day);
  const inYear = (value: number) => Date.UTC(value, date.getUTCMonth(), date.getUTCDate());
  const thisYear = inYear(new Date(today).getUTCFullYear());
  return thisYear <= today ? thisYear : inYear(new Date(today).getUTCFullYear() - 1);
}

export const nextMonth = (from: number): number =>
  Date.UTC(new Date(from).getUTCFullYear(), new Date(from).getUTCMonth() + 1);
