// ③ Rows → files. Rows are saved first, and files depend only on them, so the next run repairs whatever a crash leaves behind.

import type { Config } from '../../config/config.ts';
import type { Conversation } from '../../schema/conversation.ts';
import { Extraction } from '../../schema/extraction.ts';
import { nameOfGroup } from '../../schema/group.ts';
import type { ExtractionRow, PlacedExtraction, Statement } from '../../store/memory/port.ts';
import type { PageState } from '../../store/pages/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { parsePage } from './blocks.ts';
import { type FileOnDisk, listPages, readPage, writePage } from './folder.ts';
import { homeRules, homesOf } from './homes.ts';
import { memoriesOn } from './memories-on.ts';
import { placingVersion, questionsPage } from './place.ts';
import { placeRow } from './place-row.ts';
import { planPage } from './plan.ts';
import { type Proposal, proposalsOf, settleMarked } from './proposals.ts';

export interface MemoryDeps {
  readonly store: Pick<Store, 'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>;
  readonly config: Config;
  readonly clock: () => number;
  /** Receives messages about pages that could not be read or committed. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface InLine {
  /** Pages whose files were written. */
  readonly pages: readonly string[];
}

/** How often a page may change while we write it before we give up. */
const patience = 50;

export type Source = Pick<Conversation, 'agent' | 'file' | 'firstPos' | 'firstAt' | 'lastAt' | 'session' | 'project'>;

/**
 * Stores the extraction of a conversation in place of its previous one. Idempotent: after a crash, calling it again completes it.
 * Rejects an invalid extraction and changes nothing. Only marks the pages as due; `writeDue` writes each page once for many
 * conversations.
 */
export async function keepExtraction(
  deps: MemoryDeps,
  conversation: Source,
  extraction: Extraction,
  by: string,
): Promise<void> {
  const checked = Extraction.safeParse(extraction);
  if (!checked.success)
    throw new HoldfastError('BAD_INPUT', `What was taken from session ${conversation.session} is not valid`, {
      hint: checked.error.issues[0]?.message ?? '',
      cause: checked.error,
    });
  const { agent, file, firstPos, session, project } = conversation;
  const moments = { firstAt: Date.parse(conversation.firstAt), lastAt: Date.parse(conversation.lastAt) };
  const group = await groupOf(deps, conversation);
  const row = { agent, file, firstPos, session, project, group, by, ...moments };
  const homes = await keepRules(deps);
  const forgotten = await deps.store.pages.forgotten();
  const placed = await placeRow(deps, row, checked.data, forgotten, homes);
  const before = await deps.store.memory.extraction(agent, file, firstPos);
  if (before === undefined || !sameRow(before, placed.row)) await deps.store.memory.saveExtractions([placed]);
}

const groupOf = async ({ store }: MemoryDeps, of: Pick<Source, 'agent' | 'session'>): Promise<string> =>
  nameOfGroup((await store.groups.of(of)) ?? '');

const sameRow = (a: ExtractionRow, b: ExtractionRow): boolean =>
  a.json === b.json &&
  a.by === b.by &&
  a.session === b.session &&
  a.project === b.project &&
  a.group === b.group &&
  a.firstAt === b.firstAt &&
  a.lastAt === b.lastAt;

/** Reads people's edits into rows and index, and writes every page that differs from its rows. Cheap if nothing has changed. */
export async function bringInLine(deps: MemoryDeps): Promise<InLine> {
  await keepRules(deps);
  const { store, config } = deps;
  const files = listPages(config.memoryPath);
  const known = new Map((await store.pages.list()).map((glance) => [glance.page, glance]));
  const pages: string[] = [];
  for (const page of new Set([...files.keys(), ...known.keys()])) {
    const glance = known.get(page);
    const asNoted = glance !== undefined && !glance.due && glance.stamp === (files.get(page) ?? '');
    const missing = glance?.derived === true && !files.has(page);
    if (page !== questionsPage && (!asNoted || missing) && (await syncPage(deps, page))) pages.push(page);
  }
  return { pages: [...new Set([...pages, ...(await syncQuestions(deps))])] };
}

/** Writes only the pages whose rows have changed. */
export async function writeDue(deps: MemoryDeps): Promise<InLine> {
  const pages: string[] = [];
  for (const { page, due } of await deps.store.pages.list())
    if (due && page !== questionsPage && (await syncPage(deps, page))) pages.push(page);
  return { pages: [...new Set([...pages, ...(await syncQuestions(deps))])] };
}

/** Places all statements again if the rules changed: after a change of the time zone, or when a second project gets the same name. */
async function keepRules(deps: MemoryDeps): Promise<ReadonlyMap<string, string>> {
  const { store, config } = deps;
  const homes = homesOf(await store.projects.places());
  const rules = `${placingVersion} ${config.settings.timeZone} ${homeRules(homes)}`.trim();
  const before = await store.memory.placingRules();
  if (before === rules) return homes;
  const forgotten = await store.pages.forgotten();
  const rows: PlacedExtraction[] = [];
  for (const { json, ...row } of await store.memory.extractions()) {
    const { data } = Extraction.safeParse(JSON.parse(json));
    // An extraction of an older version that is no longer valid stays where it is.
    if (data !== undefined)
      rows.push(
        await placeRow(deps, { ...row, group: (await groupOf(deps, row)) || row.group }, data, forgotten, homes),
      );
  }
  await store.memory.saveExtractions(rows, rules);
  return homes;
}

