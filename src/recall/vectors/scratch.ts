// Arrays as long as all places, of which every search needs a few. They are reused, because they would be allocated faster than collected.

/** How many of a kind wait for the next search. */
const most = 6;

interface Pool<T> {
  /** All zero. */
  take(length: number): T;
  /** The caller must not use it any more. One that is never returned is collected like any other. */
  giveBack(array: T | undefined): void;
}

function pool<T extends Float32Array | Uint8Array>(make: (length: number) => T): Pool<T> {
  const waiting: T[] = [];
  return {
    take(length) {
      const found = waiting.findIndex((array) => array.length >= length && array.length <= 2 * length);
      if (found < 0) return make(length);
      const [array] = waiting.splice(found, 1) as [T];
      array.fill(0, 0, length);
      return array.length === length ? array : (array.subarray(0, length) as T);
    },
    giveBack(array) {
      if (array === undefined) return;
      // Restore the full length: what was taken may be a part of it.
      const whole = array.byteLength === array.buffer.byteLength ? array : ofBuffer(array);
      waiting.push(whole);
      if (waiting.length > most) waiting.shift();
    },
  };
}

const ofBuffer = <T extends Float32Array | Uint8Array>(array: T): T =>
  new (array.constructor as new (buffer: ArrayBufferLike) => T)(array.buffer);

export const floats: Pool<Float32Array> = pool((length) => new Float32Array(length));
export const bytes: Pool<Uint8Array> = pool((length) => new Uint8Array(length));
