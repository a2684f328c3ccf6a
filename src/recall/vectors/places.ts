// Where every entry stands, in memory: session, neighbours, time, speaker. Rows of the store → parallel arrays.
import type { PlacePage } from '../../store/vectors/port.ts';

export const flag = {
  subagent: 1,
  abandoned: 2,
  gone: 4,
  noVector: 8,
  asks: 16,
  /** A person's prompt, which begins a turn. */
  prompt: 32,
  usedTools: 64,
  /** At the first place of a turn: tools were used in it. */
  toolsInTurn: 128,
} as const;

/** Arrays are valid below `size`, and until the next change: growing replaces them. */
export interface Places {
  readonly size: number;
  readonly rowid: Int32Array;
  /** Number of its session, dense from 0. */
  readonly session: Int32Array;
  /** The places before and after it in the same session and transcript; -1 at the ends. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
  /** The first place of its turn: a person's prompt, or the first of its transcript. */
  readonly turn: Int32Array;
  readonly at: Float64Array;
  /** 0 the user's, 1 the assistant's. */
  readonly role: Uint8Array;
  readonly flags: Uint8Array;
  /** Characters of its text. */
  readonly length: Uint32Array;
  /** -1 for an unknown entry. */
  placeOf(rowid: number): number;
  readonly sessionCount: number;
  /** Whether any entry used a tool. */
  readonly hasTools: boolean;
  /** The session's row in the store. */
  sessionRow(session: number): number;
  /** -1 for an unknown session. */
  sessionOf(row: number): number;
}

export interface GrowingPlaces extends Places {
  /** Takes whole sessions, as the store returns them: entries missing from a session's rows are gone. */
  apply(page: PlacePage): void;
}

