import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { builtInEmbedder } from './built-in.ts';
import { cosineOf } from './embedder.ts';
import { encoderPath, loadEncoder } from './encoder.ts';
import { encodeTexts } from './encoder-texts.ts';
import { openTokens } from './static-table.ts';

const scratch: string[] = [];
afterEach(() => {
  for (const folder of scratch.splice(0)) rmSync(folder, { recursive: true });
});

/** The same forward pass, number by number, without quantised activations. */
function plainly(ids: readonly number[]): number[] {
  const bytes = readFileSync(encoderPath);
  let at = 64;
  const floats = (count: number) => {
    at += 4 * count;
    return Array.from({ length: count }, (_, i) => bytes.readFloatLE(at - 4 * (count - i)));
  };
  const int8 = (count: number) => {
    at += count;
    return new Int8Array(bytes.buffer, bytes.byteOffset + at - count, count);
  };
  const rows = bytes.readUInt32LE(52);
  const layers = bytes.readUInt32LE(56);
  const scales = floats(rows);
  const tokens = int8(rows * 256);
  const positionScales = floats(256);
  const positions = int8(256 * 256);
  let x = ids.map((id, t) =>
    Array.from(
      { length: 256 },
      (_, d) =>
        (tokens[id * 256 + d] as number) * (scales[id] as number) +
        (positions[t * 256 + d] as number) * (positionScales[t] as number),
    ),
  );
  const matrix = (outer: number, inner: number, bias = true) => {
    const q = int8(outer * inner);
    const s = floats(outer);
    const b = bias ? floats(outer) : new Array<number>(outer).fill(0);
    return (v: readonly number[]) =>
      Array.from({ length: outer }, (_, n) => {
        let sum = 0;
        for (let k = 0; k < inner; k++) sum += (q[n * inner + k] as number) * (v[k] as number);
        return sum * (s[n] as number) + (b[n] as number);
      });
  };
  const normal = () => {
    const [gain, shift] = [floats(256), floats(256)];
    return (v: readonly number[]) => {
      const mean = v.reduce((a, b) => a + b) / 256;
      const spread = v.reduce((a, b) => a + (b - mean) ** 2, 0) / 256;
      return v.map((n, d) => ((n - mean) / Math.sqrt(spread + 1e-5)) * (gain[d] as number) + (shift[d] as number));
    };
  };
  const add = (a: readonly number[], b: readonly number[]) => a.map((n, d) => n + (b[d] as number));
  for (let layer = 0; layer < layers; layer++) {
    const [first, qkv, mix, second, widen, narrow] = [
      normal(),
      matrix(768, 256),
      matrix(256, 256),
      normal(),
      matrix(512, 256),
      matrix(256, 512),
    ] as const;
    const wide = x.map((v) => qkv(first(v)));
    const mixed = wide.map((from) =>
      [0, 1, 2, 3].flatMap((head) => {
        const part = (v: readonly number[], which: number) =>
          v.slice(which * 256 + head * 64, which * 256 + head * 64 + 64);
        const q = part(from, 0);
        const scores = wide.map((to) => part(to, 1).reduce((sum, n, d) => sum + n * (q[d] as number), 0) / 8);
        const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
        const whole = powers.reduce((a, b) => a + b);
        return Array.from({ length: 64 }, (_, d) =>
          wide.reduce((sum, to, j) => sum + ((powers[j] as number) / whole) * (part(to, 2)[d] as number), 0),
        );
      }),
    );
    x = x.map((v, t) => add(v, mix(mixed[t] as number[])));
    x = x.map((v) => add(v, narrow(widen(second(v)).map((n) => Math.max(0, n)))));
  }
  const gate = floats(257);
  const last = matrix(256, 256, false);
  const sum = new Array<number>(256).fill(0);
  for (const v of x) {
    const z = v.reduce((a, n, d) => a + n * (gate[d] as number), gate[256] as number);
    for (const [d, n] of v.entries()) sum[d] = (sum[d] as number) + n / (1 + Math.exp(-z));
  }
  return last(sum);
}

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let [dot, x, y] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += (a[i] as number) * (b[i] as number);
    x += (a[i] as number) ** 2;
    y += (b[i] as number) ** 2;
  }
  return dot / Math.sqrt(x * y);
};

