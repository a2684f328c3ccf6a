// Texts and the teacher's vectors → the table. A text is the mean of its tokens' rows. The rows start as the teacher's vectors of the
// single tokens, weighted by rarity. By gradient descent they learn to put the texts of a batch at the distances that the teacher gives
// them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openWordPiece } from '../../dist/embedding/wordpiece.js';
import { cached } from './cache.mjs';
import { openMatmul } from './matmul.mjs';
import { openRandom } from './random.mjs';
import { sources as names } from './vocabulary.mjs';
import { writeTable } from './write-table.mjs';

const table = fileURLToPath(new URL('../../models/static-256.bin', import.meta.url));
const MODEL = 'holdfast-static-256-v1';
const [TEACHER, D] = [384, 256];
const BATCH = 1024;
const TEMPERATURE = 0.15;
const RATE = 0.06;
const HELD_OUT = 2000;
const RARITY = 1e-3;

const EPOCHS = 3;

const { times, timesTransposed } = await openMatmul();
const lines = (file) => readFileSync(file, 'utf8').trimEnd().split('\n');
const floats = (name) => new Float32Array(readFileSync(cached('vectors', `${name}.f32`)).buffer);
const vocabulary = lines(cached('vocabulary.txt'));
const wordPiece = openWordPiece(vocabulary.join('\n'), { splitHumps: true });

/** { ids: the tokens of each text, vectors: the teacher's }, without texts that have no token. */
function load(name) {
  const vectors = floats(name);
  const ids = new Int32Array(256);
  const texts = lines(cached('texts', `${name}.txt`)).map((text, at) => ({
    ids: ids.slice(0, wordPiece.tokenize(text, ids)),
    vector: vectors.subarray(at * TEACHER, (at + 1) * TEACHER),
  }));
  return texts.filter(({ ids: tokens, vector }) => tokens.length > 0 && vector.length === TEACHER && vector[0] !== 0);
}

const sources = Object.fromEntries(names.map((name) => [name, load(name)]));
const held = Object.entries(sources).map(([name, texts]) => [name, texts.slice(0, HELD_OUT)]);
const training = Object.values(sources).flatMap((texts) => texts.slice(HELD_OUT));
console.log('training on', training.length);

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
function normalise(vector) {
  const norm = Math.sqrt(dot(vector, vector)) || 1;
  for (let d = 0; d < vector.length; d++) vector[d] /= norm;
  return norm;
}

const random = openRandom(1);

/**
 * The principal directions of the teacher's vectors, D × 384, orthonormal. Orthogonal iteration will do, because their order does not
 * matter.
 */
async function directions(texts) {
  const sample = texts.filter((_, i) => i % Math.ceil(texts.length / 20_000) === 0);
  const mean = new Float32Array(TEACHER);
  for (const { vector } of sample) for (let d = 0; d < TEACHER; d++) mean[d] += vector[d] / sample.length;
  const columns = new Float32Array(TEACHER * sample.length);
  for (const [i, { vector }] of sample.entries())
    for (let d = 0; d < TEACHER; d++) columns[d * sample.length + i] = vector[d] - mean[d];
  const covariance = await timesTransposed(columns, columns, sample.length);
  let basis = Float32Array.from({ length: D * TEACHER }, () => random() - 0.5);
  for (let round = 0; round < 12; round++) {
    basis = new Float32Array(await timesTransposed(basis, covariance, TEACHER));
    for (let i = 0; i < D; i++) {
      const row = basis.subarray(i * TEACHER, (i + 1) * TEACHER);
      for (let j = 0; j < i; j++) {
        const other = basis.subarray(j * TEACHER, (j + 1) * TEACHER);
        const share = dot(row, other);
        for (let d = 0; d < TEACHER; d++) row[d] -= share * other[d];
      }
      normalise(row);
    }
  }
  return basis;
}

/**
 * The teacher's vectors of the single tokens, centred, in the principal directions, and × a / (a + p): tokens that every text contains
 * distinguish texts least.
 */
async function firstRows() {
  const alone = floats('vocabulary');
  const mean = new Float32Array(TEACHER);
  for (let i = 0; i < alone.length; i++) mean[i % TEACHER] += alone[i] / vocabulary.length;
  const uses = new Float64Array(vocabulary.length);
  let all = 0;
  for (const { ids } of training) for (const id of ids) all += ++uses[id] > 0 ? 1 : 0;
  for (let i = 0; i < alone.length; i++) alone[i] -= mean[i % TEACHER];
  for (let id = 0; id < vocabulary.length; id++) normalise(alone.subarray(id * TEACHER, (id + 1) * TEACHER));
  const rows = new Float32Array(await timesTransposed(alone, await directions(training), TEACHER));
  for (let i = 0; i < rows.length; i++) rows[i] *= RARITY / (RARITY + uses[Math.floor(i / D)] / all);
  return rows;
}

/** Unit vectors of texts (count × D), and the length of each before normalisation. */
function embed(rows, texts) {
  const vectors = new Float32Array(texts.length * D);
  const norms = texts.map(({ ids }, i) => {
    const vector = vectors.subarray(i * D, (i + 1) * D);
    for (const id of ids) for (let d = 0; d < D; d++) vector[d] += rows[id * D + d];
    for (let d = 0; d < D; d++) vector[d] /= ids.length;
    return normalise(vector);
  });
  return { vectors, norms };
}

