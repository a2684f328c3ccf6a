// What the person states outright about the project: where things are, how they are called, and what is wanted for sure.

import { cut, inOneLine, inputField, sentencesOf } from '../../language/gist.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import type { KeyedStatement } from '../../schema/extraction.ts';
import { remarkText } from '../../schema/statement-form.ts';
import type { Turn } from '../material.ts';
import { planOf } from './plan.ts';
import { anaphor, identifier, inPieces } from './request.ts';
import { capital, ended } from './say.ts';
import { toolIn } from './stack.ts';
import { typedText } from './typed-text.ts';
import { keyOf } from './wishes.ts';

/** Longer prompts are mostly pasted, and so are the later sentences of a prompt. */
const longestPrompt = 700;
const mostSentences = 10;

export function statedByPerson(turns: readonly Turn[]): KeyedStatement[] {
  return turns.flatMap((turn) => {
    const text = turn.request?.text ?? '';
    if (text === '' || text.length > longestPrompt || planOf(turn) !== undefined) return [];
    return sentencesOf(typedText(text))
      .slice(0, mostSentences)
      .flatMap((sentence) => inPieces(sentence.text))
      .flatMap((piece) => [
        ...placesIn(piece),
        ...namesIn(piece),
        ...wantsIn(piece),
        ...rulesIn(piece),
        ...traitsIn(piece),
      ]);
  });
}

const said = (key: string, text: string): KeyedStatement => ({
  ...{ key: cut(key, 80), text: ended(capital(text)), saidBy: 'person' },
});

const preamble = String.raw`^(?:(?:ok(?:ay)?|so|also|btw|by the way|fyi|note that|and|yes|no|remember that)[,:]?\s+)*`;
/** A folder outside the project. What is inside, an agent finds on its own. */
const outside = String.raw`(${'`?'}(?:(?:\.\.\/)+|~\/|\/(?!tmp\b|var\b|dev\b|proc\b))[\w.@~-]+(?:\/[\w.@~-]+)*\/?${'`?'})`;
const isIn = new RegExp(
  String.raw`${preamble}((?:the |our |my )?\w[\w.'’-]*(?: [\w.'’-]+){0,4}) (?:is|are|lives?|sits?) (?:(?:also|now|checked out|cloned|located) )*(?:in|at|under) ${outside}[.!]?$`,
  'i',
);
const isWhere = new RegExp(
  String.raw`${preamble}${outside} is where ((?:the |our |my )?\w[\w.'’ -]{2,40}?) (?:is|are|lives?)\b`,
  'i',
);
/** Things of the moment, or that only earlier text explains. */
const passing =
  /\b(?:it|this|that|these|those|they|there|he|she|bug|error|issue|problem|log|logs|output|screenshot|commit|branch|diff|patch|failure|trace|file|files)\b/i;

function placesIn(text: string): KeyedStatement[] {
  const [, thing, folder] = isIn.exec(text) ?? [];
  if (thing !== undefined && folder !== undefined && !passing.test(thing) && !/\.\w{1,4}$/.test(folder))
    return [said(`place: ${keyOf(thing)}`, text.replace(new RegExp(preamble, 'i'), ''))];
  const [, at, held] = isWhere.exec(text) ?? [];
  return at === undefined || held === undefined || passing.test(held)
    ? []
    : [said(`place: ${keyOf(held)}`, `${held} is checked out in ${at}`)];
}

