// The words of the table: the teacher's tokens without its unused and special ones. In their place come the words of the corpus that the
// teacher would break into pieces most often (javascript, config, github).
import { readFileSync, writeFileSync } from 'node:fs';
import { cached } from './cache.mjs';
import { teacherVocabulary } from './teacher.mjs';

export const sources = ['wordnet', 'docs', 'books'];
/** As many as keep the file below 8,000,000 bytes. */
const ROWS = 29_900;

const tokens = teacherVocabulary().filter((token) => !/^\[(unused\d+|PAD|UNK|CLS|SEP|MASK)\]$/.test(token));
const known = new Set(tokens);
const uses = new Map();
for (const source of sources)
  for (const [word] of readFileSync(cached('texts', `${source}.txt`), 'utf8')
    .toLowerCase()
    .matchAll(/(?<![a-z0-9])[a-z]{3,}(?![a-z0-9])/g))
    if (!known.has(word)) uses.set(word, (uses.get(word) ?? 0) + 1);
const more = [...uses].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, ROWS - tokens.length);
const all = [...tokens, ...more.map(([word]) => word)];
writeFileSync(cached('vocabulary.txt'), `${all.join('\n')}\n`);
// What the teacher reads for each token: a piece inside a word counts as a word.
writeFileSync(cached('texts', 'vocabulary.txt'), `${all.map((token) => token.replace(/^##(?=.)/, '')).join('\n')}\n`);
console.log('vocabulary', all.length);
