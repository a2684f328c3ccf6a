// Reuses texts that a model has already written in a transcript: summaries at a compaction, accepted plans, lines added to instructions.

import { cut, inOneLine, inputField, sentencesOf } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import { planText } from '../../schema/statement-form.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { Turn } from '../material.ts';
import { isDecided } from './design-changes.ts';
import { causeAfter, outlastsMend } from './mended.ts';
import { sharesNames } from './notable.ts';
import { type Insight, mends, reasonIn, sectionsOf } from './reasons.ts';
import { anaphor, identifier } from './request.ts';
import { ended } from './say.ts';
import { standingPlans } from './standing-plans.ts';
import { keyOf } from './wishes.ts';

export interface Item {
  readonly heading: string;
  readonly text: string;
  /** Blanks before the mark of the item. */
  readonly indent: number;
}

const longest = 420;
const mostOfOne = 14;

/** List items of a Markdown text with their headings, including the numbered headings of a compaction. Skips code. */
export function itemsOf(text: string): Item[] {
  const found: Item[] = [];
  let heading = '';
  let fenced = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const title =
      /^#{1,4}\s+(.+)$/.exec(line)?.[1] ??
      /^\*\*([A-Z][^*:]{3,60}):?\*\*:?\s*$/.exec(line)?.[1] ??
      /^\d{1,2}\.\s+\*{0,2}([A-Z][^:\n]{3,60}?)\*{0,2}:\s*\*{0,2}$/.exec(line)?.[1] ??
      /^\s*<(\/?(?:[a-z]+_[a-z_]+|constraints|decisions))>/.exec(line)?.[1];
    const [, blanks = '', item] = /^(\s{0,8})(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/.exec(line) ?? [];
    if (title !== undefined) heading = inOneLine(title.replace(/^\d+[.)]\s*/, ''));
    else if (item !== undefined) found.push({ heading, text: item.trim(), indent: blanks.length });
  }
  return found;
}

const concepts =
  /^(?:key (?:technical )?(?:concepts?|facts|discoveries|learnings|knowledge|decisions)|key_knowledge|(?:active_)?constraints(?: (?:&|and) preferences)?|critical context|conventions|gotchas)$/i;
/** Below these, a plain line is a detail of the display more often than not. */
const edgeCases = /^edge cases/i;
const decisions =
  /^(?:key |main |important |user |agreed |confirmed )?(?:design |technical |architectur\w+ |implementation )?(?:decisions?|choices|constraints|trade-?offs|edge cases|invariants)(?:\s*\([^)]*\))?(?: made| handled)?$/i;

/** `**Name**: statement`. A bracket after the name stays with the statement. */
export const named = /^\*\*(.{2,70}?):?\*\*\s{0,9}(\([^)]{1,80}\))?\s{0,9}(?::|—|–|-{1,2})?\s{1,9}(\S.*)$/;

