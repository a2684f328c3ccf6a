// node scripts/recall/train.mjs [--write]: learns the weights of recall/ranking/weights.ts from the questions of the bench `coding`. The
// features come through the public path: the script ingests transcripts and searches each question with `explain`. A question is a list of
// entries, some of which answer it. The chosen weights make the answers most likely to be drawn first (listwise logistic, with a penalty on
// large weights). The script prints figures both fitted and cross-validated, where weights learned without a project rank that project.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { codingArchive, shared } from '../../bench/corpus.mjs';
import { program, runNode } from '../../bench/figures.mjs';
import { openHoldfast } from '../../dist/index.js';
import { search } from '../../dist/operations/recall/search.js';
import { featureNames } from '../../dist/recall/ranking/features.js';

const sets = [
  { name: 'coding-dev', archive: 'real-transcripts' },
  { name: 'coding-dev2', archive: 'coding-sessions' },
];
/** How many entries of a question are compared. */
const pool = 500;
const penalty = 0.02;
const steps = 1500;
const rate = 0.05;
const target = fileURLToPath(new URL('../../src/recall/ranking/weights.ts', import.meta.url));

async function questionsOf({ name, archive }, folder) {
  const claude = codingArchive(archive, folder);
  const env = {
    HOLDFAST_HOME: path.join(folder, 'home'),
    CLAUDE_CONFIG_DIR: claude,
    PI_CODING_AGENT_SESSION_DIR: path.join(path.dirname(claude), 'pi'),
    HOME: folder,
  };
  await runNode([program, 'ingest', '--json'], env);
  await runNode([program, 'embed', '--json'], env);
  const holdfast = await openHoldfast(env);
  const lines = fs
    .readFileSync(path.join(shared, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  const projects = new Map((await holdfast.store.sessions.list({})).map((session) => [session.id, session.project]));
  const questions = [];
  for (const line of lines) {
    const { question, entries, sessions } = JSON.parse(line);
    const input = search.input.parse({ query: question, limit: pool, explain: true });
    const { hits } = await search.run(holdfast.context, input);
    questions.push({
      set: name,
      project: `${name}/${projects.get(sessions[0]) ?? ''}`,
      sessions,
      rows: hits.map(({ id, session, features = {} }) => ({
        x: Float64Array.from(featureNames, (feature) => features[feature] ?? 0),
        answers: entries.includes(id),
        session,
      })),
    });
  }
  await holdfast.close();
  return questions;
}

const dot = (x, weights) => {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * weights[i];
  return sum;
};

/** Adam on the negative logarithm of the answers' share of the total. */
function learn(questions) {
  const usable = questions.filter(({ rows }) => rows.some(({ answers }) => answers));
  const size = featureNames.length;
  const weights = new Float64Array(size);
  const [mean, square] = [new Float64Array(size), new Float64Array(size)];
  for (let step = 1; step <= steps; step++) {
    const slope = new Float64Array(size);
    for (const { rows } of usable) {
      const scores = rows.map(({ x }) => dot(x, weights));
      const most = Math.max(...scores);
      const shares = scores.map((score) => Math.exp(score - most));
      const all = shares.reduce((sum, share) => sum + share, 0);
      const right = rows.reduce((sum, { answers }, i) => sum + (answers ? shares[i] : 0), 0) || 1e-300;
      for (const [i, { x, answers }] of rows.entries()) {
        const pull = shares[i] / all - (answers ? shares[i] / right : 0);
        for (let k = 0; k < size; k++) slope[k] += pull * x[k];
      }
    }
    for (let k = 0; k < size; k++) {
      const g = slope[k] / usable.length + penalty * weights[k];
      mean[k] = 0.9 * mean[k] + 0.1 * g;
      square[k] = 0.999 * square[k] + 0.001 * g * g;
      weights[k] -= (rate * (mean[k] / (1 - 0.9 ** step))) / (Math.sqrt(square[k] / (1 - 0.999 ** step)) + 1e-8);
    }
  }
  return weights;
}

/** Entries any@10 and any@50; sessions any@1 and any@5 by their best entry. */
function figures(questions, weightsOf) {
  const sums = [0, 0, 0, 0];
  for (const question of questions) {
    const weights = weightsOf(question);
    const rows = question.rows.map((row) => ({ ...row, score: dot(row.x, weights) })).sort((a, b) => b.score - a.score);
    const sessions = [...new Set(rows.map(({ session }) => session))];
    const isWanted = (session) => question.sessions.includes(session);
    sums[0] += rows.slice(0, 10).some(({ answers }) => answers);
    sums[1] += rows.slice(0, 50).some(({ answers }) => answers);
    sums[2] += sessions.slice(0, 1).some(isWanted);
    sums[3] += sessions.slice(0, 5).some(isWanted);
  }
  return sums.map((sum) => (sum / questions.length).toFixed(3).replace(/^0/, '')).join(' / ');
}

function written(weights, questions, fitted, crossed) {
  const lines = featureNames.map((name, i) => `  ${name}: ${Number(weights[i].toFixed(2))},`);
  return `// ④ What each feature of an entry counts. Written by scripts/recall/train.mjs, not by hand: ${questions} questions about real coding sessions
// (coding-dev, coding-dev2). Entries any@10 / any@50, sessions any@1 / any@5: ${fitted} fitted,
// ${crossed} cross-validated by project.
import type { FeatureName } from './features.ts';

export const weights: Readonly<Record<FeatureName, number>> = {
${lines.join('\n')}
};
`;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-train-'));
try {
  const questions = [];
  for (const set of sets) questions.push(...(await questionsOf(set, path.join(folder, set.name))));
  const weights = learn(questions);
  const without = new Map(
    [...new Set(questions.map(({ project }) => project))].map((project) => [
      project,
      learn(questions.filter((question) => question.project !== project)),
    ]),
  );
  const other = new Map(sets.map(({ name }) => [name, learn(questions.filter((question) => question.set !== name))]));
  for (const { name } of sets) {
    const own = questions.filter(({ set }) => set === name);
    console.log(`${name}: fitted ${figures(own, () => weights)}`);
    console.log(`  without its project  ${figures(own, ({ project }) => without.get(project))}`);
    console.log(`  without its set      ${figures(own, ({ set }) => other.get(set))}`);
  }
  const fitted = figures(questions, () => weights);
  const crossed = figures(questions, ({ project }) => without.get(project));
  console.log(Object.fromEntries(featureNames.map((name, i) => [name, Number(weights[i].toFixed(2))])));
  if (process.argv.includes('--write')) fs.writeFileSync(target, written(weights, questions.length, fitted, crossed));
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
