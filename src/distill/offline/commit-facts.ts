// What commits and pull requests say about decisions and causes. The agent wrote these texts after the work, and the person let them pass.

import path from 'node:path';
import { cut, inOneLine, sentencesOf } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import { commitText, endingKey, withSource } from '../../schema/statement-form.ts';
import { isPast, namesIn } from './claim.ts';
import { isArrangement, redoes, whyIn } from './contracts.ts';
import type { Command } from './deeds.ts';
import { designChange, isDecided, isMinor, removedBy, withScope } from './design-changes.ts';
import { causeAfter } from './mended.ts';
import { type Insight, mends, reasonIn, settledIn } from './reasons.ts';
import { capital, ended } from './say.ts';
import { keyOf } from './wishes.ts';

const mostDecisions = 6;
const mostCauses = 3;
const mostSettled = 8;
const mostOfCommit = 3;

export interface CommitFacts {
  readonly statements: readonly KeyedStatement[];
  /** Why something failed that a commit mends, if it holds after the mend. */
  readonly causes: readonly Insight[];
}

const place = /^\s*[-*•]\s+`?((?:[\w.@-]+\/)+[\w.@-]*)`?\s*(?::|—|–|-)\s+(\S.{9,})$/;
const fewestPlaces = 4;

/** A description that lists at least four folders says what is where. */
function layoutIn(body: string): KeyedStatement[] {
  const places = body.split('\n').flatMap((line) => {
    const [, folder = '', said = ''] = place.exec(line) ?? [];
    const holds = said.replace(/\s*\([\d,]+ lines\)/g, '');
    const isFolder = folder !== '' && !/\.\w{1,5}$/.test(folder);
    return isFolder && /^\W*\p{L}+\W+\p{L}{2}/u.test(holds) && !/^v?\d/.test(holds) ? [`\`${folder}\` (${holds})`] : [];
  });
  if (new Set(places).size < fewestPlaces) return [];
  return [{ key: 'layout', text: ended(cut(inOneLine(`${places.slice(0, 10).join(', ')}`), 700)), saidBy: 'agent' }];
}

/** How many of the last commits a command takes back. A name or hash instead of `HEAD~2` may reach behind all of them. */
function takesBack(told: string): number {
  if (/^git revert\b/.test(told)) return 1;
  const ref = /^git reset (?:-\S+ )*(?!-)(\S+)(?: -\S+)*$/.exec(told)?.[1];
  if (ref === undefined || ref === 'HEAD') return 0;
  const [, many] = /^HEAD(?:~(\d*)|\^)$/.exec(ref) ?? [ref, undefined];
  if (/^HEAD[~^]/.test(ref)) return Number(many || 1);
  return /^git reset (?:-\S+ )*--(?:soft|hard)\b/.test(told) ? Number.POSITIVE_INFINITY : 0;
}

/** Whether a later commit removes something that the text names. */
const isTakenOut = (text: string, later: readonly Command[]): boolean =>
  later.some(
    ({ message = '' }) =>
      /\b(?:drop|remove|delete|revert|undo|retire)s?\b/i.test(message) &&
      namesIn(message).some((name) => text.includes(name)),
  );

interface Standing {
  /** The commits and pull requests of this project that succeeded and that no later command took back or amended. */
  readonly made: readonly Command[];
  /** Titles of commits that amended one of an earlier conversation. */
  readonly amended: readonly string[];
}

function standing(commands: readonly Command[], isGuest: boolean): Standing {
  const made: Command[] = [];
  const amended: string[] = [];
  for (const command of commands) {
    if (command.outcome !== 'ok') continue;
    if (command.elsewhere !== undefined && !isGuest) continue;
    const back = takesBack(command.told);
    if (back > 0) made.splice(Math.max(0, made.length - back));
    // An amended commit takes the place of the one before it, with all that it said.
    if (command.message !== undefined && /\s--amend\b/.test(command.told) && made.pop() === undefined)
      amended.push(command.message);
    if (command.body !== undefined || command.message !== undefined) made.push(command);
  }
  return { made, amended };
}

/** What an earlier conversation of the session kept of the commit ends with the amended one. */
const amendedBy = (title: string): KeyedStatement => ({
  key: cut(endingKey({ by: 'amendment', of: title }), 80),
  text: `The session amended the commit to “${cut(title, 100)}”.`,
  ...{ saidBy: 'agent', change: 'retire', ends: { by: 'amendment', of: cut(title, 300) } },
});

