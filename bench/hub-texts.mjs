// Vectors as the hub gets them, as many as a bench wants: the default embedder reads some real texts closely. Every further vector is of a
// window of one of them: its words are read by the table of word vectors, and the sentence's part is the text's own with noise.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { builtInEmbedder } from '../dist/embedding/built-in.js';
import { pairing } from '../dist/embedding/rough.js';
import { sideBySide } from '../dist/embedding/side-by-side.js';
import { sharedTable } from '../dist/embedding/static.js';
import { filesBelow, shared } from './corpus.mjs';

const sample = new URL('../demo/claude-code/projects', import.meta.url).pathname;
const half = 256;

/** Pairs of a question and a text, spread over the data. */
function realPairs(count) {
  const data = path.join(shared, 'pairs.jsonl.gz');
  if (!fs.existsSync(data)) {
    console.log(`${data} is not there: the sample in demo/ is used instead, and figures do not compare`);
    const lines = filesBelow(sample).flatMap((file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean));
    const texts = lines.flatMap((line) => JSON.parse(line).message?.content ?? []).map((part) => part.text ?? part);
    return texts.filter((text) => typeof text === 'string' && text.length > 40).map((d) => ({ q: d.slice(0, 80), d }));
  }
  const lines = zlib.gunzipSync(fs.readFileSync(data)).toString('utf8').split('\n').filter(Boolean);
  const step = Math.max(1, Math.floor(lines.length / count));
  const pairs = lines.filter((_, i) => i % step === 0).map((line) => JSON.parse(line));
  return [...new Map(pairs.filter(({ d }) => d.length > 40).map((pair) => [pair.d, pair])).values()].slice(0, count);
}

/** `texts` are read closely. `queries` are vectors of questions; `next()` gives one more vector. */
export async function realVectors({ texts, questions }) {
  const embedder = builtInEmbedder();
  const pairs = realPairs(texts);
  const every = Math.max(1, Math.floor(pairs.length / questions));
  const queries = [];
  for (const { q } of pairs.filter((_, i) => i % every === 0).slice(0, questions)) {
    const vector = await embedder.query(q, undefined, 'sessions with tools');
    if (vector !== undefined) queries.push(vector);
  }
  const read = [];
  for (let i = 0; i < pairs.length; i += 200) {
    const some = pairs.slice(i, i + 200);
    const vectors = await embedder.refine(some.map(({ d }) => ({ text: d, passages: [] })));
    for (const [n, { d }] of some.entries())
      if (vectors[n]?.[0]) read.push({ words: d.slice(0, 6000).split(/\s+/), sentence: vectors[n][0].subarray(half) });
  }
  await embedder.close();
  return { queries, next: windows(read) };
}

function windows(read) {
  let state = 12_345;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const normal = Float32Array.from({ length: 1 << 18 }, () => {
    const radius = Math.sqrt(-2 * Math.log(random() + 1e-12));
    return radius * Math.cos(2 * Math.PI * random());
  });
  const table = sharedTable();
  return function next() {
    const { words, sentence } = read[Math.floor(random() * read.length)];
    const length = Math.max(4, Math.floor(words.length * (0.15 + 0.75 * random())));
    const from = Math.floor(random() * Math.max(1, words.length - length));
    const size = Math.sqrt(sentence.reduce((sum, value) => sum + value * value, 0));
    // The noise is between three tenths and all of the sentence's own length.
    const spread = ((0.3 + 0.7 * random()) * size) / Math.sqrt(half);
    const offset = Math.floor(random() * (normal.length - half));
    const noisy = Float32Array.from(sentence, (value, i) => value + spread * normal[offset + i]);
    return (
      sideBySide(pairing, table.embedReused(words.slice(from, from + length).join(' ')) ?? undefined, noisy) ?? next()
    );
  };
}
