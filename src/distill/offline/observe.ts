// A turn → an observation, from the request, the tool uses and the answer. Deterministic: no clock, no randomness, no model.

import { cut, gist } from '../../language/gist.ts';
import { isAnswer } from '../../language/open-ends.ts';
import type { ObservationText, ObservationType } from '../../schema/observation.ts';
import type { Turn } from '../material.ts';
import { achieved, outcomeIn } from './answer.ts';
import { choicesIn } from './choices.ts';
import type { CommandKind } from './commands.ts';
import { isHousekeeping, isOfDocuments, plainTitle } from './commit-title.ts';
import { conceptsOf } from './concepts.ts';
import { type Command, type Deeds, deedsOf, usesOf } from './deeds.ts';
import { asTitle } from './heading.ts';
import { decisionsOf, type Finding, findingsOf, type Said } from './notable.ts';
import { planOf } from './plan.ts';
import { type Asked, isDelivery, isSound, readRequest, saysNothing } from './request.ts';
import { capital, code, ended, fileName, listed, shortNames, unique } from './say.ts';
import { aboutShown } from './subject.ts';
import { typedText } from './typed-text.ts';

/** An answer shorter than this, without any work, is small talk. */
const substance = 120;
const longestTitle = 110;

/** Everything that we find out about a turn before writing about it. Summaries and extractions use it too. */
export interface Reading {
  readonly turn: Turn;
  readonly asked: Asked;
  readonly deeds: Deeds;
  readonly decisions: readonly Said[];
  readonly findings: readonly Finding[];
  /** The agent's last answer, without the line that names its tools. */
  readonly answer: string;
  readonly title: string;
  /** Whether a person who was not there would understand the title. */
  readonly clear: boolean;
  readonly type: ObservationType;
}

/** False for greetings, client commands and interruptions: there is nothing to distil. */
export function hasWork(turn: Turn): boolean {
  if (usesOf(turn).length > 0) return true;
  const said = turn.entries.reduce((sum, entry) => sum + (isAnswer(entry) ? entry.text.length : 0), 0);
  return said >= substance && !saysNothing(turn.request?.text ?? 'what came before');
}

const known = new WeakMap<Turn, Reading>();

/** Undefined for a turn without work. Cached per turn. */
export function readingOf(turn: Turn): Reading | undefined {
  if (!hasWork(turn)) return undefined;
  const made = known.get(turn) ?? read(turn);
  known.set(turn, made);
  return made;
}

function read(turn: Turn): Reading {
  const asked = readRequest(turn.request?.text ?? '');
  const deeds = deedsOf(turn);
  const decisions = decisionsOf(turn);
  const findings = findingsOf(turn);
  const answer =
    turn.entries
      .filter(isAnswer)
      .map(({ text }) => text)
      .filter((text) => text.trim() !== '')
      .at(-1) ?? '';
  const title = titleOf(turn, asked, deeds, answer);
  const clear =
    asked.sure || (title !== asked.title && !/^(?:Changed|Continued|Ran|Read|Looked|Searched|Worked)\b/.test(title));
  return { turn, asked, deeds, decisions, findings, answer, title, clear, type: typeOf(turn, title, deeds, decisions) };
}

export function observeTurn(turn: Turn): ObservationText | undefined {
  const reading = readingOf(turn);
  if (reading === undefined) return undefined;
  const { deeds, answer, title, type } = reading;
  const request = typedText(turn.request?.text ?? '');
  return {
    type,
    title,
    subtitle: subtitleOf(reading),
    facts: factsOf(reading),
    narrative: narrativeOf(reading),
    concepts: conceptsOf([title, title, request, answer], [...deeds.modified, ...deeds.read.slice(0, 5)]),
  };
}

const goesOn = /^\W*(?:ok(?:ay)?\W+)?(?:continue|go on|keep going|carry on|proceed|go ahead)\b.{0,20}$/i;

