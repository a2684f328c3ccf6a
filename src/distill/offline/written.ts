// Reuses texts that a model has already written in a transcript: summaries at a compaction, accepted plans, lines added to instructions.

import { cut, inOneLine, inputField } from '../../language/gist.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { Turn } from '../material.ts';
import { anaphor, identifier } from './request.ts';
import { ended } from './say.ts';
import { standingPlans } from './standing-plans.ts';
import { keyOf } from './wishes.ts';

interface Item {
  readonly heading: string;
  readonly text: string;
}

const longest = 420;
const mostOfOne = 14;

/** List items of a Markdown text with their headings, including the numbered headings of a compaction. Skips code. */
function itemsOf(text: string): Item[] {
  const found: Item[] = [];
  let heading = '';
  let fenced = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const title =
      /^#{1,4}\s+(.+)$/.exec(line)?.[1] ??
      /^\d{1,2}\.\s+\*{0,2}([A-Z][^:\n]{3,60}?)\*{0,2}:\s*\*{0,2}$/.exec(line)?.[1] ??
      /^<(key_knowledge|constraints|decisions)>/.exec(line)?.[1];
    const item = /^\s{0,6}(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/.exec(line)?.[1];
    if (title !== undefined) heading = inOneLine(title.replace(/^\d+[.)]\s*/, ''));
    else if (item !== undefined) found.push({ heading, text: item.trim() });
  }
  return found;
}

const concepts =
  /^(?:key (?:technical )?(?:concepts?|facts|discoveries|learnings|knowledge|decisions)|key_knowledge|constraints(?: (?:&|and) preferences)?|critical context|conventions|gotchas)$/i;
const decisions =
  /^(?:key |main |important )?(?:design |technical |architectur\w+ |implementation )?(?:decisions?|choices|constraints|trade-?offs)(?:\s*\([^)]*\))?(?: made)?$/i;

/** `**Name**: statement`. A bracket after the name stays with the statement. */
const named = /^\*\*(.{2,70}?):?\*\*\s*(\([^)]{1,80}\))?\s*(?::|—|–|-{1,2})?\s+(.+)$/;

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

/** The named concepts of a compaction. Nine out of ten are true, useful, and make sense without context. */
export function conceptsIn(turns: readonly Turn[]): KeyedStatement[] {
  const texts = turns.flatMap(({ entries }) =>
    entries.filter(({ form }) => form === 'compaction').map(({ text }) => text),
  );
  return texts.flatMap((text) =>
    itemsOf(text)
      .filter(({ heading }) => concepts.test(heading))
      .flatMap(({ text: item }) => {
        const [, name, bracket = '', rest = ''] = named.exec(item) ?? [];
        if (name === undefined) return [];
        const plain = inOneLine(name.replaceAll('`', ''));
        return toStatement(plain, `${bracket} ${rest}`.trim(), plain) ?? [];
      })
      .slice(0, mostOfOne),
  );
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
      .flatMap(({ text: item }) => decided(item, title) ?? [])
      .filter((statement) => !wording.test(statement.text))
      .slice(0, mostOfOne);
  });
}

function decided(item: string, title: string): KeyedStatement | undefined {
  const [, name, bracket = '', rest = ''] = named.exec(item) ?? [];
  const about = cut(title.replaceAll('`', ''), 44)
    .replace(/…$/, '')
    .replace(/\s*\([^)]*$|[\s+&,:–—-]+$/, '');
  if (name !== undefined) {
    const plain = inOneLine(name.replaceAll('`', ''));
    return toStatement(plain, `${bracket} ${rest}`.trim(), `${cut(plain, 32).replace(/…$/, '')} (${about})`);
  }
  const text = inOneLine(item.replaceAll('**', ''));
  return anaphor.test(text)
    ? undefined
    : toStatement('decision', `${about}: ${text}`, `decision: ${about} ${keyOf(text)}`);
}

const mechanism =
  /^(?:[-*]\s+|\d+\.\s+)?\*{0,2}(?:the )?(root cause|key insight|why (?:it|this) (?:fails|happens|breaks))\*{0,2}\s*:\*{0,2}\s+(.{40,500})$/i;

export interface Insight {
  readonly text: string;
  readonly at: string;
  readonly about: string;
}

/** Causes that a plan states outright, if it was carried out. */
export function planInsights(turns: readonly Turn[]): Insight[] {
  return standingPlans(turns).flatMap(({ text: plan, at, title = '', holds }) =>
    plan.split('\n').flatMap((line) => {
      const [, name, said] = mechanism.exec(line.trim()) ?? [];
      const text = inOneLine((said ?? '').replaceAll('**', ''));
      return name === undefined || /[:,;]$/.test(text) || !holds(text) ? [] : [{ text: ended(text), at, about: title }];
    }),
  );
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
const rule = /\b(?:must|always|never|use|do not|don'?t|should|requires?|avoid|prefer|run|only|before|instead of)\b/i;

function rulesIn(lines: readonly string[]): KeyedStatement[] {
  let fenced = false;
  return lines.flatMap((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const item = fenced ? undefined : /^\s{0,3}(?:[-*•]|\d{1,2}[.)])?\s*(\S.*)$/.exec(line)?.[1];
    if (item === undefined || /^[#|`>]|^\*\*[^*]+\*\*:?$/.test(item)) return [];
    const [, name, bracket = '', rest = ''] = named.exec(item) ?? [];
    if (name !== undefined) {
      const plain = inOneLine(name.replaceAll('`', ''));
      return toStatement(plain, `${bracket} ${rest}`.trim(), plain) ?? [];
    }
    const text = inOneLine(item.replaceAll('**', ''));
    return /^[A-Z`]/.test(text) && rule.test(text) && !anaphor.test(text)
      ? (toStatement('rule', text, `rule: ${keyOf(text)}`) ?? [])
      : [];
  });
}