/** `onGone` is called with each place whose entry is gone. After `restMs` its number may be reused. */
export function openPlaces(onGone: (place: number) => void = () => {}, restMs = 30_000): GrowingPlaces {
  let size = 0;
  let hasTools = false;
  let arrays = columns(1024);
  let placeByRow = new Int32Array(1024).fill(-1);
  const sessionRows: number[] = [];
  const sessionByRow = new Map<number, number>();
  /** The first place of each session; `inSession` continues from there. */
  const first: number[] = [];
  const free: { readonly place: number; readonly since: number }[] = [];

  function grow(): void {
    const larger = columns(Math.ceil(arrays.rowid.length * 1.5));
    for (const name of Object.keys(arrays) as (keyof Columns)[]) larger[name].set(arrays[name] as never);
    arrays = larger;
  }

  function placeOf(rowid: number): number {
    return placeByRow[rowid] ?? -1;
  }

  /** A running search may still use this number for the old entry. */
  function reusable(): number | undefined {
    const [first] = free;
    return first !== undefined && performance.now() - first.since > restMs ? free.shift()?.place : undefined;
  }

  function addPlace(rowid: number): number {
    const place = reusable() ?? size++;
    if (place >= arrays.rowid.length) grow();
    if (rowid >= placeByRow.length) {
      const larger = new Int32Array(Math.max(rowid + 1, Math.ceil(placeByRow.length * 1.5))).fill(-1);
      larger.set(placeByRow);
      placeByRow = larger;
    }
    placeByRow[rowid] = place;
    arrays.rowid[place] = rowid;
    arrays.flags[place] = flag.noVector;
    return place;
  }

  function sessionOf(row: number): number {
    const known = sessionByRow.get(row);
    if (known !== undefined) return known;
    sessionByRow.set(row, sessionRows.length);
    first.push(-1);
    return sessionRows.push(row) - 1;
  }

  const inOrder = (session: number): number[] => {
    const found: number[] = [];
    for (let place = first[session] ?? -1; place >= 0; place = arrays.inSession[place] as number) found.push(place);
    return found;
  };

  function chain(session: number, members: readonly number[]): void {
    first[session] = members[0] ?? -1;
    for (let i = 0; i < members.length; i++) arrays.inSession[members[i] as number] = members[i + 1] ?? -1;
  }

  function applySession(page: PlacePage, from: number, to: number, freed: number[]): void {
    const session = sessionOf(page.sessions[from] as number);
    const before = inOrder(session);
    const members: number[] = [];
    const lastInFile = new Map<number, number>();
    for (let i = from; i < to; i++) {
      const id = page.ids[i] as number;
      if (id === 0) continue;
      const file = page.files[i] as number;
      const marks = page.marks[i] as number;
      let place = placeOf(id);
      if (place < 0) place = addPlace(id);
      else {
        // Until now it belonged to another session, for example because a fork turned out to be older.
        const old = arrays.session[place] as number;
        if (old !== session)
          chain(
            old,
            inOrder(old).filter((member) => member !== place),
          );
      }
      members.push(place);
      arrays.session[place] = session;
      arrays.at[place] = page.at[i] as number;
      arrays.role[place] = marks & 1;
      arrays.flags[place] = ((arrays.flags[place] as number) & flag.noVector) | (marks >> 1);
      arrays.length[place] = page.lengths[i] as number;
      const previous = lastInFile.get(file) ?? -1;
      arrays.previous[place] = previous;
      arrays.next[place] = -1;
      if (previous >= 0) arrays.next[previous] = place;
      const begins = previous < 0 || ((marks >> 1) & flag.prompt) !== 0;
      const turn = begins ? place : (arrays.turn[previous] as number);
      arrays.turn[place] = turn;
      if (((marks >> 1) & flag.usedTools) !== 0) {
        arrays.flags[turn] = (arrays.flags[turn] as number) | flag.toolsInTurn;
        hasTools = true;
      }
      lastInFile.set(file, place);
    }
    chain(session, members);
    if (before.length === 0) return;
    const stays = new Set(members);
    for (const place of before) {
      if (stays.has(place)) continue;
      placeByRow[arrays.rowid[place] as number] = -1;
      arrays.flags[place] = flag.gone | flag.noVector;
      arrays.turn[place] = place;
      arrays.session[place] = -1;
      arrays.previous[place] = -1;
      arrays.next[place] = -1;
      onGone(place);
      freed.push(place);
    }
  }

  return {
    get size() {
      return size;
    },
    get rowid() {
      return arrays.rowid;
    },
    get session() {
      return arrays.session;
    },
    get previous() {
      return arrays.previous;
    },
    get next() {
      return arrays.next;
    },
    get turn() {
      return arrays.turn;
    },
    get at() {
      return arrays.at;
    },
    get role() {
      return arrays.role;
    },
    get flags() {
      return arrays.flags;
    },
    get length() {
      return arrays.length;
    },
    placeOf,
    get sessionCount() {
      return sessionRows.length;
    },
    get hasTools() {
      return hasTools;
    },
    sessionRow: (session) => sessionRows[session] ?? -1,
    sessionOf: (row) => sessionByRow.get(row) ?? -1,
    apply(page) {
      const { sessions } = page;
      const freed: number[] = [];
      for (let from = 0; from < sessions.length; ) {
        let to = from + 1;
        while (to < sessions.length && sessions[to] === sessions[from]) to++;
        applySession(page, from, to, freed);
        from = to;
      }
      for (const place of freed) free.push({ place, since: performance.now() });
    },
  };
}

interface Columns {
  rowid: Int32Array;
  session: Int32Array;
  previous: Int32Array;
  next: Int32Array;
  turn: Int32Array;
  inSession: Int32Array;
  at: Float64Array;
  role: Uint8Array;
  flags: Uint8Array;
  length: Uint32Array;
}

const columns = (room: number): Columns => ({
  rowid: new Int32Array(room),
  session: new Int32Array(room),
  previous: new Int32Array(room),
  next: new Int32Array(room),
  turn: new Int32Array(room),
  inSession: new Int32Array(room),
  at: new Float64Array(room),
  role: new Uint8Array(room),
  flags: new Uint8Array(room),
  length: new Uint32Array(room),
});
