// Text → tokens → weighted sum of their rows → a unit vector in int8. The rows are distilled from a sentence model by scripts/embedding; the
// weight of a token is part of its row's scale. The file: header, vocabulary, scales, rows (see readTable).
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { packageRoot } from '../package.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import { rounded } from './embedder.ts';
import { openSum } from './sum.ts';
import { openWordPiece, type WordPiece } from './wordpiece.ts';

export interface StaticTable {
  /** Name and version: vectors of different models cannot be compared. */
  readonly model: string;
  readonly dimensions: number;
  /** A unit vector × 127, so that dot / 127² is the cosine. Undefined if the text has no known word. */
  embed(text: string): Int8Array | undefined;
  /** The same, in an array that the next call overwrites. */
  embedReused(text: string): Int8Array | undefined;
  embedFloat(text: string): Float32Array | undefined;
  /**
   * A query whose words count as much as the caller says, on top of the table's own weights: for example words that are rare in the
   * searched texts.
   */
  embedWords(words: readonly string[], weights: readonly number[]): Float32Array | undefined;
}

export const staticTablePath = path.join(packageRoot, 'models', 'static-256.bin');

/** The rest of a longer text is not read: work stays bounded, and a mean of more words says no more. */
const MAX_TOKENS = 1024;
const MAX_LENGTH = 16 * MAX_TOKENS;

const MAGIC = 'HOLDFAST TABLE 1';
const HEADER = 64;

interface Table {
  readonly model: string;
  readonly dimensions: number;
  readonly wordPiece: WordPiece;
  readonly scales: Float32Array;
  readonly rows: Int8Array;
}

/**
 * 16 bytes magic, 32 bytes name of the model, then as 32-bit numbers: dimensions, rows, bytes of vocabulary, CRC-32 of all that follows the header.
 * Then the tokens (UTF-8, a line each, filled up to a multiple of 4 bytes), a float32 scale for each row, and the rows in int8.
 */
function readTable(file: string, bytes: Buffer): Table {
  const damaged = (what: string) =>
    new HoldfastError('UNREADABLE', `${file} is not a table of word vectors: ${what}`, {
      hint: 'Install Holdfast again.',
    });
  if (bytes.length < HEADER || bytes.toString('latin1', 0, 16) !== MAGIC)
    throw damaged('it begins with something else');
  const [dimensions, count, vocabularyBytes, sum] = [48, 52, 56, 60].map((at) => bytes.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ];
  const scalesAt = HEADER + vocabularyBytes;
  const rowsAt = scalesAt + count * 4;
  if (vocabularyBytes % 4 !== 0 || dimensions % 32 !== 0 || bytes.length !== rowsAt + count * dimensions)
    throw damaged('its length does not match its header');
  if (crc32(bytes.subarray(HEADER)) !== sum) throw damaged('its check sum does not match');
  const wordPiece = openWordPiece(bytes.toString('utf8', HEADER, scalesAt).trimEnd(), { splitHumps: true });
  if (wordPiece.size !== count) throw damaged('it does not have one row for each token');
  return {
    model: modelIn(bytes),
    dimensions,
    wordPiece,
    scales: new Float32Array(new Uint8Array(bytes.subarray(scalesAt, rowsAt)).buffer),
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, count * dimensions),
  };
}

/** The tokens of the table, for a model that reads the same ones. */
export function openTokens(file: string = staticTablePath): WordPiece {
  try {
    const handle = openSync(file, 'r');
    try {
      const header = Buffer.alloc(HEADER);
      readSync(handle, header, 0, HEADER, 0);
      const vocabulary = Buffer.alloc(header.readUInt32LE(56));
      readSync(handle, vocabulary, 0, vocabulary.length, HEADER);
      return openWordPiece(vocabulary.toString('utf8').trimEnd(), { splitHumps: true });
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw explain(error, `The table of word vectors ${file}`);
  }
}

/** Only the name, from the first bytes of the file. */
export function staticTableModel(file: string = staticTablePath): string {
  const header = Buffer.alloc(HEADER);
  try {
    const handle = openSync(file, 'r');
    try {
      readSync(handle, header, 0, HEADER, 0);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw explain(error, `The table of word vectors ${file}`);
  }
  return modelIn(header);
}

const modelIn = (bytes: Buffer): string => bytes.toString('latin1', 16, 48).replace(/\0+$/, '');

/** Reads about 8 MB: do it once, and not before the first text. */
export function loadStaticTable(file: string = staticTablePath): StaticTable {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw explain(error, `The table of word vectors ${file}`);
  }
  const { model, dimensions, wordPiece, scales, rows } = readTable(file, bytes);
  const rowSum = openSum(rows, scales, dimensions, MAX_TOKENS);
  const sum = new Float64Array(dimensions);
  const reused = new Int8Array(dimensions);

  const sumOf = (text: string): Float32Array =>
    rowSum.sum(wordPiece.tokenize(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text, rowSum.ids));

  /** The length of a sum; 0 for a zero vector. */
  function lengthOf(numbers: Float32Array | Float64Array): number {
    let square = 0;
    for (let d = 0; d < dimensions; d++) {
      const number = numbers[d] as number;
      square += number * number;
    }
    return Math.sqrt(square);
  }

  /** Imports do this for every text: no copies, no closures. */
  function embedInto(text: string, vector: Int8Array): Int8Array | undefined {
    const numbers = sumOf(text);
    const norm = lengthOf(numbers);
    if (norm === 0) return undefined;
    for (let d = 0; d < dimensions; d++) vector[d] = rounded(((numbers[d] as number) / norm) * 127);
    return vector;
  }

  function unit(): Float32Array | undefined {
    const norm = lengthOf(sum);
    return norm > 0 ? Float32Array.from(sum, (value) => value / norm) : undefined;
  }

  return {
    model,
    dimensions,
    embed: (text) => embedInto(text, new Int8Array(dimensions)),
    embedReused: (text) => embedInto(text, reused),
    embedFloat(text) {
      sum.set(sumOf(text));
      return unit();
    },
    embedWords(words, weights) {
      sum.fill(0);
      for (const [i, word] of words.entries()) {
        const weight = weights[i] ?? 0;
        if (weight > 0) for (const [d, value] of sumOf(word).entries()) sum[d] = (sum[d] as number) + weight * value;
      }
      return unit();
    },
  };
}
