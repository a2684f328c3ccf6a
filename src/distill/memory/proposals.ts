// ③ Proposals wait for a person's decision on the page of questions: statements of conversations that contradict what the person wrote, and
// notes from a single session. A mark in the box of a line keeps the statement or rejects it for good.

import type { Statement } from '../../store/memory/port.ts';
import type { Edit, PageState } from '../../store/pages/port.ts';
import { nextMoment, standing } from './edits.ts';
import { ownerOf } from './group-pages.ts';
import type { MemoryDeps } from './librarian.ts';
import { groupOf, memoryId } from './memories-on.ts';
import { hash, plain, sameText } from './names.ts';
import { hashesOf, questionsPage } from './place.ts';
import { rowsWithout } from './place-row.ts';
import { mergedInto, unprovenNotes, versionsOf } from './versions.ts';

export interface Proposal {
  /** The line on the page of questions. */
  readonly line: Statement;
  /** The statement of the conversation, with the page it belongs to. */
  readonly said: Statement;
  /** Its target on that page, after merges. */
  readonly target: string;
  /** Whether it is a note: there is nothing else under its key, so rejecting it also rejects the key. */
  readonly isNote: boolean;
}

type Deps = Pick<MemoryDeps, 'store' | 'config' | 'clock'>;

/** A note leaves the page when the last conversation is this many half-lives later. */
const fadedAfter = 3;
const dayMs = 86_400_000;

export async function proposalsOf(deps: Deps): Promise<Proposal[]> {
  return [...(await doubts(deps)), ...(await notes(deps))];
}

const proposal = (said: Statement, target: string, isNote: boolean, text: string): Proposal => ({
  said,
  target,
  isNote,
  line: {
    ...said,
    ...{ page: questionsPage, kind: 'proposal', key: '', why: '', text },
    target: `q:${hash(isNote ? 'note' : 'doubt', said.page, target, said.text).slice(0, 12)}`,
  },
});

/** Statements of conversations that contradict a person's earlier word. That word stays, and the page asks the person. */
async function doubts({ store }: Deps): Promise<Proposal[]> {
  const latest = new Map<string, Statement>();
  for (const statement of await store.pages.contested())
    latest.set(`${statement.page}\0${statement.target}`, statement);
  const states = new Map<string, PageState>();
  const found: Proposal[] = [];
  for (const statement of latest.values()) {
    const { page, key, text, kind } = statement;
    // The questions are on the person's own page, where a group's statements do not belong.
    if (ownerOf(page).group !== '') continue;
    const state = states.get(page) ?? (await store.pages.get(page));
    states.set(page, state);
    const target = mergedInto(statement.target, state.merged);
    const edit = standing(state.edits).get(target);
    const asked = versionsOf(state.statements, state.merged).find((each) => each.target === target)?.current;
    if (edit !== undefined && edit.kind !== 'change') continue;
    const kept = edit?.text ?? (asked === undefined || asked.source === 'conversation' ? undefined : asked.text);
    if (kept === undefined) continue;
    if (kind !== 'retired' && (sameText(kept, text) || kept.includes(text.trim()))) continue;
    const claim = kind === 'retired' ? `that “${key}” no longer holds (${text})` : `“${key}: ${text}”`;
    found.push(
      proposal(
        ...([statement, target, false] as const),
        `a conversation said ${claim}, but ${page} keeps what a person wrote. Is that still right?`,
      ),
    );
  }
  return found;
}

/** Unproven notes that have not faded. Their age counts up to the last conversation, not to now, so that equal rows give equal pages. */
async function notes({ store, config }: Deps): Promise<Proposal[]> {
  const { statements, lastAt } = await store.pages.noted();
  const oldest = lastAt - fadedAfter * config.settings.memoryHalfLifeDays * dayMs;
  const pages = new Map<string, Statement[]>();
  for (const each of statements) pages.set(each.page, [...(pages.get(each.page) ?? []), each]);
  return [...pages].flatMap(([page, said]) =>
    ownerOf(page).group !== ''
      ? []
      : unprovenNotes(said)
          .filter(({ at }) => at >= oldest)
          .map((note) =>
            proposal(note, note.target, true, `“${note.key}: ${note.text}” was said in one session. Is it so?`),
          ),
  );
}

/** Carries out the person's marks and returns the pages that are due. The marks are already rows, so a crash only delays them. */
export async function settleMarked(deps: Deps, proposals: readonly Proposal[]): Promise<readonly string[]> {
  if (proposals.length === 0) return [];
  const marked = standing((await deps.store.pages.get(questionsPage)).edits);
  const due = new Set<string>();
  for (const each of proposals) {
    const edit = marked.get(each.line.target);
    const mark = edit?.kind === 'change' ? markIn(edit.text) : undefined;
    if (mark === undefined) continue;
    if (mark === 'reject') await reject(deps, each);
    else await keep(deps, each);
    due.add(each.said.page);
  }
  return [...due];
}

const markIn = (line: string): 'keep' | 'reject' | undefined => {
  const mark = /^ ?[-*+] +\[\s*([xX✓-])\s*\]/.exec(line)?.[1];
  return mark === undefined ? undefined : mark === '-' ? 'reject' : 'keep';
};

/** Removes the statement from the rows in one transaction with its question. The hashes keep it from coming back. */
async function reject(deps: Deps, { said, line, isNote }: Proposal): Promise<void> {
  const { store } = deps;
  const hashes = isNote ? hashesOf(said) : [hash('text', plain(said.text))];
  const rows = await rowsWithout(deps, new Set([...(await store.pages.forgotten()), ...hashes]));
  await store.pages.forgetTarget(questionsPage, line.target, hashes, rows);
}

/** Stores the statement as if the person had asked to remember it. Idempotent, so it can be repeated after a crash. */
async function keep({ store, clock }: Deps, { said, target, line }: Proposal): Promise<void> {
  const state = await store.pages.get(said.page);
  const edits = [...standing(state.edits).keys()].filter((each) => groupOf(each) === target);
  const change = (kind: Edit['kind'], on: string): Edit => ({
    ...{ target: on, kind, text: '', tight: false, front: false, anchor: '', section: '', before: '' },
    at: nextMoment(state.edits, clock()),
  });
  if (said.kind === 'retired') await store.pages.addEdit(said.page, change('remove', target));
  else {
    await store.memory.saveStatement({
      ...said,
      ...{ kind: 'keyed', at: clock(), file: '', pos: 0, order: 0, source: 'promoted', saidBy: 'person' },
      from: `${memoryId(said.page, said.target, said.text)} ${said.page}`,
    });
    for (const each of edits) await store.pages.addEdit(said.page, change('release', each));
  }
  await store.pages.forgetTarget(questionsPage, line.target, [], []);
}