const noun = String.raw`((?:[\w-]+ ){0,2}(?:repo|repository|package|module|binary|cli|crate|library|namespace|default branch|main branch)(?: name)?)`;
/** In quotes, or with a character that plain words do not have. */
const name = String.raw`(${'`[^`\\s]{2,80}`'}|"[^"\s]{2,80}"|(?=\S*[\w@][-/._]\w)[\w@][\w@./:-]{2,80}\w)`;
const isCalled = new RegExp(
  String.raw`\b(the|our) ${noun} (is now(?: called| named)?|stays|is still|remains|is called|is named):? ${name}(?=$|[\s,.;)])`,
  'gi',
);
const renamed = new RegExp(
  String.raw`\bwe(?:'ve| have| also| just| now)* renamed? (?:the |our )?${noun} (?:[a-z ]{0,20})?(?:from \S+ )?to ${name}(?=$|[\s,.;)])`,
  'gi',
);

function namesIn(text: string): KeyedStatement[] {
  const found: KeyedStatement[] = [];
  for (const [, thing = '', now = ''] of text.matchAll(renamed))
    found.push(said(nameKey(thing), `the ${thing} is now ${now}`));
  if (/\?\s*$/.test(text)) return found;
  for (const [, which = '', thing = '', verb = '', called = ''] of text.matchAll(isCalled))
    found.push(said(nameKey(thing), `${which} ${thing} ${verb} ${called}`));
  return found;
}

const nameKey = (thing: string): string =>
  `name: ${thing
    .toLowerCase()
    .replace(/ name$/, '')
    .replace('repository', 'repo')}`;

const sure =
  /\b(?:we (?:explicitly|definitely|specifically) (?:do not |don'?t |never )?(?:want|need)|i know we (?:want|need)|i(?:'d| would) rather (?=.{10,} than .{5,})) ?(.+)$/i;

/** Wants that the person is sure of. `I think we want` and `maybe` are not. */
function wantsIn(text: string): KeyedStatement[] {
  const found = sure.exec(text);
  if (found === null || /[?:]\s*$/.test(text) || text.length > 400) return [];
  const wanted = found[0].replace(/^i know /i, '');
  if (anaphor.test(wanted) || tellingIn(wanted) < 4 || ofTheMoment.test(wanted)) return [];
  const context = /(?:^|[-–—;,.] )((?:for|in|on|with|when) [\w -]{3,40}),\s*$/i.exec(text.slice(0, found.index))?.[1];
  return [
    said(
      `decision: ${keyOf(wanted)}`,
      context === undefined ? wanted : `${wanted.replace(/[.!]+$/, '')} (${context.toLowerCase()})`,
    ),
  ];
}

/** A rule about all of a kind. The person may also ask for a single change with `should`, but not about `anything` or `every`. */
const general =
  /^(?:anything|everything|nothing|nobody|all|any|every|each|no) (?!need\b|of (?:this|that|these|those|it)\b)(?:\S+ ){0,8}?(?:can|cannot|can't|should|shouldn't|must|mustn't|may|has to|have to|needs? to)\b.{8,}$/i;

function rulesIn(text: string): KeyedStatement[] {
  const rule = (/^(.{20,}?), (?:maybe|please|can you|could you|so|and then|let'?s)\b/i.exec(text)?.[1] ?? text).trim();
  return general.test(rule) && !/\?\s*$/.test(text) && !anaphor.test(rule) && tellingIn(rule) >= 3
    ? [said(`decision: ${keyOf(rule)}`, rule)]
    : [];
}

/** What something is to be for good. `The page should be wider` asks for a single change. */
const trait =
  /^((?:[\w`.-]+ ){1,4})should(?:n['’]?t| not| never| always| only)? be (?:.{0,40}\b)?(?:default|optional|required|mandatory|opt-in|opt-out|the (?:only|single)|source of truth|enabled by|disabled by|private|public|read-only|immutable)\b.{0,60}$/i;
/** What holds under a condition, or for a kind of things: `In cloud mode we should not show …`. A report of a state has no `should`. */
const condition =
  /^(?:in|on|for|during|under|when|whenever|if|unless) (?!(?:that|this|the) (?:case|way|meantime|end)\b)(?:[^\s,]+[ ,]+){1,9}?(?:we|you|users?|agents?|the [\w-]+(?: [\w-]+)?) (?:should|must)(?:n['’]?t| not| never| always| only)\b .{12,}$/i;
/** What a project does without, for good. */
const needless =
  /^(?:and |so |but |also )*we (?:don['’]?t|do not|no longer|never) (?:need|want|support|care about)(?: any| to keep| to support)? (?:backwards?[- ]compat\w*|legacy|migrations?|shims?|polyfills?|feature flags?|deprecat\w*|telemetry|windows|internationali[sz]ation)\b/i;
const over =
  /^(?:we |i )?(?:no longer|don['’]?t) (?:need|use|want|support) ([\w`@./-]+(?: [\w`@./-]+){0,3}?)(?: any ?more)?[.!]?$/i;

function traitsIn(text: string): KeyedStatement[] {
  // `av-12: …` names a ticket.
  const plain = text
    .replace(/^(?:(?:ok(?:ay)?|so|also|btw|fyi|and|yes|note that)[,:]?\s+)*/i, '')
    .replace(/^[a-z]{2,6}-\w{2,6}: /i, '');
  if (/\?\s*$/.test(text)) return [];
  const waived = needless.exec(plain)?.[0];
  if (waived !== undefined)
    return [said(`decision: ${keyOf(waived)}`, waived.replace(/^(?:and |so |but |also )+/i, ''))];
  if (anaphor.test(plain)) return [];
  if (condition.test(plain) && tellingIn(plain) >= 5) return [said(`decision: ${keyOf(plain)}`, plain)];
  const thing = trait.exec(plain)?.[1];
  const gone = over.exec(plain)?.[1];
  const isNamed =
    (thing !== undefined && tellingIn(thing) > 0 && !passing.test(thing) && !/\b(?:we|you|i|there)\b/i.test(thing)) ||
    (gone !== undefined && (toolIn(gone) !== undefined || identifier.test(gone)));
  return isNamed ? [said(`decision: ${keyOf(plain)}`, plain)] : [];
}

const rejected = /^\[Rejected the plan\]\n(\S[\s\S]{20,400})$/;

/** A rule, or a contrast. Other remarks are about a detail of the plan. */
const isRule =
  /\b(?:always|never|every\w*|all|any|only|must|should(?:n['’]?t| not)?|instead of|rather than|by default|no longer)\b/i;
const agrees = /\botherwise\b.{0,20}\b(?:gtg|good|fine|ok(?:ay)?|lgtm|great|perfect)\b/i;

/** What the person wants instead of a part of a plan. The title of the plan says what it is about. */
export function planFeedback(turns: readonly Turn[]): KeyedStatement[] {
  return turns.flatMap(({ entries }, i) =>
    entries.flatMap(({ form, text }) => {
      const wish = form === 'verdict' ? inOneLine(rejected.exec(text.trim())?.[1] ?? '') : '';
      const plan = turns[i - 1]?.toolUses.findLast(({ tool }) => tool === 'ExitPlanMode')?.input ?? '';
      const title = /^#{1,3}\s+(?:plan:\s*)?(.+)$/im.exec(inputField(plan, 'plan', 400) ?? '')?.[1] ?? '';
      if (title === '' || wish.includes('?') || tellingIn(wish) < 4 || agrees.test(wish)) return [];
      if (!isRule.test(wish) && !identifier.test(wish)) return [];
      return [{ ...said(`decision: ${keyOf(title)}`, remarkText(cut(title, 80), wish)), form: 'remark' }];
    }),
  );
}

const ofTheMoment = /\b(?:now|first|today|tomorrow|later|next|this time|for now|fix|commit|push|merge)\b/i;
const tellingIn = (text: string): number =>
  (text.toLowerCase().match(/\p{L}[\p{L}\p{N}_.-]{2,}/gu) ?? []).filter(isTellingWord).length;
