// Where every entry stands, in memory: session, neighbours, time, speaker. Rows of the store → parallel arrays.
import { type EntryMarks, entryMark, type PlacePage } from '../../store/vectors/port.ts';
import { type Columns, columns, grown } from './place-columns.ts';

/** The marks of the store without the first, which is the role, and what only this process knows. */
export const flag = {
  subagent: entryMark.subagent >> 1,
  abandoned: entryMark.abandoned >> 1,
  gone: 4,
  noVector: 8,
  asks: entryMark.asks >> 1,
  /** A person's prompt, which begins a turn. */
  prompt: entryMark.prompt >> 1,
  usedTools: entryMark.usedTools >> 1,
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

/** What the functions below change. Arrays are replaced as they grow. */
interface Growing {
  size: number;
  hasTools: boolean;
  arrays: Columns;
  placeByRow: Int32Array;
  readonly sessionRows: number[];
  readonly sessionByRow: Map<number, number>;
  /** The first place of each session; `inSession` continues from there. */
  readonly first: number[];
  readonly free: { readonly place: number; readonly since: number }[];
  readonly restMs: number;
}

/** `onGone` is called with each place whose entry is gone. After `restMs` its number may be reused. */
export function openPlaces(onGone: (place: number) => void = () => {}, restMs = 30_000): GrowingPlaces {
  const growing: Growing = {
    size: 0,
    hasTools: false,
    arrays: columns(1024),
    placeByRow: new Int32Array(1024).fill(-1),
    sessionRows: [],
    sessionByRow: new Map(),
    first: [],
    free: [],
    restMs,
  };
  return {
    get size() {
      return growing.size;
    },
    get rowid() {
      return growing.arrays.rowid;
    },
    get session() {
      return growing.arrays.session;
    },
    get previous() {
      return growing.arrays.previous;
    },
    get next() {
      return growing.arrays.next;
    },
    get turn() {
      return growing.arrays.turn;
    },
    get at() {
      return growing.arrays.at;
    },
    get role() {
      return growing.arrays.role;
    },
    get flags() {
      return growing.arrays.flags;
    },
    get length() {
      return growing.arrays.length;
    },
    placeOf: (rowid) => growing.placeByRow[rowid] ?? -1,
    get sessionCount() {
      return growing.sessionRows.length;
    },
    get hasTools() {
      return growing.hasTools;
    },
    sessionRow: (session) => growing.sessionRows[session] ?? -1,
    sessionOf: (row) => growing.sessionByRow.get(row) ?? -1,
    apply(page) {
      const { sessions } = page;
      const gone: number[] = [];
      for (let from = 0; from < sessions.length; ) {
        let to = from + 1;
        while (to < sessions.length && sessions[to] === sessions[from]) to++;
        for (const place of applySession(growing, page, from, to)) {
          onGone(place);
          gone.push(place);
        }
        from = to;
      }
      for (const place of gone) growing.free.push({ place, since: performance.now() });
    },
  };
}

/** A running search may still use the number of a place for its old entry. */
function reusable({ free, restMs }: Growing): number | undefined {
  const [first] = free;
  return first !== undefined && performance.now() - first.since > restMs ? free.shift()?.place : undefined;
}

function addPlace(growing: Growing, rowid: number): number {
  const place = reusable(growing) ?? growing.size++;
  const room = growing.arrays.rowid.length;
  if (place >= room) growing.arrays = grown(growing.arrays, Math.ceil(room * 1.5));
  if (rowid >= growing.placeByRow.length) {
    const larger = new Int32Array(Math.max(rowid + 1, Math.ceil(growing.placeByRow.length * 1.5))).fill(-1);
    larger.set(growing.placeByRow);
    growing.placeByRow = larger;
  }
  growing.placeByRow[rowid] = place;
  growing.arrays.rowid[place] = rowid;
  growing.arrays.flags[place] = flag.noVector;
  return place;
}

function numberOf({ sessionRows, sessionByRow, first }: Growing, row: number): number {
  const known = sessionByRow.get(row);
  if (known !== undefined) return known;
  sessionByRow.set(row, sessionRows.length);
  first.push(-1);
  return sessionRows.push(row) - 1;
}

function inOrder({ arrays, first }: Growing, session: number): number[] {
  const found: number[] = [];
  for (let place = first[session] ?? -1; place >= 0; place = arrays.inSession[place] as number) found.push(place);
  return found;
}

function chain({ arrays, first }: Growing, session: number, members: readonly number[]): void {
  first[session] = members[0] ?? -1;
  for (let i = 0; i < members.length; i++) arrays.inSession[members[i] as number] = members[i + 1] ?? -1;
}

/** The place of an entry that belongs to this session now. */
function placeIn(growing: Growing, session: number, id: number): number {
  const place = growing.placeByRow[id] ?? -1;
  if (place < 0) return addPlace(growing, id);
  // Until now it belonged to another session, for example because a fork turned out to be older.
  const old = growing.arrays.session[place] as number;
  if (old !== session) {
    const others = inOrder(growing, old).filter((member) => member !== place);
    chain(growing, old, others);
  }
  return place;
}

/** Puts a place after the previous one of its transcript, and into that one's turn unless it begins its own. */
function link(growing: Growing, place: number, previous: number, marks: EntryMarks): void {
  const { arrays } = growing;
  arrays.previous[place] = previous;
  arrays.next[place] = -1;
  if (previous >= 0) arrays.next[previous] = place;
  const begins = previous < 0 || (marks & entryMark.prompt) !== 0;
  const turn = begins ? place : (arrays.turn[previous] as number);
  arrays.turn[place] = turn;
  if ((marks & entryMark.usedTools) === 0) return;
  arrays.flags[turn] = (arrays.flags[turn] as number) | flag.toolsInTurn;
  growing.hasTools = true;
}

/** Takes the rows of one session. Returns the places whose entries are gone. */
function applySession(growing: Growing, page: PlacePage, from: number, to: number): number[] {
  const session = numberOf(growing, page.sessions[from] as number);
  const before = inOrder(growing, session);
  const members: number[] = [];
  const lastInFile = new Map<number, number>();
  for (let i = from; i < to; i++) {
    const id = page.ids[i] as number;
    if (id === 0) continue;
    const file = page.files[i] as number;
    const marks = page.marks[i] as number;
    const place = placeIn(growing, session, id);
    members.push(place);
    // Adding a place may have replaced the arrays.
    const { arrays } = growing;
    arrays.session[place] = session;
    arrays.at[place] = page.at[i] as number;
    arrays.role[place] = marks & entryMark.answer;
    arrays.flags[place] = ((arrays.flags[place] as number) & flag.noVector) | (marks >> 1);
    arrays.length[place] = page.lengths[i] as number;
    link(growing, place, lastInFile.get(file) ?? -1, marks);
    lastInFile.set(file, place);
  }
  chain(growing, session, members);
  if (before.length === 0) return before;
  const stays = new Set(members);
  const gone = before.filter((place) => !stays.has(place));
  for (const place of gone) leave(growing, place);
  return gone;
}

function leave({ arrays, placeByRow }: Growing, place: number): void {
  placeByRow[arrays.rowid[place] as number] = -1;
  arrays.flags[place] = flag.gone | flag.noVector;
  arrays.turn[place] = place;
  arrays.session[place] = -1;
  arrays.previous[place] = -1;
  arrays.next[place] = -1;
}
