// ④ The briefing: what an agent is told at session start. Store → Markdown, within a budget, the same every time. It names dates and never
// says "yesterday", because it is prepared as a file and may be read days later.
import type { Config } from '../../config/config.ts';
import { filesTouched, type TouchedFile } from '../../language/files-touched.ts';
import { cut, gist, inOneLine } from '../../language/gist.ts';
import { fulfils, isPrompt, openEnds } from '../../language/open-ends.ts';
import { estimateTokens } from '../../language/tokens.ts';
import type { BriefingItem, BriefingSource } from '../../schema/briefing.ts';
import { briefingTag } from '../../schema/briefing-tag.ts';
import type { Pin } from '../../schema/pin.ts';
import { coreOf } from '../../schema/statement-form.ts';
import type { ProjectDigest, ProjectFilter } from '../../store/projects/port.ts';
import type { Touch } from '../../store/search/port.ts';
import type { SessionEnding, SessionGlance } from '../../store/sessions/port.ts';
import type { Store } from '../../store/store.ts';
import { type Calendar, dates } from '../question/calendar.ts';
import { shortIds } from '../shown/short-ids.ts';
import { allot } from './budget.ts';
import { type Durable, durableOf } from './durable.ts';
import { instructionsOf } from './instructions.ts';
import { isHeading, lastSessions } from './last-sessions.ts';
import { body, footOf, headingOf, headOf, type Item } from './layout.ts';
import { endOf, named, outcomeOf, placeOf, saysNoMore, type Told, titleOf, withHeadline } from './session-told.ts';
import { teammateItems, teammatesIn } from './teammates.ts';
import { isAside, isMinor, namesWork } from './worth-telling.ts';

export interface BriefingDeps {
  readonly store: Pick<Store, 'distilled' | 'entries' | 'hub' | 'memory' | 'pins' | 'projects' | 'search' | 'sessions'>;
  readonly config: Config;
  readonly clock: () => number;
}

export interface BriefingRequest {
  readonly project: ProjectFilter;
  /** The session to brief. */
  readonly session?: string | undefined;
  readonly source?: BriefingSource | undefined;
}

export interface Briefing {
  /** Name of the project; empty when nothing is known about it. */
  readonly project: string;
  readonly text: string;
  readonly items: readonly BriefingItem[];
}

/** The client replaces longer text with a preview. */
export const mostCharacters = 9500;

const glancedAt = 40;
const detailed = 6;
const mostEarlier = 12;
const mostFiles = 3;
/** A small project shows its files by itself. */
const fewestForFiles = 8;
const mostTouches = 600;

const nothing: Briefing = { project: '', text: '', items: [] };

export async function briefing(deps: BriefingDeps, request: BriefingRequest): Promise<Briefing> {
  const about = await openBriefings(deps, request.project);
  return about === undefined ? nothing : about.tell(request);
}

/** Everything that the briefings of one project share, read once. */
export interface ProjectBriefings {
  readonly project: ProjectDigest;
  /** The sessions that a briefing can be about, newest first. */
  readonly known: readonly SessionGlance[];
  tell(request: Pick<BriefingRequest, 'session' | 'source'>): Promise<Briefing>;
}

