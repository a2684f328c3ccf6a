// What the turns of a conversation found out that still holds at its end.

import { modifies } from '../../language/files-touched.ts';
import { cut } from '../../language/gist.ts';
import type { Extraction } from '../../schema/extraction.ts';
import type { Turn } from '../material.ts';
import { namesIn } from './claim.ts';
import { deedsOf } from './deeds.ts';
import { claimsIn, curesIn, lessonsIn } from './found.ts';
import { asTitle } from './heading.ts';
import { outlastsMend, tellsFault, tellsOfOthers } from './mended.ts';
import { certain, isTelling, sharesNames } from './notable.ts';
import type { Reading } from './observe.ts';
import type { Insight } from './reasons.ts';
import { isRefuted } from './refuted.ts';
import { ended } from './say.ts';
import { planInsights } from './written.ts';

const most = 5;

/** `causes` come from commits. */
export function insightsOf(
  turns: readonly Turn[],
  readings: readonly Reading[],
  causes: readonly Insight[],
): Extraction['insights'] {
  const lastChange = readings.findLastIndex(({ deeds }) => deeds.modified.length > 0);
  const changedAt = readings[lastChange]?.turn.endedAt ?? '';
  const holds = (claim: Insight) => !(claim.at <= changedAt && tellsFault(claim.text)) && !isOvertaken(claim, turns);
  const found = readings.flatMap(({ turn, findings, title, clear }, i) =>
    (isRefuted(turns, turn) ? [] : findings)
      .filter(({ text, weight }) => weight >= certain && isTelling(text) && (i > lastChange || outlastsMend(text)))
      .slice(0, 2)
      .map(({ text, at }) => ({ text: ended(text), at, about: clear && isWholeTitle(title) ? title : '' })),
  );
  // The surest come last. If two insights are about the same things, the later one stays.
  const all = [
    ...lessonsIn(turns, holds),
    ...claimsIn(turns, readings, holds),
    ...curesIn(turns),
    ...causes,
    ...planInsights(turns),
    ...found,
  ];
  const fresh = all.filter((one, i) => !all.slice(i + 1).some((later) => sharesNames(one.text, later.text)));
  return fresh.slice(-most).map(({ text, at, about }) => ({
    at,
    title: cut(asTitle(text), 110),
    text: about === '' ? text : `${text}\nFound while working on: ${ended(about)}`,
    saidBy: 'agent',
  }));
}

/** Neither a question, nor cut within brackets. */
const isWholeTitle = (title: string): boolean =>
  !/[?…]$|\b(?:i|we) wonder\b/i.test(title) && title.split('(').length === title.split(')').length;

/** Whether a later turn changed or decided something about the things that a claim names, unless others made them. The project is no such thing. */
function isOvertaken({ text, at }: Insight, turns: readonly Turn[]): boolean {
  if (tellsOfOthers(text)) return false;
  const project = turns[0]?.project ?? '';
  const names = namesIn(text).filter((name) => name !== project);
  if (names.length === 0) return false;
  const least = Math.min(2, names.length);
  return turns.some((turn) => {
    if (turn.startedAt <= at) return false;
    const later = changesIn(turn);
    return names.filter((name) => later.includes(name)).length >= least;
  });
}

const known = new WeakMap<Turn, string>();

/** Edits, commits and choices of a turn, as one text. Cached per turn. */
function changesIn(turn: Turn): string {
  const made = known.get(turn) ?? textOf(turn);
  known.set(turn, made);
  return made;
}

function textOf(turn: Turn): string {
  const edits = turn.toolUses.filter(({ tool, outcome }) => modifies.test(tool) && outcome !== 'error');
  const commits = deedsOf(turn).commands.flatMap(({ message, body = '', outcome }) =>
    message !== undefined && outcome !== 'failed' ? [message, body] : [],
  );
  const chosen = turn.entries.filter(({ form }) => form === 'choice').map(({ text }) => text);
  return [...edits.map(({ input }) => input), ...commits, ...chosen].join('\n');
}