const teacherOf = (texts) => {
  const vectors = new Float32Array(texts.length * TEACHER);
  for (const [i, { vector }] of texts.entries()) vectors.set(vector, i * TEACHER);
  return vectors;
};

/** Per row, the softmax of similarities to the other texts of the batch. */
function likeness(similarities, size) {
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++)
      sum += similarities[i * size + j] = i === j ? 0 : Math.exp((similarities[i * size + j] - 1) / TEMPERATURE);
    for (let j = 0; j < size; j++) similarities[i * size + j] /= sum;
  }
  return similarities;
}

/** Adam over the rows that a batch touches. */
function openDescent(rows) {
  const [first, second] = [new Float32Array(rows.length), new Float32Array(rows.length)];
  const unit = rows.reduce((sum, value) => sum + Math.abs(value), 0) / rows.length;
  return (gradients, rate) => {
    for (const [id, gradient] of gradients)
      for (let d = 0, at = id * D; d < D; d++, at++) {
        first[at] = 0.9 * first[at] + 0.1 * gradient[d];
        second[at] = 0.99 * second[at] + 0.01 * gradient[d] ** 2;
        rows[at] -= (rate * unit * first[at]) / (Math.sqrt(second[at]) + 1e-10);
      }
  };
}

async function step(rows, texts, rate, descend) {
  const size = texts.length;
  const { vectors, norms } = embed(rows, texts);
  const teacher = teacherOf(texts);
  const wanted = likeness(await timesTransposed(teacher, teacher, TEACHER), size);
  const given = likeness(await timesTransposed(vectors, vectors, D), size);
  let loss = 0;
  for (let i = 0; i < wanted.length; i++)
    if (wanted[i] > 1e-9) loss += wanted[i] * Math.log(wanted[i] / Math.max(given[i], 1e-12));
  const pull = new Float32Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++)
      pull[i * size + j] = given[i * size + j] - wanted[i * size + j] + given[j * size + i] - wanted[j * size + i];
  const slopes = await times(pull, vectors, size);
  const gradients = new Map();
  for (const [i, { ids }] of texts.entries()) {
    const slope = slopes.subarray(i * D, (i + 1) * D);
    const vector = vectors.subarray(i * D, (i + 1) * D);
    const along = dot(slope, vector);
    const share = 1 / (norms[i] * ids.length * size);
    for (let d = 0; d < D; d++) slope[d] = (slope[d] - along * vector[d]) * share;
    for (const id of ids) {
      const gradient = gradients.get(id) ?? new Float32Array(D);
      gradients.set(id, gradient);
      for (let d = 0; d < D; d++) gradient[d] += slope[d];
    }
  }
  descend(gradients, rate);
  return loss / size;
}

/** On texts not used in training: the correlation of cosines with the teacher's, and the share of the teacher's ten nearest among ours. */
async function quality(rows, texts) {
  const size = texts.length;
  const { vectors } = embed(rows, texts);
  const teacher = teacherOf(texts);
  const [theirs, ours] = [await timesTransposed(teacher, teacher, TEACHER), await timesTransposed(vectors, vectors, D)];
  let [n, sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < size; i++)
    for (let j = 0; j < i; j++) {
      const x = theirs[i * size + j];
      const y = ours[i * size + j];
      n++;
      sx += x;
      sy += y;
      sxx += x * x;
      syy += y * y;
      sxy += x * y;
    }
  const correlation = (n * sxy - sx * sy) / Math.sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
  const nearest = (all, i) => {
    const order = Array.from({ length: size }, (_, j) => j).filter((j) => j !== i);
    return order.sort((a, b) => all[i * size + b] - all[i * size + a]).slice(0, 10);
  };
  let shared = 0;
  for (let i = 0; i < 300; i++) {
    const found = nearest(ours, i);
    shared += nearest(theirs, i).filter((j) => found.includes(j)).length / 3000;
  }
  return `${correlation.toFixed(3)}/${shared.toFixed(3)}`;
}

const report = async (rows) =>
  (await Promise.all(held.map(async ([name, texts]) => `${name} ${await quality(rows, texts)}`))).join('  ');

const rows = await firstRows();
console.log('start', await report(rows));
const descend = openDescent(rows);
const perEpoch = Math.floor(training.length / BATCH);
for (let epoch = 0; epoch < EPOCHS; epoch++) {
  for (let i = training.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [training[i], training[j]] = [training[j], training[i]];
  }
  let loss = 0;
  for (let k = 0; k < perEpoch; k++) {
    const done = (epoch * perEpoch + k) / (EPOCHS * perEpoch);
    loss += await step(rows, training.slice(k * BATCH, (k + 1) * BATCH), RATE * (1 - 0.95 * done), descend);
    if (k % 50 === 49) console.log(`epoch ${epoch + 1}, ${k + 1} of ${perEpoch}: ${(loss / (k + 1)).toFixed(4)}`);
  }
  console.log(`after epoch ${epoch + 1}`, await report(rows));
  writeTable(table, MODEL, vocabulary, rows);
}