function titleOf(turn: Turn, asked: Asked, deeds: Deeds, answer: string): string {
  const commits = deeds.commands.filter(({ message, outcome }) => message !== undefined && outcome !== 'failed');
  const telling = commits.filter(({ message }) => !isHousekeeping(message ?? ''));
  const committed = telling.findLast(({ message }) => !isOfDocuments(message ?? '')) ?? telling.at(-1);
  const opened = deeds.commands.findLast(({ opened: by, outcome }) => by?.title !== undefined && outcome !== 'failed');
  const replied = turn.request?.form === 'choice' || turn.request?.form === 'verdict';
  const request = replied ? '' : asked.title;
  const done = doneAs(answer);
  const empty = replied || saysNothing(turn.request?.text ?? '') || goesOn.test(turn.request?.text ?? '');
  const title =
    planOf(turn)?.title ||
    (asked.sound ? request : '') ||
    plainTitle(opened?.opened?.title ?? '') ||
    plainTitle(committed?.message ?? '') ||
    aboutShown({ turn, asked }, deeds.shown) ||
    (asked.sure && !asked.vague ? request : '') ||
    (isSound(done) ? done : '') ||
    (asked.sure ? request : '') ||
    done ||
    request ||
    plainTitle(commits.at(-1)?.message ?? '') ||
    (empty ? after(turn, 'Continued: ') : '') ||
    doneTitle(deeds) ||
    outcomeIn(answer, longestTitle) ||
    after(turn) ||
    `Worked with ${listed([...deeds.tools], 3) || 'no tools'}`;
  return cut(title, longestTitle);
}

/** The latest request before this one that says something. */
function after({ before }: Turn, lead = ''): string {
  for (const text of before) {
    const { sure, sound, title } = readRequest(text);
    if (sure || sound) return lead + title;
  }
  return '';
}

/** What the agent says that it did, unless it only says that it delivered. */
function doneAs(answer: string): string {
  const title = asTitle(achieved(answer));
  return isDelivery(title) ? '' : title;
}

function doneTitle({ modified, read, commands, delegated, searches }: Deeds): string {
  if (modified.length > 0) return `Changed ${listed(modified.map(fileName), 3)}`;
  const [acted] = commands.filter(({ kind }) => kind !== 'look');
  if (acted !== undefined)
    return acted.outcome === 'failed'
      ? `Ran ${code(cut(acted.ran, 70))}, which failed`
      : `Ran ${code(cut(acted.told, 70))}`;
  if (delegated[0] !== undefined) return `Asked a subagent: ${delegated[0]}`;
  if (read.length > 0) return `Read ${listed(read.map(fileName), 3)}`;
  if (searches[0] !== undefined) return `Searched for ${code(cut(searches[0], 70))}`;
  return commands[0] === undefined ? '' : `Looked at ${code(cut(commands[0].told, 70))}`;
}

