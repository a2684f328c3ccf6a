// The columns of places: one array for each property, all of the same length.

export interface Columns {
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

export const columns = (room: number): Columns => ({
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

/** Larger columns with the same values. */
export function grown(old: Columns, room: number): Columns {
  const larger = columns(room);
  for (const name of Object.keys(old) as (keyof Columns)[]) larger[name].set(old[name] as never);
  return larger;
}
