// ③ Reads what the pages say now about the subjects of a conversation, for a model that is about to change them. The result is bounded.

import { isTellingWord } from '../../language/stop-words.ts';
import type { Conversation } from '../../schema/conversation.ts';
import type { InsightPlace } from '../../schema/extraction.ts';
import { nameOfGroup } from '../../schema/group.ts';
import type { About, SaidBy } from '../../schema/memory.ts';
import { toMoment } from '../../schema/time.ts';
import type { PageState } from '../../store/pages/port.ts';
import { standing } from './edits.ts';
import { pageOfGroup } from './group-pages.ts';
import { homeOf, homesOf } from './homes.ts';
import type { MemoryDeps } from './librarian.ts';
import { stripped } from './memories-on.ts';
import { corePages, projectPage } from './place.ts';
import { unprovenNotes, versionsOf } from './versions.ts';

export interface KnownLine {
  readonly key: string;
  readonly text: string;
  readonly at: number;
  readonly saidBy: SaidBy;
  /** Only one session has said it so far. */
  readonly isNote: boolean;
}

export interface KnownSubject {
  readonly list: 'projects' | 'people' | 'facts';
  /** The name of the project or person; for facts, their subject (`user`, `procedure` or `world`). */
  readonly name: string;
  readonly lines: readonly KnownLine[];
}

export interface KnownInsight {
  /** `i1`, for example: the model refers to the insight by this id. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly at: number;
  readonly place: InsightPlace;
}

export interface KnownPages {
  readonly subjects: readonly KnownSubject[];
  readonly insights: readonly KnownInsight[];
}

export const nothingKnown: KnownPages = { subjects: [], insights: [] };

const most = { lines: 60, people: 8, insights: 10 };

/** `said` is the text of the conversation: it determines which people and insights are relevant. A group's conversation gets only that group's pages. */
export async function knownFor(
  { store }: Pick<MemoryDeps, 'store'>,
  conversation: Pick<Conversation, 'agent' | 'session' | 'project'>,
  said: string,
): Promise<KnownPages> {
  const group = nameOfGroup((await store.groups.of(conversation)) ?? '');
  const text = said.toLowerCase();
  const subjects: KnownSubject[] = [];
  const { project } = conversation;
  if (project !== '') {
    const home = await homeOf(store, homesOf(await store.projects.places()), conversation);
    const state = await store.pages.get(pageOfGroup(group, projectPage(home)));
    subjects.push({ list: 'projects', name: project, lines: linesOf(state) });
  }
  for (const [about, { page }] of Object.entries(corePages) as [About, { page: string }][])
    subjects.push({ list: 'facts', name: about, lines: linesOf(await store.pages.get(pageOfGroup(group, page))) });
  const pages = (await store.pages.list()).map(({ page }) => page);
  const people = pageOfGroup(group, 'relationships/');
  const mentioned = pages.filter(
    (page) => page.startsWith(people) && text.includes(firstNameIn(page.slice(people.length))),
  );
  for (const page of mentioned.slice(0, most.people)) {
    const state = await store.pages.get(page);
    subjects.push({ list: 'people', name: state.statements[0]?.title ?? '', lines: linesOf(state) });
  }
  const insights = await insightsFor({ store }, { group, project }, text);
  return { subjects: subjects.filter(({ name, lines }) => name !== '' && lines.length > 0), insights };
}

const firstNameIn = (slug: string): string => slug.split(/[/-]/)[0] ?? slug;

/** The latest lines, with the person's edits. */
function linesOf({ statements, merged, edits }: PageState): KnownLine[] {
  const edited = standing(edits);
  const holding = versionsOf(statements, merged).flatMap(({ target, current }): KnownLine[] => {
    const edit = edited.get(target);
    if (current.kind !== 'keyed' || edit?.kind === 'remove') return [];
    const { key, text, at, saidBy } = current;
    if (edit === undefined) return [{ key, text, at, saidBy, isNote: false }];
    const now = stripped(edit.text);
    const hasKey = now.toLowerCase().startsWith(`${key.toLowerCase()}:`);
    return [
      { key, text: hasKey ? now.slice(key.length + 1).trim() : now, at: edit.at, saidBy: 'person', isNote: false },
    ];
  });
  const notes = unprovenNotes(statements, merged).map(({ key, text, at, saidBy }) => ({
    ...{ key, text, at, saidBy, isNote: true },
  }));
  return [...holding, ...notes].sort((a, b) => b.at - a.at || (a.key < b.key ? -1 : 1)).slice(0, most.lines);
}

/** The project's insights that share the most words with the conversation. */
async function insightsFor(
  { store }: Pick<MemoryDeps, 'store'>,
  { group, project }: { readonly group: string; readonly project: string },
  text: string,
): Promise<KnownInsight[]> {
  const said = new Set(wordsOf(text));
  const folder = pageOfGroup(group, 'insights/');
  const all = (await store.memory.list({ group, kind: 'evergreen' })).filter(
    (one) => one.page.startsWith(folder) && one.project === project,
  );
  const scored = all
    .map((one) => ({ one, shared: new Set(wordsOf(`${one.title} ${one.text}`).filter((word) => said.has(word))).size }))
    .filter(({ shared }) => shared > 1)
    .sort((a, b) => b.shared - a.shared || (a.one.id < b.one.id ? -1 : 1));
  const found: KnownInsight[] = [];
  for (const { one } of scored.slice(0, most.insights)) {
    const { statements, merged } = await store.pages.get(one.page);
    const first = versionsOf(statements, merged).find(({ target }) => target === one.target)?.all[0];
    if (first === undefined) continue;
    const place = { at: toMoment(first.at), title: first.title, target: one.target };
    found.push({ id: `i${found.length + 1}`, title: one.title, text: one.text, at: Date.parse(one.at), place });
  }
  return found;
}

const wordsOf = (text: string): string[] =>
  (
    text
      .slice(0, 50_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{2,60}/gu) ?? []
  ).filter(isTellingWord);
