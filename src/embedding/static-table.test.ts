import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadStaticTable, staticTablePath } from './static-table.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'holdfast-table-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const table = loadStaticTable();

function cosine(a: string, b: string): number {
  const [x, y] = [table.embed(a), table.embed(b)].map((vector) => Array.from(vector ?? [])) as [number[], number[]];
  return x.reduce((sum, value, d) => sum + value * (y[d] ?? 0), 0) / 127 ** 2;
}

describe('the table', () => {
  it('says what it is', () => {
    expect(table).toMatchObject({ model: 'holdfast-static-256-v1', dimensions: 256 });
    expect(readFileSync(staticTablePath).length).toBeLessThanOrEqual(8_000_000);
  });

  it.each([
    ['Where did we drop the retry queue?', "let's stop re-sending failed batches", 'the sky over the sea was blue'],
    ['The dog sleeps in the garden', 'a puppy lies on the lawn', 'the interest rate of the bank rose'],
    ['What does she do for a living?', 'I work as a nurse in a hospital', 'the train was two hours late'],
    ['fix the login bug', 'users cannot sign in any more', 'paint the fence green'],
    ['my favourite food is pasta', 'she likes to eat Italian dishes', 'the compiler reports a type error'],
    ['speed up the database query', 'add an index to make SQL faster', 'we went hiking in the mountains'],
    ['my daughter started school', 'her child is in first grade', 'the server ran out of memory'],
    ['useAuthStore', 'the store that holds authentication', 'a recipe for apple pie'],
  ])('finds %j nearer to %j than to %j', (a, near, far) => {
    expect(cosine(a, near)).toBeGreaterThan(cosine(a, far));
  });

  it('gives unit vectors × 127, and the same ones as floats', () => {
    expect(cosine('a plain sentence', 'a plain sentence')).toBeCloseTo(1, 1);
    const floats = table.embedFloat('a plain sentence') ?? [];
    expect(Math.hypot(...floats)).toBeCloseTo(1, 5);
    expect(table.embed('a plain sentence')).toEqual(Int8Array.from(floats, (value) => Math.round(value * 127)));
  });

  it('weighs the words of a query as it is told', () => {
    const words = ['slow', 'database', 'query'];
    const rounded = (vector: Float32Array | undefined) => vector?.map((value) => Math.round(value * 1000));
    expect(rounded(table.embedWords(words, [1, 1, 1]))).toEqual(rounded(table.embedFloat(words.join(' '))));
    expect(rounded(table.embedWords(words, [0, 2, 0]))).toEqual(rounded(table.embedFloat('database')));
    expect(table.embedWords(words, [0, 0])).toBeUndefined();
    expect(table.embedWords([], [])).toBeUndefined();
  });

  it('has no vector for a text without known words', () => {
    for (const text of ['', ' \n', '😀😀', 'x'.repeat(500)]) expect(table.embed(text)).toBeUndefined();
  });

  it('reads only the beginning of a very long text', () => {
    const [words, more] = ['the database is slow. '.repeat(1000), ' and a cat sleeps'.repeat(60_000)];
    expect(table.embed(words + more)).toEqual(table.embed(words));
    expect(table.embed('é'.repeat(1 << 20))).toBeUndefined();
  });
});

describe('a file that is not a table', () => {
  const refusal = (name: string, bytes: Uint8Array) => {
    const file = path.join(folder, name);
    writeFileSync(file, bytes);
    return () => loadStaticTable(file);
  };
  const whole = readFileSync(staticTablePath);

  it('is named when it is missing', () => {
    const file = path.join(folder, 'none.bin');
    expect(() => loadStaticTable(file)).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining(file) }),
    );
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['something else', Buffer.alloc(4096, 'x')],
    ['cut off', whole.subarray(0, whole.length - 1)],
    ['too long', Buffer.concat([whole, Buffer.alloc(4)])],
    ['a header alone', whole.subarray(0, 64)],
  ])('is refused when it is %s', (name, bytes) => {
    expect(refusal(name, bytes)).toThrow(expect.objectContaining({ code: 'UNREADABLE' }));
  });

  it('is refused when one bit has flipped', () => {
    const turned = Buffer.from(whole);
    turned.writeUInt8(turned.readUInt8(5_000_000) ^ 1, 5_000_000);
    expect(refusal('turned', turned)).toThrow('check sum');
  });
});
