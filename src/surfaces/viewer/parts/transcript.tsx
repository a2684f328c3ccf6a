// The transcript of a session of any length. Loads pages of entries as they come into sight.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Session, ShownEntry } from '../answers.ts';
import { type Failure, read } from '../api.ts';
import { dayName } from '../time.ts';
import { Trouble } from './answered.tsx';
import { EntryView } from './entry-view.tsx';
import { VirtualList } from './virtual-list.tsx';

/** Entries in a request. */
export const pageSize = 100;
/** The estimated height of an entry that is not loaded yet. */
const usualHeight = 120;

interface Shown {
  readonly session: Session;
  /** A new value means that the session has changed. */
  readonly version: unknown;
  readonly total: number;
  /** The first page, without subagents. */
  readonly first: readonly ShownEntry[];
  readonly subagents: boolean;
  /** Called if the focused entry is a subagent's and subagents are hidden. */
  readonly withSubagents: () => void;
  readonly focus: string | undefined;
}

/** The entries that were loaded, by index, and the index of the focused one. */
function useEntries({ session, version, total: known, first, subagents, withSubagents, focus }: Shown) {
  const given = subagents ? [] : first;
  const entries = useRef(new Map<number, ShownEntry>(given.entries()));
  const asked = useRef(new Set<number>(given.length > 0 ? [0] : []));
  const [total, setTotal] = useState(subagents ? 0 : known);
  const [failure, setFailure] = useState<Failure>();
  const [, setRound] = useState(0);
  const [place, setPlace] = useState<number>();
  const range = useRef<[number, number]>([0, 0]);
  /** The version that is shown. Late answers for older versions are dropped. */
  const shown = useRef(version);

  async function load(page: number): Promise<void> {
    if (asked.current.has(page)) return;
    asked.current.add(page);
    const of = shown.current;
    const { id, agent } = session;
    try {
      const part = await read('show', { id, agent, subagents, from: page * pageSize, limit: pageSize });
      if (of !== shown.current) return;
      keep(part);
      setFailure(undefined);
    } catch (error) {
      if (of !== shown.current) return;
      asked.current.delete(page);
      setFailure(error as Failure);
    }
  }
  function keep(part: { total: number; from: number; entries: readonly ShownEntry[] }): void {
    for (const [i, entry] of part.entries.entries()) entries.current.set(part.from + i, entry);
    setTotal(part.total);
    setRound((before) => before + 1);
  }
  const loadRange = ([first, last]: [number, number]) => {
    range.current = [first, last];
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) void load(page);
  };

  useEffect(() => {
    // Loaded entries stay in sight until their new versions arrive.
    asked.current.clear();
    shown.current = version;
    if (given.length > 0) {
      asked.current.add(0);
      keep({ total: known, from: 0, entries: given });
    }
    loadRange(range.current);
  }, [version]);
  useEffect(() => {
    if (focus === undefined) return;
    const leaving = new AbortController();
    read('show', { id: focus, agent: session.agent, subagents, limit: pageSize }, leaving.signal)
      .then((part) => {
        const index = part.entries.findIndex(({ id }) => id === focus);
        // Its index counts entries of subagents too, so it has no place in this list.
        if (!subagents && part.entries[index]?.subagent !== undefined) return withSubagents();
        keep(part);
        setPlace(part.from + index);
      })
      .catch((error: Failure) => leaving.signal.aborted || setFailure(error));
    return () => leaving.abort();
  }, [focus]);
  return { entries: entries.current, total, failure, place, loadRange, again: () => loadRange(range.current) };
}

export function Transcript(wanted: Shown) {
  const { session, focus } = wanted;
  const { entries, total, failure, place, loadRange, again } = useEntries(wanted);
  return (
    <>
      {failure && <Trouble failure={failure} again={again} />}
      <VirtualList
        count={total}
        label="Transcript"
        estimate={() => usualHeight}
        showIndex={place}
        onRange={(first, last) => loadRange([first, last])}
        render={(index) => {
          const entry = entries.get(index);
          const before = entries.get(index - 1);
          const follows = entry !== undefined && before?.author === entry.author && before.subagent === entry.subagent;
          if (entry === undefined) return <div class="entry waiting" aria-busy="true" />;
          const isNewDay = index === 0 || (before !== undefined && dayName(before.at) !== dayName(entry.at));
          return (
            <>
              {isNewDay && <p class="day-line">{dayName(entry.at)}</p>}
              <EntryView
                entry={entry}
                focused={entry.id === focus}
                follows={follows && !isNewDay}
                folder={session.projectPath}
                forgettable
              />
            </>
          );
        }}
      />
    </>
  );
}
