import { describe, expect, it } from 'vitest';
import { insert, readSettings, remove } from './settings-text.ts';

const file = 'settings.json';
const value = [{ hooks: [{ type: 'command', command: 'x' }] }];

describe('settings of another program', () => {
  it.each([
    ['a usual file', '{\n  "model": "opus"\n}\n', '{\n  "model": "opus",\n  "hooks": 1\n}\n'],
    [
      'four spaces',
      '{\n    "a": {\n        "b": 1\n    }\n}',
      '{\n    "a": {\n        "b": 1\n    },\n    "hooks": 1\n}',
    ],
    ['tabs', '{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"hooks": 1\n}\n'],
    ['CRLF', '{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "hooks": 1\r\n}\r\n'],
    ['a byte order mark', '\uFEFF{\n  "a": 1\n}', '\uFEFF{\n  "a": 1,\n  "hooks": 1\n}'],
    ['one line', '{"a":1}', '{"a":1,"hooks":1}'],
    ['one airy line', '{ "a": 1 }', '{ "a": 1, "hooks": 1 }'],
    ['an empty object', '{}', '{\n  "hooks": 1\n}'],
    ['an empty object on two lines', '{\n}\n', '{\n  "hooks": 1\n}\n'],
    ['nothing', '', '{\n  "hooks": 1\n}\n'],
    ['a comment behind the last', '{\n  "a": 1 // why\n}', '{\n  "a": 1, // why\n  "hooks": 1\n}'],
    ['a trailing comma', '{\n  "a": 1,\n}', '{\n  "a": 1,\n  "hooks": 1,\n}'],
    ['only a comment', '{\n  // nothing yet\n}', '{\n  // nothing yet\n  "hooks": 1\n}'],
  ])('a key is added to %s, and nothing else changes', (_, before, after) => {
    expect(insert(before, [{ path: ['hooks'], value: 1 }], file)).toBe(after);
  });

  it('an element is added to a list in the layout of its neighbours', () => {
    const before = '{\n  "hooks": {\n    "Stop": [\n      { "a": 1 }\n    ]\n  }\n}';
    const after = insert(before, [{ path: ['hooks', 'Stop', 1], value: { b: 2 } }], file);
    expect(after).toBe(
      '{\n  "hooks": {\n    "Stop": [\n      { "a": 1 },\n      {\n        "b": 2\n      }\n    ]\n  }\n}',
    );
    expect(remove(after, [['hooks', 'Stop', 1]], file)).toBe(before);
  });

  it('a removed element takes its comma along and leaves comments', () => {
    const text = '{\n  // first\n  "a": 1, // one\n  "b": 2, // two\n  "c": 3 // three\n}';
    expect(remove(text, [['b']], file)).toBe('{\n  // first\n  "a": 1, // one // two\n  "c": 3 // three\n}');
    expect(readSettings(remove(text, [['c']], file), file).value).toEqual({ a: 1, b: 2 });
    expect(readSettings(remove(text, [['a']], file), file).value).toEqual({ b: 2, c: 3 });
  });

  it.each(['{', '{"a":1', '[1]', 'null', '"x"', '{"a":}', 'a: 1', '{} {}', '{"a":1}}'])('%j is refused', (text) => {
    expect(() => readSettings(text, file)).toThrow(/not valid JSON|JSON object/);
  });

  it('many comments in a row are allowed', () => {
    const text = `{\n  "a": 1 ${'/* x */ '.repeat(200)}\n}`;
    expect(readSettings(insert(text, [{ path: ['b'], value: 2 }], file), file).value).toEqual({ a: 1, b: 2 });
  });

  it('says when a file is not plain JSON', () => {
    expect(readSettings('{"a":1}', file).plain).toBe(true);
    expect(readSettings('{"a":1,}', file).plain).toBe(false);
    expect(readSettings('// x\n{"a":1}', file).plain).toBe(false);
  });

  it('what was added and removed again leaves the bytes that were there, in random files', () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const random = dice(seed);
      const settings = randomObject(random, 3, 1);
      const pretty = random() < 0.8;
      const indent = ['  ', '    ', '\t'][Math.floor(random() * 3)] as string;
      let text = JSON.stringify(settings, null, pretty ? indent : undefined);
      if (random() < 0.3) text = text.replaceAll('\n', '\r\n');
      if (random() < 0.3) text = `\uFEFF${text}`;
      if (random() < 0.7) text += text.includes('\r\n') ? '\r\n' : '\n';
      const added = insert(text, [{ path: ['hooks'], value: { Stop: value } }], file);
      expect(readSettings(added, file).value, `seed ${seed}`).toEqual({ ...settings, hooks: { Stop: value } });
      expect(remove(added, [['hooks']], file), `seed ${seed}`).toBe(text);
    }
  });
});

function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomObject(random: () => number, depth: number, least: number): Record<string, unknown> {
  const size = least + Math.floor(random() * 4);
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i} ,"{}`, randomValue(random, depth - 1)]));
}

function randomValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 6 : 4));
  if (kind === 4) return randomObject(random, depth, 0);
  if (kind === 5) return Array.from({ length: Math.floor(random() * 3) }, () => randomValue(random, depth - 1));
  return [1, 'a // b, "}', null, true][kind];
}