describe('the sentence encoder', () => {
  it('computes what plain arithmetic computes, for one token, for a few, and for texts that do not fill a block', () => {
    const tokens = openTokens();
    const encoder = loadEncoder(tokens.size);
    for (const text of [
      'why',
      'run the e2e tests',
      'useAuthStore fails after the upgrade of zustand',
      'git push --force '.repeat(6),
    ]) {
      const ids = new Int32Array(256);
      const count = tokens.tokenize(text, ids);
      encoder.ids.set(ids);
      expect(cosine(encoder.encode(count), plainly([...ids.subarray(0, count)]))).toBeGreaterThan(0.9995);
    }
  });

  it('gives the same vector again after other texts, long ones too', () => {
    const long = 'the queue is drained before the worker stops. '.repeat(200);
    const [first] = encodeTexts(['drain the queue']);
    encodeTexts([long, '', 'x']);
    expect(encodeTexts(['drain the queue'])[0]).toEqual(first);
    expect(encodeTexts([long])[0]?.every(Number.isFinite)).toBe(true);
  });

  it('has no vector for a text without a known word', () => {
    expect(encodeTexts(['', ' \n '])).toEqual([undefined, undefined]);
  });

  it('puts a paraphrase nearer than a sentence that shares a word', () => {
    const embed = (text: string) => encodeTexts([text])[0] as Float32Array;
    const question = embed('how do I start the tests in the browser');
    expect(cosine(question, embed('run the end-to-end suite with chromium'))).toBeGreaterThan(
      cosine(question, embed('the start of the year')),
    );
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, 5000), 'its check sum does not match'],
    ['of another program', () => Buffer.from('GIF89a'.padEnd(200)), 'it begins with something else'],
    [
      'damaged',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 999), Buffer.from([1, 2]), bytes.subarray(1001)]),
      'its check sum does not match',
    ],
  ])('refuses a file that is %s, and says what to do', (_, change, message) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'holdfast-encoder-'));
    scratch.push(folder);
    const file = path.join(folder, 'encoder.bin');
    writeFileSync(file, change(readFileSync(encoderPath)));
    expect(() => loadEncoder(29_900, file)).toThrow(message);
  });
});

describe('the built-in embedder', () => {
  it('answers at once with word vectors, and better after a close reading; the two can be compared', async () => {
    const embedder = builtInEmbedder();
    const text = 'We moved the retry logic into the queue so that a crash loses nothing.';
    const [rough] = (await embedder.embed([text]))[0] as [Int8Array];
    const read = async (text: string) => (await embedder.refine?.([{ text, passages: [] }]))?.[0]?.[0] as Int8Array;
    const refined = await read(text);
    expect([rough.length, refined.length]).toEqual([512, 512]);
    expect(rough.subarray(256).every((value) => value === 0)).toBe(true);
    expect(cosineOf(rough, refined)).toBeCloseTo(Math.sqrt(0.5), 1);
    const query = (await embedder.query('what happens to retries after a crash')) as Int8Array;
    const other = await read('The logo is blue.');
    expect(cosineOf(query, refined)).toBeGreaterThan(cosineOf(query, other));
  });

  it('reads passages of a text beside the whole, which comes last; a passage without words adds nothing', async () => {
    const embedder = builtInEmbedder();
    const passages = ['The logo is blue.', '  ', 'A crash loses no retry.'];
    const text = passages.join(' ');
    const [[logo, crash, whole] = [], [alone] = []] =
      (await embedder.refine?.([
        { text, passages },
        { text, passages: [] },
      ])) ?? [];
    const query = (await embedder.query('what happens to retries after a crash')) as Int8Array;
    const near = (vector: Int8Array | undefined) => cosineOf(query, vector as Int8Array);
    expect(whole).toEqual(alone);
    expect(near(crash)).toBeGreaterThan(near(whole));
    expect(near(whole)).toBeGreaterThan(near(logo));
    // The words of all are those of the whole text.
    expect(cosineOf((logo as Int8Array).subarray(0, 256), (whole as Int8Array).subarray(0, 256))).toBeGreaterThan(0.99);
  });

  it('weighs what a question says over its words among sessions that used tools', async () => {
    const embedder = builtInEmbedder();
    const norm = (vector: Int8Array) => Math.hypot(...vector);
    const share = async (among?: 'sessions with tools') => {
      const vector = (await embedder.query('what happens after a crash', undefined, among)) as Int8Array;
      return norm(vector.subarray(256)) / norm(vector.subarray(0, 256));
    };
    expect(await share()).toBeCloseTo(1, 1);
    expect(await share('sessions with tools')).toBeCloseTo(7 / 3, 1);
  });
});
