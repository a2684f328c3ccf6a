// The WASM kernel and its memory: 64 KiB for a query and a block of results, then the rows.
import { kernelBytes } from './kernel-bytes.ts';

/** What of it is used here: the types of Node 20 do not name it, and those of browsers name too much. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  dots(row: number, rows: number, width: number, query: number, out: number): void;
  distances(row: number, rows: number, width: number, query: number, out: number): void;
}

export interface Kernel {
  /** Bytes of a row: a multiple of 16. */
  readonly width: number;
  /** Makes room for this many rows; those that are there stay. */
  reserve(rows: number): void;
  /** The bytes of a row. Valid until the next `reserve`. */
  row(row: number): Int8Array;
  /** Copies `length` bytes of the source into a row. Returns the sum of their squares. No view is made: a load writes 100,000 rows. */
  write(row: number, source: Int8Array, from: number, length: number): number;
  /** Calls back with the dot products of a query and some rows from `first` on, block by block. */
  dots(query: Int8Array, rows: number, take: (results: Int32Array, first: number) => void): void;
  /** The same as `dots`, for rows of bits: in how many they differ from the query. */
  distances(query: Int8Array, rows: number, take: (results: Int32Array, first: number) => void): void;
}

const page = 65_536;
/** The longest row. In the first page: a query widened to 16 bits, then a block of results. */
export const longestRow = 8192;
const outAt = 2 * longestRow;
const block = (page - outAt) / 4;

let compiled: object | undefined;

/** Each has a memory of its own. */
export function openKernel(width: number): Kernel {
  if (width % 16 !== 0 || width <= 0 || width > longestRow) throw new RangeError(`rows of ${width} bytes`);
  compiled ??= new WebAssembly.Module(Buffer.from(kernelBytes, 'base64'));
  const { memory, ...run } = new WebAssembly.Instance(compiled).exports as Exports;
  let room = 0;
  let bytes = new Int8Array(memory.buffer);
  const at = (row: number) => page + row * width;

  function inBlocks(
    rows: number,
    take: (results: Int32Array, first: number) => void,
    compute: (first: number, n: number) => void,
  ) {
    for (let first = 0; first < rows; first += block) {
      const n = Math.min(block, rows - first);
      compute(first, n);
      take(new Int32Array(memory.buffer, outAt, n), first);
    }
  }

  return {
    width,
    reserve(rows) {
      if (rows <= room) return;
      // A megabyte at least: each step makes all views of the memory anew.
      memory.grow(Math.max(16, Math.ceil((at(rows) - memory.buffer.byteLength) / page)));
      bytes = new Int8Array(memory.buffer);
      room = Math.floor((memory.buffer.byteLength - page) / width);
    },
    row: (row) => new Int8Array(memory.buffer, at(row), width),
    write(row, source, from, length) {
      const to = at(row);
      let squares = 0;
      for (let i = 0; i < length; i++) {
        const value = source[from + i] as number;
        bytes[to + i] = value;
        squares += value * value;
      }
      return squares;
    },
    dots(query, rows, take) {
      new Int16Array(memory.buffer, 0, width).set(query);
      inBlocks(rows, take, (first, n) => run.dots(at(first), n, width, 0, outAt));
    },
    distances(query, rows, take) {
      new Int8Array(memory.buffer, 0, width).set(query);
      inBlocks(rows, take, (first, n) => run.distances(at(first), n, width, 0, outAt));
    },
  };
}
