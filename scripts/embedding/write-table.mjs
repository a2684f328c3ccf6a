// Rows of floats → the file that src/embedding/static-table.ts reads: int8 with one scale for each row.
import { writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const HEADER = 64;

/** `tokens` and `rows` (a Float32Array of tokens × dimensions) belong together by position. */
export function writeTable(file, model, tokens, rows) {
  const dimensions = rows.length / tokens.length;
  const text = Buffer.from(tokens.join('\n'));
  const vocabulary = Buffer.alloc(Math.ceil((text.length + 1) / 4) * 4, '\n');
  text.copy(vocabulary);
  const scales = new Float32Array(tokens.length);
  const quantised = new Int8Array(rows.length);
  for (let row = 0; row < tokens.length; row++) {
    const values = rows.subarray(row * dimensions, (row + 1) * dimensions);
    const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
    scales[row] = scale;
    if (scale > 0) for (let d = 0; d < dimensions; d++) quantised[row * dimensions + d] = Math.round(values[d] / scale);
  }
  const body = Buffer.concat([vocabulary, Buffer.from(scales.buffer), Buffer.from(quantised.buffer)]);
  const header = Buffer.alloc(HEADER);
  header.write('HOLDFAST TABLE 1', 0, 'latin1');
  header.write(model, 16, 32, 'latin1');
  [dimensions, tokens.length, vocabulary.length, crc32(body)].forEach((value, i) => {
    header.writeUInt32LE(value, 48 + i * 4);
  });
  writeFileSync(file, Buffer.concat([header, body]));
}