/** Undefined if nothing is known, or nothing may be said. */
export async function openBriefings(deps: BriefingDeps, project: ProjectFilter): Promise<ProjectBriefings | undefined> {
  const { store, config } = deps;
  const { briefingTokens, timeZone } = config.settings;
  const digest = briefingTokens === 0 ? undefined : await store.projects.digest(project);
  if (digest === undefined) return undefined;
  const marks = marksOf(await store.pins.list());
  if (marks.muted('project', digest.path)) return undefined;

  const known = (await store.sessions.recent(digest.path, glancedAt)).filter(({ id }) => !marks.muted('session', id));
  const tell = once(async (glance: SessionGlance): Promise<Told> => {
    const ending = heard(await store.sessions.ending(glance.agent, glance.id), marks);
    const summary = (await store.distilled.summaries({ agent: glance.agent, session: glance.id, limit: 1 }))[0];
    const session = (await store.sessions.find(glance.id)).find((one) => one.agent === glance.agent);
    const title = named(glance, session?.titleSource, summary);
    const place = placeOf(session, digest.path);
    const isNamed = session?.titleSource === 'person' || summary === undefined;
    return withHeadline({ glance: title, ending, open: openEnds(ending), summary, place, isNamed });
  });
  /** The title alone: an earlier session needs no more. */
  const titled = once(async (glance: SessionGlance): Promise<SessionGlance> => {
    const [summary] = await store.distilled.summaries({ agent: glance.agent, session: glance.id, limit: 1 });
    if (summary === undefined || summary.title === glance.title) return glance;
    const session = (await store.sessions.find(glance.id)).find((one) => one.agent === glance.agent);
    return named(glance, session?.titleSource, summary);
  });
  const touchesOf = once((glance: SessionGlance) => store.search.touches([glance], mostTouches));
  const pinned = await pinnedItems(deps, digest, marks, tell);
  const team = await teammatesIn(store, digest.path);
  const isSaid = instructionsOf(digest.path);
  const days = dates(timeZone);
  const ids = shortIds(known.map(({ id }) => id));

  async function touched(sessions: readonly SessionGlance[], limit: number): Promise<TouchedFile[]> {
    const found: Touch[] = [];
    for (const glance of sessions) {
      if (found.length >= limit) break;
      found.push(...(await touchesOf(glance)).slice(0, limit - found.length));
    }
    return filesTouched(found, digest?.path ?? '');
  }

  async function compose({ session, source }: Pick<BriefingRequest, 'session' | 'source'>): Promise<Briefing> {
    const goesOn = source === 'resume' || source === 'compact';
    const own = goesOn ? known.find(({ id }) => id === session) : undefined;
    const others = distinct(known.filter(({ id }) => id !== session));
    const told = await Promise.all(others.slice(0, detailed).map(tell));
    const files = await touched(others, mostTouches);
    const all = await durableOf(store, {
      ...{ project: digest as ProjectDigest, files: files.slice(0, 30).map(({ file }) => file) },
      ...{ isMuted: marks.muted, isSaid, sessions: known.map(({ id }) => id) },
    });
    if (told.length === 0 && own === undefined && pinned.length === 0) return nothing;
    const facts = all.filter(({ kind }) => kind === 'fact');
    const shown = await lastSessions(others, tell, facts, detailed);
    const earlier = await Promise.all(others.slice(shown.seen, shown.seen + mostEarlier).map(titled));
    const durable = all
      .filter((one) => one.kind !== 'fact' || !isHeading(one, shown.told))
      .map((one) => withSession(one, shown.byFact.get(one.id), ids));
    const isTold = (message: string) => durable.some(({ text }) => saysNoMore(text, message));
    const claims: Item[] = [
      ...pinned.map((make) => make(days, ids)),
      ...(own === undefined ? [] : thisSession(await tell(own), await touched([own], 200))),
      ...leftOpen(told, days, ids),
      ...teammateItems(team, others[0]?.endedAt, days),
      ...durableItems(durable),
      ...shown.told
        .map((one, i) => sessionItem(one, 'session', 20 + 10 * i, days, ids, isTold))
        .filter(({ item }) => !marks.isPinned(item.id)),
      ...earlier
        .filter(({ title }) => namesWork(title) && !isMinor(title) && !isTold(title))
        .map((glance, i) => earlierItem(glance, i, days, ids)),
      ...(others.length < fewestForFiles ? [] : fileItems(files)),
    ];
    return fitted(digest as ProjectDigest, claims, days, briefingTokens);
  }

  return { project: digest, known, tell: compose };
}

function fitted(digest: ProjectDigest, claims: readonly Item[], days: Calendar, tokens: number): Briefing {
  const head = `<${briefingTag}>\n${headOf(digest, days)}\n`;
  const foot = `\n${footOf(digest)}\n</${briefingTag}>`;
  const room = {
    characters: mostCharacters - head.length - foot.length,
    tokens: tokens - estimateTokens(head) - estimateTokens(foot),
  };
  const kept = allot(claims, room, headingOf);
  return {
    project: digest.name,
    text: head + body(kept) + foot,
    items: [{ kind: 'project', text: headOf(digest, days) }, ...kept.map(({ item }) => item)],
  };
}

/** Several briefings of a project need the same sessions. */
function once<T>(ask: (glance: SessionGlance) => Promise<T>): (glance: SessionGlance) => Promise<T> {
  const answers = new Map<SessionGlance, Promise<T>>();
  return (glance) => {
    const answer = answers.get(glance) ?? ask(glance);
    answers.set(glance, answer);
    return answer;
  };
}

