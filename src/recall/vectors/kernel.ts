// The WASM kernel and its memory: 64 KiB for a query and a block of results, then the rows.
import { kernelBytes } from './kernel-bytes.ts';

/** The parts used here: the types of Node 20 do not have them, and those of browsers have too much. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  dots(row: number, rows: number, width: number, query: number, out: number): void;
  distances(row: number, rows: number, width: number, query: number, out: number): void;
  squares(row: number, rows: number, width: number, out: number): void;
}

export interface Kernel {
  /** Bytes of a row: a multiple of 16. */
  readonly width: number;
  /** Makes room for this many rows. Existing rows stay. */
  reserve(rows: number): void;
  /** The bytes of a row. Valid until the next `reserve`. */
  row(row: number): Int8Array;
  /** Copies a source of vectors, `length` bytes each, into rows from `first` on. */
  write(first: number, source: Int8Array, length: number): void;
  /** Calls back with the dot product of each row with itself, block by block. */
  squares(first: number, rows: number, take: (results: Int32Array, first: number) => void): void;
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

/** Each kernel has a separate memory. */
export function openKernel(width: number): Kernel {
  if (width % 16 !== 0 || width <= 0 || width > longestRow) throw new RangeError(`rows of ${width} bytes`);
  compiled ??= new WebAssembly.Module(Buffer.from(kernelBytes, 'base64'));
  const { memory, ...run } = new WebAssembly.Instance(compiled).exports as Exports;
  let room = 0;
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
      // At least a megabyte: each step recreates all views of the memory.
      memory.grow(Math.max(16, Math.ceil((at(rows) - memory.buffer.byteLength) / page)));
      room = Math.floor((memory.buffer.byteLength - page) / width);
    },
    row: (row) => new Int8Array(memory.buffer, at(row), width),
    write(first, source, length) {
      const rows = source.length / length;
      const target = new Int8Array(memory.buffer, at(first), rows * width);
      if (length === width) target.set(source);
      else
        for (let row = 0; row < rows; row++) target.set(source.subarray(row * length, (row + 1) * length), row * width);
    },
    squares(first, rows, take) {
      inBlocks(
        rows,
        (results, from) => take(results, first + from),
        (from, n) => run.squares(at(first + from), n, width, outAt),
      );
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
