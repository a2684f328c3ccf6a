// Vectors of 100,000 entries of LongMemEval: loading them, comparing all with a question, and what signs alone would find.
import path from 'node:path';
import { openHoldfast } from '../dist/index.js';
import { openSlots } from '../dist/recall/vectors/slots.js';
import { longMemEval, scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show, timed } from './figures.mjs';

const folder = scratchFolder();
const env = { HOLDFAST_HOME: path.join(folder, 'home'), CLAUDE_CONFIG_DIR: path.join(folder, 'claude'), HOME: folder };
const { questions } = longMemEval(path.join(folder, 'claude', 'projects'), 100_000);
await runNode([program, 'ingest', '--json'], env);

const memory = () => process.memoryUsage().rss / 1e6;
const before = memory();
const loads = [];
let holdfast;
let state;
for (let round = 0; round < 3; round++) {
  await holdfast?.close();
  holdfast = await openHoldfast(env);
  loads.push(await timed(async () => (state = await holdfast.meaning.ready())));
}
const { places, search } = state;
const queries = [];
for (const { question } of questions) queries.push(await search.embed(question));
const after = memory();
const again = await timed(() => holdfast.meaning.ready());
const scans = [];
for (let round = 0; round < 5; round++) for (const query of queries) scans.push(await timed(() => search.scan(query)));

/** More vectors than there are: each is a different mixture of two. */
async function slotsOf(wanted, ceiling) {
  const { store } = holdfast;
  const real = [];
  for (let seq = 0; ; ) {
    const page = await store.vectors.after(seq, { kind: 'entry', model: search.model, limit: 512 });
    if (page.seqs.length === 0) break;
    seq = page.seqs.at(-1);
    const length = page.vectors.length / page.seqs.length;
    for (let i = 0; i < page.seqs.length; i++) real.push(page.vectors.slice(i * length, (i + 1) * length));
  }
  let state = 1;
  const next = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const mixed = (i) => {
    if (i < real.length) return real[i];
    const [a, b, share] = [real[next(real.length)], real[next(real.length)], 0.6 + next(300) / 1000];
    return a.map((value, d) => Math.round(share * value + (1 - share) * b[d]));
  };
  const all = [];
  const read = async (seqs) => {
    const vectors = new Int8Array(seqs.length * all[0].length);
    for (const [i, seq] of seqs.entries()) vectors.set(all[seq - 1], i * all[0].length);
    return { seqs, ids: seqs, vectors };
  };
  const slots = openSlots({ dimensions: real[0].length, ceiling, read });
  for (let i = 0; i < wanted; i++) {
    all.push(mixed(i));
    slots.add([i + 1], all[i]);
  }
  return slots;
}

const nearest = async (slots, query) => {
  const cosines = await slots.scan(query);
  return [...cosines.keys()].sort((a, b) => cosines[b] - cosines[a]).slice(0, 10);
};
async function compare(count) {
  const [exact, signs] = [await slotsOf(count, 1e12), await slotsOf(count, 1e6)];
  const times = { exact: [], signs: [] };
  let found = 0;
  for (const query of queries) {
    times.exact.push(await timed(() => exact.scan(query)));
    times.signs.push(await timed(() => signs.scan(query)));
    const best = new Set(await nearest(exact, query));
    found += (await nearest(signs, query)).filter((slot) => best.has(slot)).length;
  }
  return {
    exact: quantile(times.exact, 0.5),
    signs: quantile(times.signs, 0.5),
    recall: (10 * found) / queries.length,
  };
}
const small = await compare(100_000);
const large = await compare(400_000);

console.log(`  ${places.size} entries, ${queries.length} questions, ${search.model}`);
show([
  ['loading places and vectors, best of 3', Math.min(...loads), 'ms', 400],
  ['a check for changes', again, 'ms', 1],
  ['all compared with a question, p50', quantile(scans, 0.5), 'ms', 5],
  ['memory, more than before', after - before, 'MB', 130],
  [
    'signs first: of the ten nearest, 100,000 vectors',
    small.recall,
    '%',
    undefined,
    `${small.signs.toFixed(1)} ms, all: ${small.exact.toFixed(1)} ms`,
  ],
  [
    'signs first: of the ten nearest, 400,000 vectors',
    large.recall,
    '%',
    undefined,
    `${large.signs.toFixed(1)} ms, all: ${large.exact.toFixed(1)} ms`,
  ],
]);
await holdfast.close();