interface Marks {
  readonly pinned: readonly Pin[];
  isPinned(session: string | undefined): boolean;
  muted(kind: Pin['kind'], id: string): boolean;
}

function marksOf(pins: readonly Pin[]): Marks {
  const muted = new Set(pins.filter(({ mark }) => mark === 'muted').map(({ kind, id }) => `${kind} ${id}`));
  return {
    pinned: pins.filter(({ mark }) => mark === 'pinned'),
    isPinned: (session) => pins.some((pin) => pin.mark === 'pinned' && pin.kind === 'session' && pin.id === session),
    muted: (kind, id) => muted.has(`${kind} ${id}`),
  };
}

/** What may be said about an ending: nothing muted. */
const heard = (ending: SessionEnding, marks: Marks): SessionEnding => ({
  prompts: ending.prompts.filter(({ id }) => !marks.muted('entry', id)),
  entries: ending.entries.filter(({ id }) => !marks.muted('entry', id)),
  toolUses: ending.toolUses.filter(({ entry }) => !marks.muted('entry', entry)),
});

/** Mentions a repeated prompt, perhaps from a script, only once. */
function distinct(sessions: readonly SessionGlance[]): SessionGlance[] {
  const seen = new Set<string>();
  return sessions.filter(({ asked }) => !seen.has(asked) && seen.add(asked));
}

type ShortId = (id: string) => string;
type Make = (days: Calendar, ids: ShortId) => Item;

async function pinnedItems(
  { store }: BriefingDeps,
  digest: ProjectDigest,
  marks: Marks,
  tell: (glance: SessionGlance) => Promise<Told>,
): Promise<Make[]> {
  const makers: Make[] = [];
  for (const { kind, id, agent } of marks.pinned) {
    if (kind === 'project') {
      const other = id === digest.path ? undefined : await store.projects.digest({ path: id });
      const [last] = other === undefined ? [] : await store.sessions.recent(other.path, 1);
      if (other !== undefined && last !== undefined)
        makers.push((days) =>
          line(
            'pinned',
            0,
            `**${inOneLine(other.name)}** (project, ${inOneLine(other.path)}): last ${days.day(other.lastAt)}, ${titleOf(last).heading}`,
          ),
        );
      continue;
    }
    const entry = kind === 'entry' ? (await store.entries.find(id)).find((one) => one.id === id) : undefined;
    const sessionId = entry?.session ?? id;
    const session = (await store.sessions.find(sessionId)).find((one) => one.id === sessionId && one.agent === agent);
    if (session === undefined || session.projectPath !== digest.path) continue;
    if (entry !== undefined) {
      makers.push((days, ids) =>
        line(
          'pinned',
          0,
          `${days.day(Date.parse(entry.at))} (\`${ids(entry.id)}\`): ${gist(entry.text, 400)}`,
          entry.id,
        ),
      );
      continue;
    }
    const { title, cwd } = session;
    const times = { startedAt: Date.parse(session.startedAt), endedAt: Date.parse(session.endedAt) };
    const told = await tell({ id, agent: session.agent, title, cwd, ...times, asked: title });
    makers.push((days, ids) => sessionItem(told, 'pinned', 0, days, ids));
  }
  return makers;
}

const line = (kind: BriefingItem['kind'], rank: number, text: string, id?: string): Item => ({
  section: kind,
  rank,
  text: `- ${text}`,
  item: { kind, ...(id === undefined ? {} : { id }), text },
});

function sessionItem(
  told: Told,
  kind: 'session' | 'pinned',
  rank: number,
  days: Calendar,
  ids: ShortId,
  isTold?: (text: string) => boolean,
): Item {
  const { glance, place } = told;
  const { heading, asked } = titleOf(glance);
  const outcome = outcomeOf(told, isTold);
  const lines = [
    `**${days.day(glance.endedAt)}: ${heading}** (\`${ids(glance.id)}\`${place === '' ? '' : `, ${place}`})`,
    // A distilled session has a title that says what was asked.
    asked === '' || told.summary !== undefined || outcome.from !== 'last-words' || /:\W*$/.test(asked)
      ? ''
      : `Asked: ${asked}`,
    outcome.text,
  ].filter((text) => text !== '');
  return {
    section: kind,
    rank,
    text: `- ${lines.join('\n  ')}`,
    item: { kind, id: glance.id, text: lines.join('\n') },
  };
}

