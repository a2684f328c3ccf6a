// What holds beyond sessions, for the briefing: how the project is run, what the person decided, what agents noted and found out.

import { factIn } from '../../distill/memory/fact-line.ts';
import { homesOf } from '../../distill/memory/homes.ts';
import { projectPage } from '../../distill/memory/place.ts';
import { choiceIn } from '../../distill/offline/choices.ts';
import { cut, inOneLine } from '../../language/gist.ts';
import type { SaidBy } from '../../schema/memory.ts';
import type { TargetMemory } from '../../store/memory/port.ts';
import type { ProjectPlace } from '../../store/projects/port.ts';
import type { Store } from '../../store/store.ts';

export interface Durable {
  readonly kind: 'command' | 'decision' | 'fact' | 'insight';
  readonly id: string;
  readonly at: number;
  readonly text: string;
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
const most = { command: 8, decision: 8, fact: 8, insight: 4 } as const;
const longest = 220;
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
  const told = new Set<string>();
  const take = (
    kind: Durable['kind'],
    all: readonly TargetMemory[],
    text: (memory: TargetMemory) => string,
  ): Durable[] =>
    all
      .map((memory) => ({
        kind,
        id: memory.id,
        at: Date.parse(memory.at),
        text: shortened(inOneLine(text(memory))),
      }))
      .filter((one) => !isSaid(one.text) && !told.has(plain(one.text)) && told.add(plain(one.text)))
      .slice(0, most[kind]);
  const by = (source: SaidBy) => (memory: TargetMemory) => memory.saidBy === source;
  return [
    ...take('command', onPage.filter(by('runs')), (memory) => factIn(memory).text),
    ...take(
      'decision',
      [...newest(onPage.filter(by('person'))), ...newest(core.filter(by('person')))],
      ({ text }) => text,
    ),
    ...take('fact', near(newest(onPage.filter(by('agent')))), keyedText),
    ...take(
      'insight',
      near(newest(own.filter((memory) => memory.page.startsWith('insights/') && isOurs(memory)))),
      ({ text }) => firstLine(text),
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

/** Of an answered question the answer is what counts: it stays whole, and the question gives way. */
function shortened(text: string): string {
  const choice = text.length <= longest ? undefined : choiceIn(text);
  if (choice === undefined) return cut(text, longest);
  const { before, question } = choice;
  // The label of the option says enough; its description is on the page.
  const after = choice.after.replace(/(?<=\S{2,}) \([^()]*\)\.?$/, '.');
  const room = longest - before.length - Math.min(after.length, 120);
  return before + cut(lastSentence(question, room), room) + cut(after, longest - before.length - 40);
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

/** The page names the commit; here the heading says that agents noted it. */
const fromCommit = / \(From the (?:commit|pull request) “[^”]*”\.\)$/;

const keyedText = (memory: TargetMemory): string => {
  const { key, text: whole } = factIn(memory);
  const text = whole.replace(fromCommit, '');
  return key === '' ? text : `${key}: ${text}`;
};
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const newest = (all: readonly TargetMemory[]): TargetMemory[] =>
  [...all].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
