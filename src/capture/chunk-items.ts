// ① The parsed lines of one piece → the parts of a chunk: entries, results, and facts about their sessions.
import type { ParsedEntry, ParsedHeader, ParsedItem } from '../agents/agent.ts';
import { distillerMark } from '../schema/distiller.ts';
import { notKept } from '../schema/not-kept.ts';
import type { CaptureState } from '../schema/reader-state.ts';
import type { NewEntry, NewToolResult } from '../store/transcripts/port.ts';
import { type Carried, isCopy, originOf } from './carried.ts';
import type { Source } from './chunk.ts';
import { fingerprint } from './fingerprint.ts';
import { joinResults } from './join-results.ts';
import type { Keeper, Limits } from './keep.ts';
import { headerFacts, sessionNotes } from './live/session-notes.ts';
import { newEntry, newResult, prepared, timeOf } from './new-entry.ts';
import { redact } from './redaction/redact.ts';
import type { Walk } from './walk.ts';

export interface ItemDeps {
  readonly source: Source;
  readonly fd: number;
  readonly walk: Walk;
  readonly keep: Keeper;
  readonly home: string;
  readonly limits: Limits;
  readonly carried?: Carried | undefined;
  /** Called before each entry that is prepared for search. */
  readonly beat?: ((pos: number) => void) | undefined;
}

type Item<K extends ParsedItem['kind']> = Extract<ParsedItem, { kind: K }>;

export function collectItems({ source, fd, walk, keep, home, limits, carried, beat }: ItemDeps) {
  const state = walk.state.capture;
  const about = sessionNotes(state, (text) => fingerprint(Buffer.from(text)));
  const entries: NewEntry[] = [];
  const results: NewToolResult[] = [];
  const withdrawn: string[] = [];
  const moved = new Map<string, number>();
  const hasEntries = () => state.lastEntry !== undefined;
  const isKept = () => keep.other(walk.session(), walk.lineAt());

  /** Removes the entry from this chunk and returns it. Undefined: an earlier chunk has it, or it was not kept. */
  function takeBack(uuid: string): NewEntry | undefined {
    const index = entries.findLastIndex((entry) => entry.uuid === uuid);
    return index < 0 ? undefined : entries.splice(index, 1)[0];
  }

  function header(item: ParsedHeader, pos: number): void {
    walk.enter(item);
    const origin = originOf(carried, item.forkOf ?? item.parent);
    for (const [fact, value] of headerFacts(origin === undefined ? item : { ...item, forkOf: origin }))
      if (isKept()) about.fact(fact, value, walk.session(), pos, hasEntries());
  }

  function title(item: Item<'title'>): void {
    const session = walk.session();
    about.title(item, session, keep.title(item, session, walk.lineAt(), state.title), hasEntries());
  }

  function entry(item: ParsedEntry, pos: number): void {
    const session = walk.session(item.session);
    const cwd = source.group?.folder ?? walk.folderOf(item);
    if (source.group === undefined && isOurs(item, cwd, home, state)) return;
    // The line names another session: the lines that follow belong to that one.
    if (hasEntries() && session !== walk.session()) about.change();
    walk.enter(item);
    const at = timeOf(item, state);
    if (isCopy(carried, session, item.uuid, at)) return;
    if (!keep.entry(item, session, cwd, at)) return;
    const text = redact(item.text);
    // The vault keeps empty lines in place of what it left out.
    if ((text.trim() === '' && item.toolUses.length === 0) || text.startsWith(notKept)) return;
    about.entry({ ...item, forkOf: item.forkOf ?? originOf(carried, session) }, session, cwd, pos);
    const { idKey } = source.agent;
    entries.push(newEntry({ ...item, text }, session, pos, state, { fd, idKey, skipTools: limits.skipTools }));
  }

  function take(item: ParsedItem, pos: number): void {
    switch (item.kind) {
      case 'entry':
        entry(item, pos);
        return;
      case 'header':
        header(item, pos);
        return;
      case 'title':
        title(item);
        return;
      case 'fact':
        if (isKept()) about.fact(item.fact, item.value, walk.session(), pos, hasEntries());
        return;
      case 'tool-result':
        if (isKept() && !keep.hidesUse(item.id)) results.push(newResult(item, pos, state));
        return;
      case 'withdrawn':
        takeBack(item.uuid);
        // Even if this chunk had it: an earlier reading of the file may have stored it.
        withdrawn.push(item.uuid);
        moved.delete(item.uuid);
        return;
      case 'moved': {
        const found = takeBack(item.uuid);
        if (found === undefined) moved.set(item.uuid, pos);
        else entries.push({ ...found, pos });
      }
    }
  }

  return {
    take,
    parts: (projectOf: (folder: string) => string) => ({
      sessions: about.sessions(projectOf),
      titles: about.titles(),
      withdrawn,
      moved: [...moved].map(([uuid, pos]) => ({ uuid, pos })),
      ...withSearchTexts(entries, results, (uuid) => moved.has(uuid) || withdrawn.includes(uuid), beat),
    }),
  };
}

/** If entries that used tools leave or change their place, only the store knows the uses that results belong to. */
function withSearchTexts(
  entries: readonly NewEntry[],
  results: readonly NewToolResult[],
  isReplaced: (uuid: string) => boolean,
  beat: ((pos: number) => void) | undefined,
) {
  const isReordered = entries.some(({ uuid, toolUses }) => toolUses.length > 0 && isReplaced(uuid));
  const joined = isReordered ? { entries, results } : joinResults(entries, results);
  const ready = joined.entries.map((entry) => {
    // If this takes too long, the line of this entry is to blame.
    beat?.(entry.pos);
    return prepared(entry);
  });
  return { ...joined, entries: ready };
}

/** Our distiller's own sessions are recognised by their first prompt, or by their folder. */
function isOurs(item: ParsedEntry, cwd: string | undefined, home: string, state: CaptureState): boolean {
  if (state.ours === true) return true;
  if (state.lastEntry !== undefined) return false;
  const inHome = cwd !== undefined && (cwd === home || cwd.startsWith(`${home}/`));
  if (inHome || item.text.startsWith(distillerMark)) state.ours = true;
  return state.ours === true;
}