const withSession = (one: Durable, session: string | undefined, ids: ShortId): Durable =>
  session === undefined ? one : { ...one, text: `${one.text} (\`${ids(session)}\`)` };

const earlierItem = (glance: SessionGlance, i: number, days: Calendar, ids: ShortId): Item =>
  line(
    'earlier',
    70 + i,
    `${days.day(glance.endedAt)}: ${cut(titleOf(glance).heading, 110)} (\`${ids(glance.id)}\`)`,
    glance.id,
  );

/** A later session that committed has delivered what an earlier one was asked to, and may have taken a step that was put off. */
function stillOpen(open: Told['open'], later: readonly Told[]): Told['open'] {
  const commits = later.flatMap(({ summary }) => summary?.commits ?? []);
  return open.filter(
    ({ kind, text }) =>
      !(kind === 'undelivered' && commits.length > 0) &&
      !(kind === 'pledged' && commits.some((title) => fulfils(text, title))),
  );
}

const leftOpen = (told: readonly Told[], days: Calendar, ids: ShortId): Item[] =>
  told.flatMap(({ glance, open }, i) =>
    stillOpen(open, told.slice(0, i)).map(({ entry, text }, j) =>
      line('open', 21 + 10 * i + j, `${days.day(glance.endedAt)} (\`${ids(glance.id)}\`): ${text}`, entry),
    ),
  );

/** How far each kind comes before sessions: the rank of its first item, and the step to each further one. */
const durableRanks: Readonly<Record<Durable['kind'], readonly [first: number, step: number]>> = {
  command: [11, 1],
  decision: [13, 2],
  fact: [31, 5],
  insight: [33, 10],
};

/** The heading names the source of decisions in commits, so that no line has to. */
function durableItems(durable: readonly Durable[]): Item[] {
  const items = durable.map((one, i) => {
    const before = durable.slice(0, i).filter(({ kind }) => kind === one.kind).length;
    const [first, step] = durableRanks[one.kind];
    const isCommit = one.kind === 'fact' && one.form === 'commit';
    const text = isCommit ? capitalized(coreOf(one.text, 'commit')) : one.text;
    const item = line(one.kind, first + before * step, text, one.id);
    return isCommit ? { ...item, section: 'commit' } : item;
  });
  const isLast = ({ section }: Item) => section === 'fact' || section === 'insight';
  return [...items.filter((item) => !isLast(item)), ...items.filter(isLast)];
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** After a compaction or a resume, the agent has lost this very session. */
function thisSession(told: Told, files: readonly TouchedFile[]): Item[] {
  const { glance, ending, open } = told;
  const asked = gist(glance.asked, 400);
  const prompts = ending.prompts.filter(
    (prompt) => isPrompt(prompt) && !prompt.text.startsWith(glance.asked.slice(0, 200)),
  );
  const end = endOf(told, 600);
  const paths = files.filter(({ modified }) => modified > 0).slice(0, 8);
  const lines: [string, string?][] = [
    [`Asked first: ${asked}`, glance.id],
    ...prompts.reverse().map(({ id, text }): [string, string] => [`Asked later: ${gist(text, 300)}`, id]),
    ...(end === '' ? [] : [[`Last answer: ${end}`] as [string]]),
    ...open.map(({ entry, text }): [string, string] => [`Open: ${text}`, entry]),
    ...(paths.length === 0
      ? []
      : [[`Modified: ${paths.map(({ file }) => `\`${inOneLine(file)}\``).join(', ')}`] as [string]]),
  ];
  return lines.map(([text, id]) => line('this-session', 10, text, id));
}

function fileItems(files: readonly TouchedFile[]): Item[] {
  const times = (count: number, what: string) =>
    count === 0 ? '' : `${what} ${count === 1 ? 'once' : `${count} times`}`;
  const all = files.filter(({ modified, read }) => modified > 0 || read > 1);
  // Tests and texts follow the code.
  const code = all.filter(({ file }) => !isAside(file));
  const touched = code.length > 0 ? code : all;
  // A file that was changed only once is shown only if no file was changed more often.
  const often = touched.filter(({ modified, read }) => modified > 1 || (modified === 0 && read > 1));
  return (often.length > 0 ? often : touched).slice(0, mostFiles).map(({ file, modified, read }, i) => {
    const counts = modified > 0 ? times(modified, 'modified') : times(read, 'read');
    return line('file', 25 + 4 * i, `\`${inOneLine(file)}\`: ${counts}`);
  });
}
