// What holds beyond sessions, for the briefing: decisions from observations, facts about the project and about the person from memories.
import type { Memory } from '../schema/memory.ts';
import type { Observation } from '../schema/observation.ts';
import type { Store } from '../store/store.ts';
import { cut, inOneLine } from '../text/gist.ts';

export interface Durable {
  readonly kind: 'decision' | 'fact';
  readonly id: string;
  readonly at: number;
  readonly text: string;
}

export interface DurableRequest {
  readonly project: { readonly name: string; readonly path: string };
  /** Sessions and entries of which nothing may be said. */
  isMuted(kind: 'session' | 'entry', id: string): boolean;
}

const lookedAt = 80;
const mostDecisions = 5;
const mostFacts = 6;
const longest = 220;
const corePages = ['core/preferences.md', 'core/procedures.md', 'core/facts.md'];

/** Decisions first, newest first; then the project's facts, then those that hold everywhere. */
export async function durableOf(store: Store, request: DurableRequest): Promise<Durable[]> {
  const { project, isMuted } = request;
  const observed = await store.observations({ project: { path: project.path }, limit: lookedAt });
  const heard = observed.filter(
    ({ session, entries }) => !isMuted('session', session) && !entries.some((entry) => isMuted('entry', entry)),
  );
  const facts = async (filter: Parameters<Store['memories']>[0]) =>
    (await store.memories({ ...filter, kind: 'evergreen', limit: lookedAt })).filter(
      ({ session }) => !isMuted('session', session),
    );
  const own = (await facts({ project: project.name, group: '' })).filter(({ page }) => page.startsWith('projects/'));
  const core = (await Promise.all(corePages.map((page) => facts({ page })))).flat();
  const decided = decisionsIn(heard);
  const said = new Set(decided.map(({ text }) => plain(text)));
  const fresh = (all: readonly Memory[]) =>
    newest(all)
      .filter(({ text }) => !said.has(plain(withoutKey(text))) && said.add(plain(withoutKey(text))))
      .slice(0, mostFacts)
      .map(toFact);
  return [...decided, ...fresh(own), ...fresh(core)];
}

const marked = /^(The person decided|Decided): [“"](.*)[”"]$/;

/** The person's words are told as known, an agent's with their source. */
const agentsWords = '(an agent’s words)';

function decisionsIn(observations: readonly Observation[]): Durable[] {
  const found = new Map<string, Durable>();
  const agents = new Set<Durable>();
  for (const { id, at, facts, by } of observations)
    for (const fact of facts) {
      const [, opening, text] = marked.exec(fact) ?? [];
      if (text === undefined || found.has(plain(text))) continue;
      // A model may have these words from anywhere; the offline distiller has them from a prompt.
      const persons = opening !== 'Decided' && by === 'offline';
      const said = cut(inOneLine(text), longest);
      const one: Durable = {
        kind: 'decision',
        id,
        at: Date.parse(at),
        text: persons ? said : `${said} ${agentsWords}`,
      };
      found.set(plain(text), one);
      if (!persons) agents.add(one);
    }
  // What an agent decided takes no place from what the person did.
  const all = [...found.values()];
  return [...all.filter((one) => !agents.has(one)), ...agents].slice(0, mostDecisions);
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A statement stands behind its key: `database: we use sqlite`. */
const withoutKey = (text: string): string => text.replace(/^[^:.!?]{1,80}: /, '');

const newest = (all: readonly Memory[]): Memory[] => [...all].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));

const toFact = ({ id, at, text }: Memory): Durable => ({
  kind: 'fact',
  id,
  at: Date.parse(at),
  text: cut(inOneLine(text), longest),
});