/** `isGuest`: the session changed files of other repositories only, so that their commits are its work. */
export function commitFacts(commands: readonly Command[], isGuest = false): CommitFacts {
  const { made, amended } = standing(commands, isGuest);
  const decided = new Map<string, KeyedStatement>();
  const settled = new Map<string, KeyedStatement>();
  const causes = new Map<string, Insight>();
  const inOrder: KeyedStatement[] = [];
  for (const [i, command] of made.entries()) {
    const title = titleOf(command);
    const key = keyOf(title);
    const later = made.slice(i + 1);
    if (later.some((one) => one.opened === undefined && redoes(titleOf(one), title))) continue;
    // The pull request of a single commit repeats its title.
    const told = decided.has(key) || causes.has(key) ? {} : toldBy(command, later);
    if (told.cause !== undefined) causes.set(key, { text: told.cause, at: command.at, about: '' });
    if (told.change !== undefined)
      decided.set(key, { key: cut(`change: ${key}`, 80), text: told.change, form: 'commit', saidBy: 'agent' });
    const more = settledBy(command, later, decided.get(key)?.text ?? '').filter((one) => !settled.has(one.key));
    for (const one of more) settled.set(one.key, one);
    const change = told.change === undefined ? undefined : decided.get(key);
    inOrder.push(...(change === undefined ? [] : [change]), ...more);
  }
  const kept = new Set([...[...decided.values()].slice(-mostDecisions), ...[...settled.values()].slice(-mostSettled)]);
  const layouts = made.flatMap(({ body = '' }) => layoutIn(body)).slice(-1);
  // Also by commits of other repositories: an earlier conversation of the session may have worked only there.
  const removed = [...made, ...commands.filter(({ elsewhere, outcome }) => elsewhere !== undefined && outcome === 'ok')]
    .flatMap(({ message = '' }) => removedBy(message))
    .filter(({ key }, i, all) => all.findIndex((one) => one.key === key) === i);
  return {
    // A later commit may end what an earlier one said.
    statements: [...removed, ...amended.map(amendedBy), ...inOrder.filter((one) => kept.has(one)), ...layouts],
    causes: [...causes.values()].slice(-mostCauses),
  };
}

const titleOf = ({ message, opened }: Command): string => message ?? opened?.title ?? '';

/** The decision of a commit with its reason, or the cause of what it mends, if it holds after the mend. */
function toldBy(command: Command, later: readonly Command[]): { readonly change?: string; readonly cause?: string } {
  const title = titleOf(command);
  if (!isDecided(title)) return {};
  const reason = reasonIn(command.body ?? '');
  if (isTakenOut(`${title} ${reason ?? ''}`, later)) return {};
  if (mends(title)) {
    const cause = reason === undefined ? undefined : causeAfter(title, reason);
    const place = command.elsewhere === undefined ? '' : `In \`${path.posix.basename(command.elsewhere)}\`: `;
    return cause === undefined ? {} : { cause: `${place}${cause}` };
  }
  const design = designChange(title);
  const why = reason ?? (design === undefined ? undefined : whyIn(sentencesOf(command.body ?? ''), title));
  // How it was before no longer holds.
  if (design === undefined && reason !== undefined && isPast(reason)) return {};
  const change = reason === undefined ? design : withScope(title);
  const place = command.elsewhere === undefined ? '' : ` in \`${path.posix.basename(command.elsewhere)}\``;
  return change === undefined
    ? {}
    : { change: commitText(`${ended(`${change}${place}`)}${why === undefined ? '' : ` ${why}`}`) };
}

/** `sync --prune` is typed in small letters. */
const isCommand = /^[a-z][\w-]* (?:--?[a-z]|`)/;

/** What else a commit says that holds from then on, with its title, since the sentence stood below it. */
function settledBy(command: Command, later: readonly Command[], told: string): KeyedStatement[] {
  const title = titleOf(command);
  if (title === '' || isMinor(title)) return [];
  const withContracts = !isArrangement(title) && command.elsewhere === undefined;
  const source = command.message === undefined ? 'pull request' : 'commit';
  const place = command.elsewhere === undefined ? '' : `${path.posix.basename(command.elsewhere)}: `;
  return settledIn(command.body ?? '', told, withContracts)
    .filter((said) => !isTakenOut(said, later))
    .slice(0, mostOfCommit)
    .map((said) => ({
      key: cut(`commit: ${keyOf(said)}`, 80),
      text: withSource(isCommand.test(said) ? said : capital(said), source, cut(`${place}${title}`, 100)),
      saidBy: 'agent',
    }));
}