const typeWords: readonly (readonly [ObservationType, RegExp])[] = [
  [
    'bugfix',
    /\b(?:fix(?:es|ed|ing)?|bugs?|broken?|breaks|crash\w*|errors?|fail(?:s|ed|ing|ures?)?|does(?:n't| not) work|not working|regressions?|wrong|exception|explode[ds]?|still (?:not|the same)|issues?)\b/gi,
  ],
  [
    'refactor',
    /\b(?:refactor\w*|clean(?:er|ed|ing)?(?: ?up)?|renam\w+|restructur\w+|simplif\w+|de-?dup\w*|duplicat\w+|untangle|reorgani[sz]\w+|concise|extract|split|move|port)\b/gi,
  ],
  [
    'feature',
    /\b(?:add(?:s|ed|ing)?|implement\w*|creat(?:e|es|ed|ing)|support\w*|introduce\w*|feature|enable|allow|build|new)\b/gi,
  ],
];
const leading: readonly (readonly [ObservationType, RegExp])[] = [
  ['bugfix', /^(?:fix|resolve|debug|repair|correct)\b/i],
  ['refactor', /^(?:refactor|rename|move|simplify|clean|extract|split|port|restructure|reorgani[sz]e|deduplicate)\b/i],
  ['feature', /^(?:add|implement|create|build|support|introduce|enable|allow)\b/i],
];
const alters: ReadonlySet<CommandKind> = new Set([
  'alter',
  'install',
  'merge',
  'push',
  'tag',
  'publish',
  'request',
  'build',
]);
const documents = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|\.gitignore)/i;

function typeOf(turn: Turn, title: string, { modified, commands }: Deeds, decisions: readonly Said[]): ObservationType {
  const committed = commands.filter(({ kind, outcome }) => kind === 'commit' && outcome !== 'failed');
  if (modified.length === 0 && committed.length === 0) {
    const byPerson = decisions.some(({ entry }) => entry === turn.request?.id);
    if (byPerson) return 'decision';
    return commands.some(({ kind, outcome }) => outcome !== 'failed' && alters.has(kind)) ? 'change' : 'discovery';
  }
  const said = committed.map(({ message }) => /^(fix|feat|refactor)\b/.exec(message ?? '')?.[1]).at(-1);
  if (said !== undefined) return said === 'fix' ? 'bugfix' : said === 'feat' ? 'feature' : 'refactor';
  if (modified.length === 0) return 'change';
  const first = leading.find(([, pattern]) => pattern.test(title))?.[0];
  if (modified.length > 0 && modified.every((file) => documents.test(file)))
    return first === 'bugfix' ? first : 'change';
  if (first !== undefined) return first;
  const request = typedText(turn.request?.text ?? '').slice(0, 2000) || turn.before[0] || title;
  const counts = typeWords.map(([type, pattern]) => ({ type, count: (request.match(pattern) ?? []).length }));
  const best = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return best.count > 0 ? best.type : 'change';
}

function subtitleOf({ turn, deeds, answer, title }: Reading): string {
  const said = achieved(answer);
  const told = said === '' || said === title ? outcomeIn(answer, 160) : said;
  if (told !== '' && told !== title) return cut(told, 160);
  if (deeds.modified.length > 0) return `Changed ${listed(deeds.modified, 4)}`;
  return turn.request === undefined ? '' : cut(typedText(turn.request.text), 160);
}

const mostFacts = 10;

function factsOf({ turn, deeds, decisions, findings }: Reading): string[] {
  const { modified, commands, failures } = deeds;
  const facts: string[] = [];
  for (const { question, answer } of choicesIn(turn)) facts.push(`The person chose: ${question} → ${answer}`);
  if (modified.length > 0) facts.push(`Modified ${listed(modified.map(code), 6)}.`);
  for (const { message } of commands) if (message !== undefined) facts.push(`Committed: ${ended(message)}`);
  for (const said of decisions.slice(0, 3))
    facts.push(`${said.entry === turn.request?.id ? 'The person decided' : 'Decided'}: “${said.text}”`);
  for (const { command, gone } of failures.slice(0, 3)) {
    const reason = command.reason === '' ? '' : `: ${command.reason.replace(/[.\s]+$/, '')}`;
    facts.push(
      gone ? `${code(command.ran)} failed${reason} (it passed later).` : `${code(command.ran)} failed once${reason}.`,
    );
  }
  for (const kind of ['test', 'check', 'build'] as const) {
    const last = commands.findLast((command) => command.kind === kind);
    if (last?.outcome === 'ok') facts.push(`${code(last.told)} passed.`);
  }
  for (const { opened, outcome } of commands)
    if (opened !== undefined && outcome === 'ok') facts.push(openedSentence(opened));
  for (const { kind, told, outcome, opened } of commands)
    if (opened === undefined && ['tag', 'publish', 'merge', 'install'].includes(kind) && outcome === 'ok')
      facts.push(`Ran ${code(told)}.`);
  for (const said of findings.slice(0, 3)) facts.push(ended(said.text));
  return unique(facts).slice(0, mostFacts);
}

/** `Opened pull request #12: Tides in summer.` */
export const openedSentence = ({ title, number }: NonNullable<Command['opened']>): string =>
  ended(
    `Opened ${number === undefined ? 'a pull request' : `pull request #${number}`}${title === undefined ? '' : `: ${title}`}`,
  );

function narrativeOf({ turn, asked, deeds, answer }: Reading): string {
  const request =
    asked.sentences.length > 0 ? gist(asked.sentences.join('\n\n'), 260) : cut(turn.request?.text ?? '', 120);
  const said = outcomeIn(answer, 320);
  return [
    turn.request === undefined ? '' : `The person asked: ${ended(request)}`,
    doneSentence(deeds),
    troubleSentence(deeds),
    said === '' ? '' : `It ended with: ${ended(said)}`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** `Read a and b, modified c, ran 5 commands.` */
export function doneSentence({ modified, read, commands, searches, delegated }: Deeds): string {
  const ran = commands.filter(({ kind }) => kind !== 'look');
  const parts = [
    read.length > 0 ? `read ${listed(read.map(fileName), 3)}` : '',
    searches.length > 0
      ? `searched for ${listed(
          searches.map((search) => code(cut(search, 40))),
          2,
        )}`
      : '',
    delegated.length > 0
      ? `asked subagents to ${listed(
          delegated.map((task) => `“${cut(task, 60)}”`),
          2,
        )}`
      : '',
    modified.length > 0 ? `modified ${listed(shortNames(modified), 4)}` : '',
    ran.length > 0 ? `ran ${listed(unique(ran.map(({ told }) => code(cut(told, 50)))), 3)}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : capital(`${listed(parts, 9)}.`);
}

function troubleSentence({ failures }: Deeds): string {
  const solved = failures.filter(({ gone }) => gone).length;
  const some = solved === 1 ? 'one command' : `${solved} commands`;
  return solved === 0 ? '' : `${capital(some)} failed on the way and passed in the end.`;
}
