// Tokens → two transformer layers → a vector. A small sentence model, distilled from all-MiniLM-L6-v2 on text about software
// (models/README.md). It reads the same tokens as the static table, runs in WASM on one thread, and takes a few milliseconds for a text.
// For the file's layout see readEncoder.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { packageRoot } from '../package.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import { encoderBytes } from './encoder-bytes.ts';

/** The parts used here: the types of Node 20 do not have them, and those of browsers have too much. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  idsAt(): number;
  outAt(): number;
  freeAt(): number;
  begin(count: number, rows: number, scales: number, positions: number): void;
  layer(count: number, weights: number): void;
  finish(count: number, gate: number, last: number): void;
}

export interface Encoder {
  /** The caller writes the tokens here, at most this many. */
  readonly ids: Int32Array;
  /** The vector of the first `count` tokens, not normalised. The same array every time. */
  encode(count: number): Float32Array;
}

export const encoderPath = path.join(packageRoot, 'models', 'encoder-256.bin');
/** Stored with every vector, with the table's name: vectors of different models are not compared. */
export const encoderModel = 'encoder-256 v1';

const MAGIC = 'HOLDFAST ENCODE1';
const HEADER = 64;
const WIDTH = 256;
const INNER = 512;
const MOST = 256;

/** A matrix as stored in the file: int8 rows, a scale for each, and a bias. */
interface Matrix {
  readonly rows: Int8Array;
  readonly scales: Float32Array;
  readonly biases: Float32Array;
}

/** Reads the file from front to back. */
function readerOf(bytes: Buffer, from: number) {
  let at = from;
  const take = (length: number): ArrayBuffer => {
    if (at + length > bytes.length) throw new RangeError('it ends too early');
    const part = new Uint8Array(bytes.subarray(at, at + length)).buffer;
    at += length;
    return part;
  };
  const floats = (count: number) => new Float32Array(take(4 * count));
  const int8 = (count: number) => new Int8Array(take(count));
  const matrix = (outer: number, inner: number, hasBias = true): Matrix => ({
    rows: int8(outer * inner),
    scales: floats(outer),
    biases: hasBias ? floats(outer) : new Float32Array(outer),
  });
  return { floats, int8, matrix, isAtEnd: () => at === bytes.length };
}

/** Allocates the memory behind the kernel's scratch space, aligned to 16 bytes, and copies into it. */
function memoryOf({ memory, freeAt }: Exports) {
  let free = freeAt();
  const place = (bytes: number): number => {
    const at = free;
    free = (free + bytes + 15) & ~15;
    const missing = Math.ceil((free - memory.buffer.byteLength) / 65_536);
    if (missing > 0) memory.grow(missing);
    return at;
  };
  const putFloats = (values: Float32Array): number => {
    const at = place(values.byteLength);
    new Float32Array(memory.buffer, at, values.length).set(values);
    return at;
  };
  const putBytes = (values: Int8Array): number => {
    const at = place(values.length);
    new Int8Array(memory.buffer, at, values.length).set(values);
    return at;
  };
  const sizeOf = (part: Float32Array | Matrix): number =>
    part instanceof Float32Array ? part.byteLength : 2 * part.rows.length + 8 * part.scales.length;
  /** One after the other, without gaps, as the kernel walks through them. */
  const putParts = (parts: readonly (Float32Array | Matrix)[]): number => {
    const first = place(parts.reduce((sum, part) => sum + sizeOf(part), 0));
    let at = first;
    const floats = (values: Float32Array) => {
      new Float32Array(memory.buffer, at, values.length).set(values);
      at += values.byteLength;
    };
    for (const part of parts) {
      if (part instanceof Float32Array) {
        floats(part);
        continue;
      }
      new Int16Array(memory.buffer, at, part.rows.length).set(part.rows);
      at += 2 * part.rows.length;
      floats(part.scales);
      floats(part.biases);
    }
    return first;
  };
  return { putFloats, putBytes, putParts };
}

/**
 * 16 bytes magic, 32 bytes name, then as 32-bit numbers: width, rows, layers, CRC-32 of all that follows the header. Then token rows (scales, int8), positions
 * (scales, int8), for each layer two numbers for each width and the matrices of query, key and value, of the mix, again two for each width, and the two
 * matrices of the inner layer; the gate (weights, bias); the last matrix. Numbers are float32, matrices int8 with a scale for each row.
 */
export function loadEncoder(tokens: number, file: string = encoderPath): Encoder {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw explain(error, `The sentence encoder ${file}`);
  }
  try {
    return readEncoder(bytes, tokens);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HoldfastError('UNREADABLE', `${file} is not a sentence encoder: ${error.message}`, {
      hint: 'Install Holdfast again.',
    });
  }
}

function readEncoder(bytes: Buffer, tokens: number): Encoder {
  if (bytes.length < HEADER || bytes.toString('latin1', 0, 16) !== MAGIC)
    throw new RangeError('it begins with something else');
  const [width, rows, layers, sum] = [48, 52, 56, 60].map((at) => bytes.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  if (crc32(bytes.subarray(HEADER)) !== sum) throw new RangeError('its check sum does not match');
  if (width !== WIDTH || rows !== tokens) throw new RangeError('it does not fit the table of word vectors');
  const kernel = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(encoderBytes, 'base64')))
    .exports as Exports;
  const read = readerOf(bytes, HEADER);
  const memory = memoryOf(kernel);
  const scales = memory.putFloats(read.floats(rows));
  const tokenRows = memory.putBytes(read.int8(rows * WIDTH));
  const positionScales = read.floats(MOST);
  const positions = memory.putFloats(
    Float32Array.from(read.int8(MOST * WIDTH), (value, i) => value * (positionScales[i >> 8] as number)),
  );
  const weights: number[] = [];
  for (let i = 0; i < layers; i++)
    weights.push(
      memory.putParts([
        read.floats(2 * WIDTH),
        read.matrix(3 * WIDTH, WIDTH),
        read.matrix(WIDTH, WIDTH),
        read.floats(2 * WIDTH),
        read.matrix(INNER, WIDTH),
        read.matrix(WIDTH, INNER),
      ]),
    );
  const gate = memory.putFloats(read.floats(WIDTH + 1));
  const last = memory.putParts([read.matrix(WIDTH, WIDTH, false)]);
  if (!read.isAtEnd()) throw new RangeError('something follows its end');
  const out = new Float32Array(kernel.memory.buffer, kernel.outAt(), WIDTH);
  return {
    ids: new Int32Array(kernel.memory.buffer, kernel.idsAt(), MOST),
    encode(count) {
      kernel.begin(count, tokenRows, scales, positions);
      for (const layer of weights) kernel.layer(count, layer);
      kernel.finish(count, gate, last);
      return out;
    },
  };
}
