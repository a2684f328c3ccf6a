// What holds beyond sessions, for the briefing: how the project is run, what the person decided, what agents noted and found out.

import { homesOf } from '../../distill/memory/homes.ts';
import { cut, inOneLine } from '../../language/gist.ts';
import type { Memory } from '../../schema/memory.ts';
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
  const read = async (filter: Parameters<Store['memory']['list']>[0]): Promise<Memory[]> =>
    (await store.memory.list({ ...filter, group: '', kind: 'evergreen', limit: lookedAt })).filter(
      ({ session }) => !isMuted('session', session),
    );
  const own = await read({ project: project.name });
  const home = homesOf(await store.projects.places()).get(project.path) ?? project.name;
  const suffix = home.slice(project.name.length);
  const onPage = own.filter(({ page }) => page.startsWith('projects/') && page.endsWith(`${suffix}/overview.md`));
  const core = (await Promise.all(corePages.map((page) => read({ page })))).flat();
  // Another project of this name has separate insights.
  const isOurs = ({ session }: Memory) => suffix === '' || sessions.includes(session);
  const near = nearTo(files);
  const told = new Set<string>();
  const take = (kind: Durable['kind'], all: readonly Memory[], text: (memory: Memory) => string): Durable[] =>
    all
      .map((memory) => ({
        kind,
        id: memory.id,
        at: Date.parse(memory.at),
        text: shortened(inOneLine(text(memory))),
      }))
      .filter((one) => !isSaid(one.text) && !told.has(plain(one.text)) && told.add(plain(one.text)))
      .slice(0, most[kind]);
  const by = (source: Memory['saidBy']) => (memory: Memory) => memory.saidBy === source;
  return [
    ...take('command', onPage.filter(by('runs')), ({ text }) => withoutKey(unmarked(text))),
    ...take(
      'decision',
      [...newest(onPage.filter(by('person'))), ...newest(core.filter(by('person')))],
      ({ text }) => text,
    ),
    ...take('fact', near(newest(onPage.filter(by('agent')))), ({ text }) => unmarked(text)),
    ...take(
      'insight',
      near(newest(own.filter((memory) => memory.page.startsWith('insights/') && isOurs(memory)))),
      ({ text }) => firstLine(text),
    ),
  ];
}

/** Of an answered question the answer is what counts: it stays whole, and the question gives way. */
function shortened(text: string): string {
  const [, asked, question = '', chosen = ''] =
    /^((?:[^“”]{0,60}: )?Asked “)(.+)(”, the person chose: .+)$/s.exec(text) ?? [];
  if (asked === undefined || text.length <= longest) return cut(text, longest);
  const room = longest - asked.length - Math.min(chosen.length, 120);
  return asked + cut(lastSentence(question, room), room) + cut(chosen, longest - asked.length - 40);
}

/** What is asked stands at the end; before it stands what it is about. */
function lastSentence(text: string, room: number): string {
  const sentences = text.split(/(?<=[.!?]) +/);
  const last = sentences.at(-1) ?? text;
  return text.length <= room || last.length < 25 ? text : last;
}

/** Those that name one of the files first; each group in the order given. */
const nearTo =
  (files: readonly string[]) =>
  (all: readonly Memory[]): Memory[] => {
    const names = files.map((file) => file.split('/').at(-1) ?? file).filter((name) => name.length > 3);
    const stems = names.map((name) => name.replace(/\.\w+$/, '')).filter((stem) => stem.length > 5);
    const isNear = ({ text }: Memory) => [...names, ...stems].some((name) => text.includes(name));
    return [...all.filter(isNear), ...all.filter((memory) => !isNear(memory))];
  };

const unmarked = (text: string): string => text.replace(/ \((?:an agent’s words|seen in commands)\)/g, '');
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A statement follows its key: `test command: Tests are run with …`. */
const withoutKey = (text: string): string => text.replace(/^[^.!?`]{1,80}?: /, '');

const newest = (all: readonly Memory[]): Memory[] => [...all].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
