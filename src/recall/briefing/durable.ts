// What holds beyond sessions, for the briefing: how the project is run, what the person decided, what agents noted and found out.

import { factIn } from '../../distill/memory/fact-line.ts';
import { homesOf } from '../../distill/memory/homes.ts';
import { keyedTarget, projectPage } from '../../distill/memory/place.ts';
import { identifier } from '../../distill/offline/request.ts';
import { cut, inOneLine } from '../../language/gist.ts';
import { isTellingWord } from '../../language/stop-words.ts';
import { type Choice, choiceText } from '../../schema/choice.ts';
import type { SaidBy } from '../../schema/memory.ts';
import { coreOf, type StatementForm, withoutSource } from '../../schema/statement-form.ts';
import type { TargetMemory } from '../../store/memory/port.ts';
import type { ProjectPlace } from '../../store/projects/port.ts';
import type { Store } from '../../store/store.ts';
import {
  choiceStandsAlone,
  lastingFact,
  lastingInsight,
  sentencesIn,
  standsAlone,
  subjectOf,
  withoutAnaphor,
} from './lasting.ts';

export interface Durable {
  readonly kind: 'command' | 'decision' | 'fact' | 'insight';
  readonly id: string;
  readonly at: number;
  readonly text: string;
  /** The text without words about where it comes from. */
  readonly core: string;
  /** Where it comes from, for statements about the work. */
  readonly form?: StatementForm | undefined;
}

export interface DurableRequest {
  readonly project: { readonly name: string; readonly path: string };
  /** The last sessions of the project. */
  readonly sessions: readonly string[];
  /** Names of recently used files: statements about them come first. */
  readonly files: readonly string[];
  /** Sessions that must not be mentioned. */
  isMuted(kind: 'session' | 'entry', id: string): boolean;
  /** Whether the project's own instructions, which an agent reads anyway, say it already. */
  isSaid(text: string): boolean;
}

const lookedAt = 400;
const most = { command: 8, decision: 6, fact: 5, insight: 3 } as const;
/** One long conversation must not fill the list. */
const mostOfSession = 4;
const longest = 220;
/** A sentence up to this length stays whole. */
const longestSentence = 330;
const corePages = ['core/preferences.md', 'core/procedures.md', 'core/facts.md'];

export async function durableOf(
  store: Pick<Store, 'memory' | 'projects'>,
  { project, sessions, files, isMuted, isSaid }: DurableRequest,
): Promise<Durable[]> {
  const read = async (filter: Parameters<Store['memory']['list']>[0]): Promise<TargetMemory[]> =>
    (await store.memory.list({ ...filter, group: '', kind: 'evergreen', limit: lookedAt })).filter(
      ({ session }) => !isMuted('session', session),
    );
  const { pages, names, isShared } = homeIn(await store.projects.places(), project);
  const onPage = (await Promise.all(pages.map((page) => read({ page })))).flat();
  const own = (await Promise.all(names.map((name) => read({ project: name })))).flat();
  const core = (await Promise.all(corePages.map((page) => read({ page })))).flat();
  // Another project of this name has separate insights.
  const isOurs = ({ session }: TargetMemory) => !isShared || sessions.includes(session);
  const near = nearTo(files);
  const told: string[] = [];
  const choices: TargetMemory[] = [];
  const take = (
    kind: Durable['kind'],
    all: readonly TargetMemory[],
    text: (memory: TargetMemory) => string,
  ): Durable[] => {
    const taken: Durable[] = [];
    const bySession = new Map<string, number>();
    for (const memory of all) {
      const said = wholeSentences(inOneLine(text(memory)));
      // What ends in the middle misses its point.
      if (said === '' || (kind === 'insight' && said.includes('…'))) continue;
      const core = coreOf(said, memory.form);
      const one = { kind, id: memory.id, at: Date.parse(memory.at), text: said, core, form: memory.form };
      const count = bySession.get(memory.session) ?? 0;
      const isTooMuch = kind !== 'command' && count >= mostOfSession;
      const isSettled = memory.choice !== undefined && choices.some((other) => settlesTheSame(other, memory));
      if (taken.length >= most[kind] || isTooMuch || isSettled || isSaid(one.text)) continue;
      if (told.some((text) => repeats(text, one.text))) continue;
      told.push(one.text);
      if (memory.choice !== undefined) choices.push(memory);
      bySession.set(memory.session, count + 1);
      taken.push(one);
    }
    return taken;
  };
  const by = (source: SaidBy) => (memory: TargetMemory) => memory.saidBy === source;
  return [
    ...take('command', onPage.filter(by('runs')), (memory) => factIn(memory).text),
    ...take('decision', [...newest(onPage.filter(by('person'))), ...newest(core.filter(by('person')))], decisionText),
    ...take('fact', near(newest(onPage.filter((memory) => by('agent')(memory) && !isInstruction(memory)))), (memory) =>
      lastingFact(withoutCommit(keyedText(memory))),
    ),
    ...take(
      'insight',
      near(newest(own.filter((memory) => memory.page.startsWith('insights/') && isOurs(memory)))),
      ({ text }) => lastingInsight(firstLine(text)),
    ),
  ];
}

/** The pages of a project, the names of its clones, and whether another project has one of these names. */
function homeIn(places: readonly ProjectPlace[], { name, path }: DurableRequest['project']) {
  const homes = homesOf(places);
  const home = homes.get(path) ?? name;
  const isOurs = (place: ProjectPlace) => homes.get(place.path) === home;
  const names = new Set([name, ...places.filter(isOurs).map((place) => place.name)]);
  const isShared = places.some((place) => names.has(place.name) && !isOurs(place));
  // A person may have told something to the page of the folder's own name.
  const pages = isShared ? [projectPage(home)] : [...new Set([home, ...names].map(projectPage))];
  return { pages, names: [...names], isShared };
}