/** Carries out the marks that a person put on the page of questions, and removes those lines. Returns the written pages. */
async function syncQuestions(deps: MemoryDeps): Promise<readonly string[]> {
  const proposals = await proposalsOf(deps);
  const written = await writeQuestions(deps, proposals);
  const changed = await settleMarked(deps, proposals);
  if (changed.length === 0) return written;
  const pages = [...written];
  for (const page of changed) if (await syncPage(deps, page)) pages.push(page);
  pages.push(...(await writeQuestions(deps, await proposalsOf(deps))));
  // Erase rejected text from the database file too.
  await deps.store.admin.scrub();
  return [...new Set(pages)];
}

async function writeQuestions(deps: MemoryDeps, proposals: readonly Proposal[]): Promise<readonly string[]> {
  const state = await deps.store.pages.get(questionsPage);
  const isNone = proposals.length + state.statements.length + state.edits.length === 0 && state.written === undefined;
  if (isNone && readPage(deps.config.memoryPath, questionsPage) === undefined) return [];
  const more = proposals.map(({ line }) => line);
  const isLeftOut = await settledIn(deps, state.statements);
  return (await syncPage(deps, questionsPage, { more, isLeftOut })) ? [questionsPage] : [];
}

/** Tells a person's questions whose sessions went on afterwards: the person had the answer, or did without it. */
async function settledIn({ store }: MemoryDeps, statements: readonly Statement[]): Promise<Changed['isLeftOut']> {
  const isAsked = ({ kind, saidBy }: Statement) => kind === 'question' && saidBy === 'person';
  const ends = new Map<string, number>();
  for (const session of new Set(statements.filter(isAsked).map((one) => one.session)))
    for (const { id, endedAt } of await store.sessions.find(session))
      if (id === session) ends.set(session, Math.max(ends.get(session) ?? 0, Date.parse(endedAt)));
  return (statement) => isAsked(statement) && (ends.get(statement.session) ?? 0) > statement.at;
}

interface Changed {
  /** Lines that no row holds. */
  readonly more: readonly Statement[];
  isLeftOut(statement: Statement): boolean;
}

const unchanged: Changed = { more: [], isLeftOut: () => false };

/** True if it wrote the file. */
export async function syncPage(
  deps: MemoryDeps,
  page: string,
  { more, isLeftOut }: Changed = unchanged,
): Promise<boolean> {
  const { store, config } = deps;
  const { memoryPath, settings } = config;
  for (let tries = 0; tries < patience; tries++) {
    const stored = await store.pages.get(page);
    const kept = stored.statements.filter((statement) => !isLeftOut(statement));
    const state = { ...stored, statements: [...kept, ...more] };
    let file: FileOnDisk | undefined;
    try {
      file = readPage(memoryPath, page);
    } catch (error) {
      if (!(error instanceof HoldfastError) || error.code !== 'UNREADABLE') throw error;
      // One bad file must not stop us from writing the others.
      deps.log?.(`${error.message}. ${error.hint ?? ''}`);
      return false;
    }
    if (isPersonal(stored) && more.length === 0) {
      if (await settlePersonal(deps, page, state, file)) return false;
      continue;
    }
    const { edits, written, next, memories } = planPage(page, state, file, { timeZone: settings.timeZone });
    let version: number | undefined = state.version;
    if (edits.length > 0 || written !== undefined || next !== undefined || state.intended !== undefined) {
      version = await store.pages.prepare(page, version, { edits, written, intended: next });
      if (version === undefined) continue;
    }
    const put = () => {
      if (next === undefined)
        return readPage(memoryPath, page)?.text === file?.text
          ? { stamp: file?.stamp ?? '', derived: true }
          : undefined;
      const done = writePage(config, page, next.text, file);
      return done === undefined ? undefined : { ...done, derived: done.stamp !== '' };
    };
    if (await store.pages.settle(page, version, put, memories)) return next !== undefined;
  }
  throw new HoldfastError('CONFLICT', `${page} changes faster than it can be written`, {
    hint: 'Close the program that writes it. Holdfast keeps its own changes and writes them later.',
  });
}

/** True for a file that a person made. Holdfast searches it but never changes it. */
export const isPersonal = ({ statements, edits, written, intended }: PageState): boolean =>
  statements.length + edits.length === 0 && written === undefined && intended === undefined;

async function settlePersonal(
  { store, config }: MemoryDeps,
  page: string,
  state: PageState,
  file: FileOnDisk | undefined,
): Promise<boolean> {
  const blocks = parsePage(file?.text ?? '').map((block, i) => ({ ...block, target: `own:${i}` }));
  const { timeZone } = config.settings;
  const memories = memoriesOn({ page, blocks, personal: true, ...state, changedAt: file?.changedAt ?? 0, timeZone });
  return store.pages.settle(page, state.version, () => ({ stamp: file?.stamp ?? '', derived: false }), memories);
}
