import { describe, expect, it } from 'vitest';
import { openWordPiece } from './wordpiece.ts';

const vocabulary = [
  '[UNK]',
  'use',
  'auth',
  'store',
  'cafe',
  'play',
  '##ing',
  '##s',
  'java',
  '##script',
  'iphone',
  'http',
  'server',
];
vocabulary.push(
  '日',
  '本',
  ',',
  '.',
  '(',
  ')',
  '_',
  '/',
  "'",
  't',
  'don',
  'a',
  '##a',
  'привет',
  '"',
  '–',
  '42',
  '##2',
  '4',
);
vocabulary.push('ᄒ', '##ᅡ', '##ᆫ');

function tokens(text: string, options?: { splitHumps?: boolean }, words: readonly string[] = vocabulary): string[] {
  const ids = new Int32Array(64);
  const count = openWordPiece(words.join('\n'), options).tokenize(text, ids);
  return Array.from(ids.subarray(0, count), (id) => words[id] ?? '?');
}

describe('a text becomes tokens', () => {
  it.each([
    ['longest pieces first', 'playing plays', ['play', '##ing', 'play', '##s']],
    ['lower case without accents', 'Café CAFE\u0301 CAFÉ', ['cafe', 'cafe', 'cafe']],
    ['punctuation apart', "don't use_auth(store).", ['don', "'", 't', 'use', '_', 'auth', '(', 'store', ')', '.']],
    ['every CJK sign apart', 'auth日本store', ['auth', '日', '本', 'store']],
    ['Hangul in its letters', '한', ['ᄒ', '##ᅡ', '##ᆫ']],
    ['Cyrillic', 'ПРИВЕТ, 42', ['привет', ',', '42']],
    ['invisible characters left out', 'au\u200bth\u0000 s\ufefftore', ['auth', 'store']],
    ['every kind of space between', 'use\tauth\r\nstore\u00a0a\u3000a\u2028a', ['use', 'auth', 'store', 'a', 'a', 'a']],
    ['a word without pieces unknown as a whole', 'playx auth', ['[UNK]', 'auth']],
    ['a picture apart from the word it sticks to', 'auth😀 store❤\ufe0f', ['auth', '[UNK]', 'store', '[UNK]']],
    ['half a surrogate left out', 'auth\udc00 store\ud83d', ['auth', 'store']],
    ['nothing of nothing', ' \n\t ', []],
    ['nothing of an empty text', '', []],
  ])('%s', (_, text, expected) => expect(tokens(text)).toEqual(expected));

  it('a word of 100 letters is read, a longer one is unknown', () => {
    expect(tokens('a'.repeat(60))).toHaveLength(60);
    expect(tokens('a'.repeat(101))).toEqual(['[UNK]']);
    expect(tokens(`${'a'.repeat(101)} auth`)).toEqual(['[UNK]', 'auth']);
  });

  it('leaves unknown words out if the vocabulary has no word for them', () => {
    expect(tokens('playx auth 😀', {}, ['play', 'auth'])).toEqual(['auth']);
  });

  it('stops when the space is full', () => {
    const ids = new Int32Array(3);
    expect(openWordPiece(vocabulary.join('\n')).tokenize('use auth store use', ids)).toBe(3);
    expect(openWordPiece(vocabulary.join('\n')).tokenize('use auth playing', ids)).toBe(3);
    expect(openWordPiece(vocabulary.join('\n')).tokenize('use auth store nonsense', ids)).toBe(3);
    expect(openWordPiece(vocabulary.join('\n')).tokenize('auth', new Int32Array(0))).toBe(0);
  });

  it('reads a megabyte without spaces', () => {
    const ids = new Int32Array(64);
    const { tokenize } = openWordPiece(vocabulary.join('\n'));
    expect(tokenize('a'.repeat(1 << 20), ids)).toBe(1);
    expect(tokenize('é'.repeat(1 << 20), ids)).toBe(1);
    expect(tokenize('😀'.repeat(1 << 19), ids)).toBe(64);
  });
});

describe('a word with humps', () => {
  const split = (text: string) => tokens(text, { splitHumps: true });

  it('is read by its parts', () => {
    expect(split('useAuthStore')).toEqual(['use', 'auth', 'store']);
    expect(split('HTTPServer')).toEqual(['http', 'server']);
    expect(split('AuthStoreX')).toEqual(['auth', 'store', '[UNK]']);
  });

  it('stays whole if it is a token', () => expect(split('iPhone')).toEqual(['iphone']));
  it('a capital at the front or all capitals make no hump', () => {
    expect(split('Playing PLAYING')).toEqual(['play', '##ing', 'play', '##ing']);
  });
  it('stays whole unless asked', () => expect(tokens('useAuthStore')).toEqual(['[UNK]']));
});
