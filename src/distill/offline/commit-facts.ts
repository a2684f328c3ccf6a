// What commits and pull requests say about how things are, and why. The agent wrote these texts after the work, and the person let them pass.

import { cut, inOneLine, sentencesOf } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import type { Command } from './deeds.ts';
import { designChanges } from './design-changes.ts';
import { sharesNames } from './notable.ts';
import { asksFor, identifier } from './request.ts';
import { capital, ended } from './say.ts';
import { keyOf } from './wishes.ts';

const mostOfOne = 2;
const mostInAll = 8;

/** Sections of a description about the checking of a change, not about the program. */
const asideHeading =
  /\b(?:tests?|testing|test plan|verif\w+|validat\w+|checklist|how to review|screenshots?|follow-?ups?|out of scope|notes? for reviewers?|files?|problem|bug|before)\b/i;
const aside =
  /\b(?:tests?|tested|coverage|assert\w*|fixtures?|lint\w*|gofmt|typos?|review(?:er|ers|ed|s)?|nits?|refactor\w*|comments?|rationale|no (?:behaviou?r|functional) changes?|unchanged|unaffected|(?:this|the) (?:commit|pr|pull request|change|patch|fix|branch|series|bump)|co-authored|signed-off|assisted-by|generated with|closes|dependabot|that's|here|us|new|gains?|grows?|future|anecdote|(?:is|are) removed)\b|\bTest[A-Z]\w+|characters left out|https?:|→/i;
/** Tells how it was before the change. */
const past =
  /\b(?:was|were|had|did|didn't|used to|previously|previous|formerly|before|no longer|existed|fail(?:ed|s)|crash(?:ed|es)|abort(?:ed|s)|broke|left|sent|never (?:had|set|matched|got)|currently|now|still|bug|regress\w*|missed|claimed|got|hit|froze|split)\b/i;
/** A verb in the past tense after the subject: `auth.Method duplicated it`, but not `targets built on it`. */
const pastVerb =
  /^(?:\S+\s+){1,4}?(?<!\b(?:is|are|be|been|being|get|gets|the|a|an|as|of|with|by|on|when|not|and|or|every|any|all|no)\s)(?:\w{3,}ed|wrote|built|said|made|came|went|took|kept|ran|threw|gave|found)(?!\S)(?! (?:on|by|from|via|with|in|against|at|to|as|under|for)\b)/i;

const verbs =
  '(?:is|are|has|have|does|do|can|cannot|must|may|never|always|only|returns?|rejects?|refuses?|requires?|ignores?|strips?|falls?|caps?|limits?|defaults?|means?|overrides?|wins|accepts?|advertises?|reads?|writes?|keeps?|stays?|uses?|runs?|needs?|expects?|holds?|owns?|carries|comes?|lives?|sends?|treats?|respects?|drops?|drains?|clears?|follows?|wraps?|leaves?|mutates?|collects?|passes|pass|handles?|applies|imposes|interacts?|unconditionally|implies|excludes?|includes?|resolves?|consumes?)';
/**
 * Begins with what it is about: a determiner, a condition or a name. A verb at the beginning tells of the change itself, and a pronoun
 * refers to earlier text.
 */
const subject = new RegExp(
  String.raw`^(?:(?:the|an?|our|all|every|no|only|when|if|unless|without|for|because|since|while|after)\s+(?!(?:this|that|these|those|it|they|name)\b)|${'`'}|--[a-z]|[a-z]+[A-Z]|[A-Z][a-z]+[A-Z]|\w+[._]\w|[a-z]+ --[a-z]|(?:[A-Z][\w'’-]*|[a-z][\w]*-[\w-]+(?:['’]s)?)(?: (?!(?:the|an?|to|so|and|which|that|via)\b)[\w'’./(),=-]+){0,6}? ${verbs}\b)`,
);
const determined = /^(?:the|an?|our|all|every|no|only|when|if|unless|without|for|because|since|while|after)\b/i;
const refersBack =
  /^(?:\S+\s+)?(?:this|that|these|those|it|its|they|their|both|same|such|also|then|so|and|but|or|each|one|two|three|we|i|you|per|net|here|there|now|off|other(?!-)|another|adds|makes|fixes|removes|lets|lower|raise|export|expose)\b/i;
/** States how things are, what is not possible, or why. */
const states = new RegExp(
  String.raw`\b(?:because|since|so|unless|until|instead of|rather than|by design|n't|not|${verbs})\b`,
  'i',
);

/** Holds only for a while, or is the label of an item in a list, such as the name of a test. */
const passing =
  /\b(?:first cut|for now|existing|temporar\w+|legitimately|genuinely|orthogonal|as documented)\b|^[A-Z]\w+: /;

/** One of several things that only the sentence before explains. */
const ordinal = /^(?:the )?(?:first|second|third|last|latter|former|other|next)\b/i;
/** Out of date with the next update. */
const dependencyVersion = /[\w/]@v?\d+\.\d|\bv\d+\.\d+\.\d+\b/;
/** What a commit of tests says is the premise of a test. What a commit after a review says is about the shape of the code. */
const ofLittleWeight =
  /^(?:[\w/.-]+: )?(?:cover|pin|test|exercise|simplify|tidy|polish|clean up)\b|\b(?:tests?|review|trim docs)\b/i;
/** `openTide now reports`: how it is after the commit. */
const nowDoes = /^((?:\S+ ){1,6}?)now (?=[a-z]+s\b)/;

/** `Reconsidered the constraint: …`: the statement follows. */
const leadIn = /^[A-Z][a-z]+(?: [a-z]+){1,5}: (?=\S)/;

const everyName = new RegExp(identifier.source, 'g');
const everyCue = new RegExp(states.source, 'gi');

interface Told {
  readonly text: string;
  readonly score: number;
}

/** The sentences of a description that hold beyond the change. */
function statedIn(body: string): string[] {
  const found: Told[] = sentencesOf(body).flatMap(({ text: whole, heading }) => {
    const text = (leadIn.test(whole) ? capital(whole.replace(leadIn, '')) : whole).replace(nowDoes, '$1');
    const names = text.match(everyName) ?? [];
    const cues = text.match(everyCue) ?? [];
    const isFact =
      text.length >= 45 &&
      text.length <= 330 &&
      /[.)`]$/.test(text) &&
      names.some((name) => !/^#?\d+$/.test(name.trim())) &&
      cues.length > 0 &&
      text.split(' ').length >= 8 &&
      !asideHeading.test(heading) &&
      !aside.test(text) &&
      !past.test(text) &&
      !pastVerb.test(text) &&
      !refersBack.test(text) &&
      !asksFor.test(text) &&
      !passing.test(text) &&
      !ordinal.test(text) &&
      !dependencyVersion.test(text) &&
      (!determined.test(text) || identifier.test(text.slice(0, 60))) &&
      (subject.test(text) ||
        (determined.test(text) && subject.test(text.replace(/^\S/, (letter) => letter.toLowerCase())))) &&
      (text.match(/\(/g) ?? []).length === (text.match(/\)/g) ?? []).length;
    return isFact ? [{ text, score: Math.min(names.length, 3) + Math.min(cues.length, 3) }] : [];
  });
  const best = [...found].sort((a, b) => b.score - a.score).slice(0, mostOfOne);
  return found.filter((one) => best.includes(one)).map(({ text }) => text);
}

const place = /^\s*[-*•]\s+`?((?:[\w.@-]+\/)+[\w.@-]*)`?\s*(?::|—|–|-)\s+(\S.{9,})$/;
const fewestPlaces = 4;

/** A description that lists at least four folders says what is where. */
function layoutIn(body: string): KeyedStatement[] {
  const places = body.split('\n').flatMap((line) => {
    const [, folder, holds] = place.exec(line) ?? [];
    const isFile = folder === undefined || /\.\w{1,5}$/.test(folder);
    return isFile ||
      holds === undefined ||
      past.test(holds) ||
      aside.test(holds) ||
      !/^\W*\p{L}+\W+\p{L}{2}/u.test(holds) ||
      /^v?\d/.test(holds)
      ? []
      : [`\`${folder}\` (${holds})`];
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
      (message.match(everyName) ?? []).some((name) => text.includes(name.trim())),
  );

/** The commits and pull requests of this project that succeeded and that no later command took back or amended. */
function standing(commands: readonly Command[]): Command[] {
  const made: Command[] = [];
  for (const command of commands) {
    if (command.outcome !== 'ok') continue;
    if (command.elsewhere === true) continue;
    const back = takesBack(command.told);
    if (back > 0) made.splice(Math.max(0, made.length - back));
    // An amended commit takes the place of the one before it, with all that it said.
    if (command.message !== undefined && /\s--amend\b/.test(command.told)) made.pop();
    if (command.body !== undefined || command.message !== undefined) made.push(command);
  }
  return made;
}

export function commitFacts(commands: readonly Command[]): KeyedStatement[] {
  const made = standing(commands);
  const kept: KeyedStatement[] = [];
  for (const [i, { body = '', message, opened }] of made.entries()) {
    if (ofLittleWeight.test(message ?? opened?.title ?? '')) continue;
    for (const text of statedIn(body)) {
      if (kept.some((one) => sharesNames(one.text, text)) || isTakenOut(text, made.slice(i + 1))) continue;
      const title = message ?? opened?.title;
      const kind = message === undefined ? 'pull request' : 'commit';
      const source = title === undefined ? '' : ` (From the ${kind} “${cut(title, 70)}”.)`;
      kept.push({ key: cut(`commit: ${keyOf(text)}`, 80), text: `${ended(text)}${source}`, saidBy: 'agent' });
    }
  }
  const layouts = made.flatMap(({ body = '' }) => layoutIn(body)).slice(-1);
  return [...kept.slice(-mostInAll), ...layouts, ...designChanges(made)];
}
