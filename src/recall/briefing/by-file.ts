// ④ Recall by file: who touched it, when and why. A hit is a turn or a session, newest first. Words in the query must stand in the turn.
import path from 'node:path';
import { cut, inOneLine } from '../../language/gist.ts';
import type { Hit } from '../../schema/hit.ts';
import { followLinks } from '../../store/projects/follow-links.ts';
import type { FileTouch, KeywordFilter, KeywordQuery } from '../../store/search/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { parseKeywords } from '../question/keywords.ts';
import { refuseUnsearchable } from '../question/words.ts';
import { snippet } from '../shown/snippet.ts';

export interface FileRequest {
  /** A full path, one relative to the project, or the end of one. */
  readonly file: string;
  readonly query: string;
  readonly kind: 'entry' | 'session';
  readonly filter?: Omit<KeywordFilter, 'limit' | 'subagents'>;
  readonly limit: number;
}

/** Many touches make one turn, so this many are read for each requested hit. */
const touchesPerHit = 40;
const mostTouches = 5000;
const promptLength = 200;

/** Resolves with a function that tells whether the tools of a session used this file: a path, or the end of one. */
export async function sessionsByFile(
  { store }: { store: Pick<Store, 'projects' | 'search'> },
  file: string,
): Promise<(session: { readonly agent: string; readonly id: string }) => boolean> {
  const isMeant = await fileMatcher(store, file);
  const paths = (await store.search.touchedFiles(path.posix.basename(file))).filter((one) => isMeant(one));
  const keyOf = (agent: string, id: string) => JSON.stringify([agent, id]);
  const found = await store.search.sessionsTouching(paths);
  const keys = new Set(found.filter((one) => isMeant(one.file, one.cwd)).map((one) => keyOf(one.agent, one.session)));
  return ({ agent, id }) => keys.has(keyOf(agent, id));
}

export async function searchByFile(
  { store }: { store: Pick<Store, 'entries' | 'projects' | 'search'> },
  request: FileRequest,
): Promise<{ hits: Hit[] }> {
  const { query, kind, limit, filter } = request;
  if (query.trim() !== '') refuseUnsearchable(query);
  const isMeant = await fileMatcher(store, request.file);
  const paths = (await store.search.touchedFiles(path.posix.basename(request.file))).filter((file) => isMeant(file));
  const depth = Math.min(mostTouches, touchesPerHit * limit + 200);
  // Subagents count: they touched the file too.
  const found = await store.search.fileTouches(paths, { ...filter, subagents: true, limit: depth });
  const touches = found.filter(({ file, cwd }) => isMeant(file, cwd));
  const groups = new Map<string, FileTouch[]>();
  for (const touch of touches) {
    const { agent, session } = touch.entry;
    const key = JSON.stringify(kind === 'session' ? [agent, session] : [agent, session, touch.prompt]);
    groups.set(key, [...(groups.get(key) ?? []), touch]);
  }
  const words = query.trim() === '' ? undefined : parseKeywords(query);
  const hits: Hit[] = [];
  for (const group of groups.values()) {
    if (hits.length === limit) break;
    const [last] = group as [FileTouch];
    const said = words === undefined ? lastSaid(group) : await whatHolds(store, group, words);
    if (said === undefined) continue;
    const prompt = last.prompt === undefined ? undefined : (await store.entries.find(last.prompt))[0];
    const touched = {
      files: [...new Set(group.map(({ file }) => file))],
      tools: toolsOf(group),
      ...(prompt === undefined ? {} : { prompt: prompt.id, asked: cut(inOneLine(prompt.text), promptLength) }),
    };
    hits.push({ ...hitOf(last, kind), score: 1 / (hits.length + 1), snippet: said, touched });
  }
  return { hits };
}

/** Whether a path matches. A relative path is resolved against the session's working folder. */
async function fileMatcher(
  store: Pick<Store, 'projects'>,
  asked: string,
): Promise<(file: string, cwd?: string) => boolean> {
  const wanted = path.posix.normalize(asked).replace(/^(?:\.\.?\/)+/, '');
  if (wanted === '' || wanted.endsWith('/') || /^\.{1,2}$/.test(wanted)) {
    throw new HoldfastError('BAD_INPUT', `${asked === '' ? 'The path' : asked} names no file`, {
      hint: 'Example: holdfast search --file src/auth/jwt.ts',
    });
  }
  const links = await store.projects.links();
  const endsIn = (whole: string, end: string) => whole === end || whole.endsWith(end.startsWith('/') ? end : `/${end}`);
  return (file, cwd) => {
    const given = path.posix.normalize(file);
    if (cwd === undefined && !given.startsWith('/')) return endsIn(given, wanted) || endsIn(wanted, given);
    const whole = given.startsWith('/') || !cwd ? given : path.posix.join(cwd, given);
    return wanted.startsWith('/') ? whole === wanted || followLinks(whole, links) === wanted : endsIn(whole, wanted);
  };
}

function toolsOf(group: readonly FileTouch[]): { tool: string; times: number; failed: number }[] {
  const tools = new Map<string, { tool: string; times: number; failed: number }>();
  for (const { tool, failed } of group) {
    const known = tools.get(tool) ?? { tool, times: 0, failed: 0 };
    tools.set(tool, { tool, times: known.times + 1, failed: known.failed + (failed ? 1 : 0) });
  }
  return [...tools.values()];
}

function hitOf({ entry, project, title }: FileTouch, kind: FileRequest['kind']): Omit<Hit, 'score' | 'snippet'> {
  const { session, agent, at } = entry;
  if (kind === 'session') return { kind, id: session, session, project, agent, at, title };
  return {
    kind,
    id: entry.id,
    session,
    project,
    agent,
    at,
    role: entry.role,
    title,
    ...(entry.subagent === undefined ? {} : { subagent: entry.subagent }),
    ...(entry.abandoned ? { abandoned: true } : {}),
    ...(entry.gone ? { gone: true } : {}),
  };
}

const lastSaid = (group: readonly FileTouch[]): string => {
  const said = group.map(({ entry }) => entry.text).find((text) => text.trim() !== '');
  return said === undefined ? '' : snippet(said, { terms: [], phrases: [] });
};

/** The passage of the turns, or of a subagent, with most of the words. Undefined if it has none of them. */
async function whatHolds(
  store: Pick<Store, 'search'>,
  group: readonly FileTouch[],
  words: KeywordQuery,
): Promise<string | undefined> {
  const places = group.flatMap(({ entry, prompt }) => [prompt ?? entry.id, ...(entry.subagent ? [entry.id] : [])]);
  let best: { passage: string; words: number } | undefined;
  for (const place of new Set(places)) {
    for (const { text } of await store.search.turnMatches(words, place)) {
      const passage = snippet(text, words);
      const held = new Set([...passage.matchAll(/«([^»]*)»/g)].map(([, word]) => word?.toLowerCase())).size;
      if (best === undefined || held > best.words) best = { passage, words: held };
    }
  }
  return best?.passage;
}