/** `**Name** (aside): statement` → the statement with the aside at the end of its first sentence. Without a colon, the aside stays before it. */
function withAside(item: string, bracket: string, rest: string): string {
  if (bracket === '' || !/^\*\*[^*]+\*\*\s{0,9}\([^)]*\)\s{0,9}(?::|—|–|-)/.test(item))
    return `${bracket} ${rest}`.trim();
  const end = /(?<=[\p{L}\p{N}`)])\.(?=\s|$)/u.exec(rest)?.index ?? rest.trimEnd().length;
  return `${rest.slice(0, end)} ${bracket}${rest.slice(end)}`;
}

/** About the current work, not about how things are. */
const ofTheMoment =
  /\b(?:currently (?:working|failing|in progress)|(?:is|are|work) in progress|pending (?:work|task)s?|not yet|needs? to be|to be (?:done|added|implemented|fixed)|(?:the )?user (?:wants|asked|requested|said|reported)|this session|todo|next step|was just|just (?:added|created|fixed)|will (?:be|need)|should be (?:added|created|updated))\b/i;

function toStatement(name: string, rest: string, key: string): KeyedStatement | undefined {
  const text = inOneLine(rest.replaceAll('**', ''));
  const words = text.split(' ').length;
  if (
    /^(?:yes|no|becomes|major rewrite|extended with|rewritten|renamed to|added (?:to|in))\b/i.test(text) ||
    (words < 8 && !identifier.test(text))
  )
    return undefined;
  if (words < 5 || /[:,;]$/.test(text) || ofTheMoment.test(text) || text.length > 2 * longest) return undefined;
  if (
    !/\p{L}{3}/u.test(name) ||
    /^(?:status|note|testing|tests|todo|progress|summary|overview|result|files?)$/i.test(name)
  )
    return undefined;
  return { key: cut(key, 80), text: ended(cut(text, longest)), saidBy: 'agent' };
}

/** The name of one thing in the code. What it is, the code says; a limit or a reason may stand nowhere else. */
const isSymbol = /^(?:[\w.$]+\(\)|\w*[a-z][A-Z]\w*(?:\.\w+)*|\w+(?:\.\w+)+|\w+_\w+)(?: ?[/,] ?[\w.$()]+)*$/;
const limit =
  /\b(?:only|never|always|must|cannot|not|without|unless|until|because|since|so|instead of|rather than|requires?|before|after|when|default\w*|compatib\w*)\b|n't\b/i;

/** The same without words that also describe how something is made: `without a framework`, `when opened`, `instead of batches`. */
const firmLimit =
  /\b(?:only|never|always|must|cannot|not|no|unless|until|because|since|requires?|before|after)\b|n't\b/i;
const describesCode = (name: string, text: string): boolean =>
  !firmLimit.test(withoutQuotes(text)) && (isSymbol.test(name) || holdsValues.test(name) || /^\(?["“'`]/.test(text));

/** The named concepts of a compaction. If several are about the same things, the longest stays. */
export function conceptsIn(turns: readonly Turn[]): KeyedStatement[] {
  const texts = turns.flatMap(({ entries }) =>
    entries.filter(({ form }) => form === 'compaction').map(({ text }) => text),
  );
  return texts.flatMap((text) => {
    const found = itemsOf(text)
      .filter(({ heading }) => concepts.test(heading))
      .flatMap(({ text: item }) => {
        const [, name, bracket = '', rest = ''] = named.exec(item) ?? [];
        if (name === undefined) return [];
        const plain = inOneLine(name.replaceAll('`', ''));
        const said = withAside(item, bracket, rest);
        return describesCode(plain, said) ? [] : (toStatement(plain, said, plain) ?? []);
      });
    const isShorter = (one: KeyedStatement) =>
      found.some((other) => other.text.length > one.text.length && sharesNames(one.text, other.text));
    return found.filter((one) => !isShorter(one)).slice(0, mostOfOne);
  });
}