const sameChoice = 0.28;
const fewestOfChoice = 5;

/** Whether two answers of one session about one subject tell the same: questions of a plan often ask twice for one thing. */
function settlesTheSame(one: TargetMemory, other: TargetMemory): boolean {
  if (one.choice === undefined || other.choice === undefined || one.session !== other.session) return false;
  const subject = subjectOf(one.choice.question);
  if (subject === '' || subject !== subjectOf(other.choice.question)) return false;
  const named = wordsIn(subject);
  const wordsOf = ({ question, answer }: Choice) =>
    [...wordsIn(`${question} ${answer}`)]
      .filter((word) => !named.has(word))
      .map((word) => word.replace(/(?<=\p{L}{3})s$/u, ''));
  const [words, others] = [wordsOf(one.choice), new Set(wordsOf(other.choice))];
  const shared = words.filter((word) => others.has(word)).length;
  return shared >= fewestOfChoice && shared >= sameChoice * Math.min(words.length, others.size);
}

function decisionText({ text, choice, form }: TargetMemory): string {
  if (choice === undefined) return standsAlone(inOneLine(text), form) ? text : '';
  if (!choiceStandsAlone(choice)) return '';
  const told = withoutAnaphor(choice);
  if (told !== choice) return choiceText({ ...told, answer: cut(inOneLine(told.answer), longest) });
  return text.length <= longest ? text : choiceText(shortened(choice));
}

const wordsAround = choiceText({ question: '', answer: '' }).length;
const longestAnswer = longest - wordsAround - 40;

/** Keeps the answer and the subject of an answered question whole, and shortens the background of the question. */
function shortened(choice: Choice): Choice {
  // The label of the option says enough, because its description is on the page. Drop asides in the question too.
  const answer = inOneLine(choice.answer).replace(/(?<=\S{2,}) \((?:[^()]|\([^()]*\))*\)?[.…]?$/, '.');
  const question = inOneLine(choice.question).replace(/ \([^()]*\)/g, '');
  const subject = subjectOf(question);
  const whole = subject === '' ? longest : longestSentence - subject.length;
  const room = Math.max(50, whole - wordsAround - Math.min(answer.length, subject === '' ? 100 : longestAnswer));
  return {
    question: subject + cut(lastSentence(question.slice(subject.length), room), room),
    answer: cut(answer, longestAnswer),
  };
}

/** What was done about a fault. */
const cure =
  /^(?:(?:it|this) (?:was|is) )?(?:fixed|solved|resolved|avoided|worked around)\b|^the (?:fix|cure|solution|workaround)\b/i;
const longestCure = 200;

/** As many sentences as fit; the first one whole unless it is very long. The cure of a fault comes before details of the fault. */
function wholeSentences(text: string): string {
  if (text.length <= longest) return text;
  const [first = text, ...rest] = sentencesIn(text);
  const cured = rest.find((sentence) => cure.test(sentence));
  const end = cured === undefined ? '' : ` ${cut(cured, longestCure)}`;
  let out = cutOutsideCode(first, longestSentence - end.length) + end;
  for (const sentence of cured === undefined ? rest : []) {
    if (out.length + sentence.length >= longestSentence) break;
    out += ` ${sentence}`;
  }
  return out;
}

/** Also outside of brackets, if enough is left. */
function cutOutsideCode(text: string, most: number): string {
  const short = cut(text, most);
  if (short === text) return text;
  const bracket = short.lastIndexOf(' (');
  if (bracket > most / 2 && !short.slice(bracket).includes(')')) return `${short.slice(0, bracket)}.`;
  return short.split('`').length % 2 === 0 ? `${short.slice(0, short.lastIndexOf('`')).trimEnd()}…` : short;
}

/** A question often begins with its background. The last sentence is what it asks. */
function lastSentence(text: string, room: number): string {
  const sentences = text.split(/(?<=[.!?]) +/);
  const last = sentences.at(-1) ?? text;
  return text.length <= room || last.length < 25 ? text : last;
}

/** Those that name one of the files first; each group in the order given. */
const nearTo =
  (files: readonly string[]) =>
  (all: readonly TargetMemory[]): TargetMemory[] => {
    const names = files.map((file) => file.split('/').at(-1) ?? file).filter((name) => name.length > 3);
    const stems = names.map((name) => name.replace(/\.\w+$/, '')).filter((stem) => stem.length > 5);
    const isNear = ({ text }: TargetMemory) => [...names, ...stems].some((name) => text.includes(name));
    return [...all.filter(isNear), ...all.filter((memory) => !isNear(memory))];
  };

const keyedText = (memory: TargetMemory): string => {
  const { key, text } = factIn(memory);
  return key === '' ? text : `${key}: ${text}`;
};
/** A fact that names what it is about needs no title of a commit behind it. */
const withoutCommit = (text: string): string => {
  const bare = withoutSource(text);
  return identifier.test(bare) ? bare : text;
};
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;

/** The project's instructions hold these lines, and an agent reads them there. */
const isInstruction = (memory: TargetMemory): boolean =>
  memory.target.startsWith(`${keyedTarget('rule')} `) && factIn(memory).key === '';

const wordsIn = (text: string): Set<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter(isTellingWord));
const sameWords = 0.6;

/** Whether most words of the shorter text stand in the other one. */
function repeats(told: string, text: string): boolean {
  const [one, other] = [wordsIn(told), wordsIn(text)];
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared >= sameWords * Math.min(one.size, other.size);
}

const newest = (all: readonly TargetMemory[]): TargetMemory[] =>
  [...all].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