/** What a plan leaves out: it says what was not done at the time, not how things are. */
const leftOut =
  /\b(?:not|n't|never)(?: be(?:ing)?)? (?:added|included|implemented|supported|covered|touched|changed|needed|part of)\b|\bout of scope\b|\bnon-?goals?\b|\b(?:deferred|postponed|left) (?:to|for|until)\b|\bno changes? (?:to|in|needed)\b|\bunchanged\b/i;
/** The wording of one text, in quotes. */
const wording = /^(?:use|say|write|call it|show|display|print|rename to|change to)\s+`?["“'][^"”']*\s[^"”']*["”']/i;

/** Decisions that a plan lists, if it was carried out. The title of the plan says what they are about. */
export function planDecisions(turns: readonly Turn[]): KeyedStatement[] {
  return standingPlans(turns).flatMap(({ title, text, holds }) => {
    if (title === undefined) return [];
    return itemsOf(text)
      .filter(({ heading, text: item }) => decisions.test(heading) && !leftOut.test(item) && holds(item))
      .filter(({ heading, text: item }) => !edgeCases.test(heading) || named.test(item))
      .flatMap(({ text: item }) => decided(item, title) ?? [])
      .filter((statement) => !wording.test(statement.text))
      .slice(0, mostOfOne);
  });
}

/** Names of types, fields and texts. Which values they have, the code says. */
const holdsValues =
  /\b(?:types?|enums?|unions?|fields?|labels?|titles?|texts?|wording|naming|formats?|colou?rs?|icons?|values?|columns?|props?|placeholders?)\b/i;
const withoutQuotes = (text: string): string => text.replace(/`[^`]*`|"[^"]*"|“[^”]*”/g, 'x');
const listsValues = (name: string, text: string): boolean =>
  !limit.test(withoutQuotes(text)) &&
  (holdsValues.test(name) ||
    isSymbol.test(name) ||
    /^\(?["“'`]|\b(?:string union|enum|const object|one of)\b/i.test(text));

const fewestWords = 6;

function decided(item: string, title: string): KeyedStatement | undefined {
  const [, name, bracket = '', rest = ''] = named.exec(item) ?? [];
  const about = cut(title.replaceAll('`', ''), 44)
    .replace(/…$/, '')
    .replace(/\s*\([^)]*$|[\s+&,:–—-]+$/, '');
  if (name !== undefined) {
    const plain = inOneLine(name.replaceAll('`', ''));
    if (listsValues(plain, rest)) return undefined;
    return toStatement(plain, withAside(item, bracket, rest), `${cut(plain, 32).replace(/…$/, '')} (${about})`);
  }
  const text = inOneLine(item.replaceAll('**', ''));
  // Of a few plain words, mostly about looks, the title of the plan alone would make a sentence.
  return anaphor.test(text) || (!identifier.test(text) && text.split(' ').length < fewestWords)
    ? undefined
    : toStatement('decision', `${about}: ${text}`, `decision: ${about} ${keyOf(text)}`);
}

const mechanism =
  /^(?:[-*]\s+|\d+\.\s+)?\*{0,2}(?:the )?(root cause|key insight|why (?:it|this) (?:fails|happens|breaks))\*{0,2}\s*:\*{0,2}\s+(.{40,500})$/i;

/** Sections in which a plan says what is wrong and what is wanted. */
const background =
  /^(?:\d+\. )?(?:context|background|problem|root cause|motivation|why|goal|summary|overview|issue)\b/i;

/** Causes that a plan states outright, and the reason for a mend, if the plan was carried out and they hold after it. */
export function planInsights(turns: readonly Turn[]): Insight[] {
  return standingPlans(turns).flatMap(({ text: plan, at, title = '', holds }) => {
    const stated = plan.split('\n').flatMap((line) => {
      const [, name, said] = mechanism.exec(line.trim()) ?? [];
      const text = inOneLine((said ?? '').replaceAll('**', ''));
      return name === undefined || /[:,;]$/.test(text) || !holds(text) || !outlastsMend(text)
        ? []
        : [{ text: ended(text), at, about: title }];
    });
    if (stated.length > 0 || !mends(title)) return stated;
    const reason = reasonIn(sectionsOf(plan, background));
    const cause = reason === undefined || !holds(reason) ? undefined : causeAfter(title, reason);
    return cause === undefined ? [] : [{ text: cause, at, about: '' }];
  });
}

const goal = /^\s*(?:\*\*)?(?:the )?goals?(?:\*\*)?\s*(?::|\bis (?:that|to)\b)(?:\*\*)?\s*(\S.{40,})$/im;
/** How it is to be from then on, or what the plan does. */
const wanted =
  /\b(?:should|must|becomes?|applies|always|never)\b|^(?:this|the) (?:change|feature|redesign|plan|update|refactor\w*|migration) (?!is\b|has\b|was\b)\w+s\b/i;

/** What a plan that was carried out wanted, in one or two sentences of its background. */
export function planGoals(turns: readonly Turn[]): KeyedStatement[] {
  return standingPlans(turns).flatMap(({ title = '', text, holds }) => {
    if (!isDecided(title) || mends(title)) return [];
    const section = sectionsOf(text, background);
    const said = goal.exec(section)?.[1];
    const sentences = sentencesOf(said ?? section)
      .map((sentence) => sentence.text)
      .filter((sentence) => said !== undefined || (wanted.test(sentence) && !asksOfPerson.test(sentence)));
    const found = joinedWithin(sentences, longest);
    return found === '' || !identifier.test(found) || !holds(found) ? [] : [planned(title, found)];
  });
}

const asksOfPerson =
  /\b(?:users?|person|they|you|we) (?:wants?|must currently|should be able|needs?|asked)\b|\bcurrently\b|^(?:the )?(?:root cause|key insight)\b/i;

const planned = (title: string, found: string): KeyedStatement => ({
  key: cut(`change: ${keyOf(title)}`, 80),
  text: planText(`${ended(title)} ${ended(found)}`),
  form: 'plan',
  saidBy: 'agent',
});

function joinedWithin(sentences: readonly string[], most: number): string {
  let out = '';
  for (const sentence of sentences) {
    const next = out === '' ? ended(sentence) : `${out} ${ended(sentence)}`;
    if (next.length > most) break;
    out = next;
  }
  return out;
}

const instructions =
  /(?:^|\/)(?:CLAUDE|AGENTS|GEMINI|QWEN)(?:\.local)?\.md$|\/\.cursor\/rules\/|(?:^|\/)copilot-instructions\.md$/;
const mostLines = 6;

/** Rules that an edit added to an agent's instructions. Whole new files do not count, because the person did not choose their lines. */
export function instructionsAdded(turns: readonly Turn[]): KeyedStatement[] {
  const edits = turns.flatMap(({ toolUses }) => toolUses);
  return edits.flatMap((use, i) => {
    if (use.outcome !== 'ok' || !use.files.some((file) => instructions.test(file))) return [];
    const before = inputField(use.input, 'old_string', 1600);
    const after = inputField(use.input, 'new_string', 1600);
    if (before === undefined || after === undefined) return [];
    const old = new Set(before.split('\n').map((line) => line.trim()));
    // A stored text that was cut ends in the middle of a line, so drop that line.
    const whole = after.includes('…') ? after.slice(0, after.indexOf('…')).split('\n').slice(0, -1) : after.split('\n');
    const added = whole.filter(
      (line) => !old.has(line.trim()) && !edits.slice(i + 1).some((later) => takesBack(later, line)),
    );
    return rulesIn(added).slice(0, mostLines);
  });
}

/** Whether a later edit of the same conversation replaces the line. */
function takesBack(use: ToolUse, line: string): boolean {
  if (use.outcome !== 'ok' || !use.files.some((file) => instructions.test(file))) return false;
  const text = line.trim();
  return (
    (inputField(use.input, 'old_string', 1600) ?? '').includes(text) &&
    !(inputField(use.input, 'new_string', 1600) ?? '').includes(text)
  );
}

/** Words of a line that says what to do or not to do. */
const order = /\b(?:must|always|never|use|do not|don'?t|should|avoid|prefer|run|instead of)\b/i;
/** `Requires a key`: the heading above such a line names its subject. */
const lacksSubject =
  /^(?:requires|uses|supports|runs|provides|returns|handles|contains|needs|allows|stores|reads|writes|creates|shows|displays|enables|sends|loads|must|should)\b/i;
const isRule = (text: string): boolean => order.test(text) && !lacksSubject.test(text);

function rulesIn(lines: readonly string[]): KeyedStatement[] {
  let fenced = false;
  return lines.flatMap((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const item = fenced ? undefined : /^\s{0,3}(?:[-*•]|\d{1,2}[.)])?\s*(\S.*)$/.exec(line)?.[1];
    if (item === undefined || /^[#|`>]|^\*\*[^*]+\*\*:?$/.test(item)) return [];
    const [, name, bracket = '', rest = ''] = named.exec(item) ?? [];
    if (name !== undefined) {
      const plain = inOneLine(name.replaceAll('`', ''));
      const told = toStatement(plain, `${plain}: ${bracket} ${rest}`, `rule: ${plain}`);
      return told !== undefined && order.test(rest) ? [told] : [];
    }
    const text = inOneLine(item.replaceAll('**', ''));
    return /^[A-Z`]/.test(text) && isRule(text) && !anaphor.test(text)
      ? (toStatement('rule', text, `rule: ${keyOf(text)}`) ?? [])
      : [];
  });
}
