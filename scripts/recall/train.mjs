// node scripts/recall/train.mjs [--write] [--folder FOLDER]: learns the weights of entries (recall/ranking/weights.ts) and of sessions
// (recall/ranking/session-weights.ts) from the questions and commits of the bench `coding`. The features come through the public path: the
// script ingests transcripts and searches each question with `explain`. A question is a list of hits, some of which answer it. The chosen
// weights make the answers most likely to be drawn first (learning.mjs). A penalty keeps the weights of entries near the present ones, and
// those of sessions near 0. The script prints figures both fitted and cross-validated, where weights learned without a project rank that
// project. The present weights of entries have seen every project, so the script also learns those from 0: these figures alone are of
// questions that no weight has seen. `--write` replaces the weights of entries; those of sessions are printed. `--folder` keeps stores and
// features there, and uses them again: stores always, features as long as dist/recall stays the same.
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitQuestions } from '../../bench/commit-questions.mjs';
import { codingArchive, filesBelow, shared } from '../../bench/corpus.mjs';
import { program, runNode } from '../../bench/figures.mjs';
import { openHoldfast } from '../../dist/index.js';
import { search } from '../../dist/operations/recall/search.js';
import { featureNames } from '../../dist/recall/ranking/features.js';
import { sessionFeatureNames } from '../../dist/recall/ranking/session-weights.js';
import { weights as present } from '../../dist/recall/ranking/weights.js';
import { figures, learn } from './learning.mjs';

const sets = [
  { name: 'coding-dev', archive: 'real-transcripts' },
  { name: 'coding-dev2', archive: 'coding-sessions' },
  { name: 'commits', archive: 'coding-sessions' },
];
/** What the sessions of commits are ranked by. The sizes of sessions and their best turn added nothing that holds for other projects. */
const ofCommits = ['turns', 'covered', 'meaning', 'meanings', 'wordsOfTurns'];
/** How many hits of a question are compared. */
const pool = 300;
const penaltyOfEntries = 0.05;
const penaltyFromZero = 0.02;
const penaltyOfSessions = 0.02;
const target = fileURLToPath(new URL('../../src/recall/ranking/weights.ts', import.meta.url));

/** Makes the store of a set, unless it is there. Returns its environment and its questions. */
async function storeOf({ name, archive }, folder) {
  const list = path.join(folder, 'questions.json');
  const home = path.join(folder, 'home');
  if (!fs.existsSync(list)) {
    const claude = codingArchive(archive, folder);
    const asked =
      name === 'commits'
        ? commitQuestions(path.join(claude, 'projects'))
        : fs
            .readFileSync(path.join(shared, `${name}.jsonl`), 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line));
    const env = {
      HOLDFAST_HOME: home,
      CLAUDE_CONFIG_DIR: claude,
      PI_CODING_AGENT_SESSION_DIR: path.join(path.dirname(claude), 'pi'),
      HOME: folder,
    };
    await runNode([program, 'ingest', '--json'], env);
    await runNode([program, 'embed', '--json'], env);
    fs.writeFileSync(list, JSON.stringify(asked));
  }
  return { env: { HOLDFAST_HOME: home, HOME: folder }, asked: JSON.parse(fs.readFileSync(list, 'utf8')) };
}

/** Each question with its hits, from the features kept in the folder if this build has written them. */
async function questionsOf(set, folder) {
  const file = path.join(folder, `features-${buildHash()}.json`);
  if (!fs.existsSync(file)) fs.writeFileSync(file, JSON.stringify(await searched(set, folder)));
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/** Of the files that decide the features. */
function buildHash() {
  const folder = fileURLToPath(new URL('../../dist/recall', import.meta.url));
  const hash = crypto.createHash('sha256');
  for (const file of filesBelow(folder, '.js')) hash.update(fs.readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

/** Each question with its hits: entries, except for commits, and sessions. */
async function searched(set, folder) {
  const { env, asked } = await storeOf(set, folder);
  const holdfast = await openHoldfast(env);
  const projects = new Map((await holdfast.store.sessions.list({})).map((session) => [session.id, session.project]));
  const questions = [];
  for (const { question, entries = [], sessions } of asked) {
    const ask = async (kind, names, wanted) => {
      const input = search.input.parse({ query: question, kind, limit: pool, explain: true });
      return (await search.run(holdfast.context, input)).hits.map(({ id, session, features = {} }) => ({
        x: names.map((name) => features[name] ?? 0),
        answers: wanted.includes(id),
        session,
      }));
    };
    questions.push({
      set: set.name,
      project: `${set.archive}/${projects.get(sessions[0]) ?? ''}`,
      sessions,
      entries: entries.length > 0 ? await ask('entry', featureNames, entries) : [],
      hits: await ask('session', sessionFeatureNames, sessions),
    });
  }
  await holdfast.close();
  return questions;
}

/** Learns, prints the figures of each set and returns the weights with the figures of all. */
function report(title, questions, { rowsOf, names, near, penalty, numbers }) {
  const learned = (some) => learn(some, rowsOf, near, penalty);
  const weights = learned(questions);
  const by = (key) =>
    new Map(
      [...new Set(questions.map((question) => question[key]))].map((value) => [
        value,
        learned(questions.filter((question) => question[key] !== value)),
      ]),
    );
  const without = by('project');
  const of = (some, weightsOf) => figures(some, rowsOf, weightsOf, numbers);
  const columns = numbers.map((number) => `any@${number}`).join(' / ');
  console.log(`${title}, ${columns}`);
  const all = [...new Set(questions.map(({ set }) => set))];
  const other = all.length > 1 ? by('set') : undefined;
  for (const name of all) {
    const own = questions.filter(({ set }) => set === name);
    console.log(`  ${name}: fitted ${of(own, () => weights)}`);
    console.log(`    without its project ${of(own, ({ project }) => without.get(project))}`);
    if (other) console.log(`    without its set     ${of(own, ({ set }) => other.get(set))}`);
  }
  console.log(Object.fromEntries(names.map((name, i) => [name, Number(weights[i].toFixed(2))])));
  return {
    weights,
    fitted: of(questions, () => weights),
    crossed: of(questions, ({ project }) => without.get(project)),
  };
}

function written({ weights, fitted, crossed }, questions) {
  const lines = featureNames.map((name, i) => `  ${name}: ${Number(weights[i].toFixed(2))},`);
  return `// ④ What each feature of an entry counts. Written by scripts/recall/train.mjs, not by hand: ${questions} questions about real coding sessions
// (coding-dev, coding-dev2). Entries any@10 / any@50: ${fitted} fitted, ${crossed} cross-validated by project.
import type { FeatureName } from './features.ts';

export const weights: Readonly<Record<FeatureName, number>> = {
${lines.join('\n')}
};
`;
}

const given = process.argv.indexOf('--folder');
const kept = given < 0 ? undefined : process.argv[given + 1];
const folder = kept ?? fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-train-'));
try {
  const all = [];
  for (const set of sets) all.push(...(await questionsOf(set, path.join(folder, set.name))));
  const questions = all.filter(({ set }) => set !== 'commits');
  const commits = all.filter(({ set }) => set === 'commits');
  const entries = report('entries', questions, {
    rowsOf: (question) => question.entries,
    names: featureNames,
    near: featureNames.map((name) => present[name]),
    penalty: penaltyOfEntries,
    numbers: [10, 50],
  });
  report('entries, learned from 0', questions, {
    rowsOf: (question) => question.entries,
    names: featureNames,
    near: featureNames.map(() => 0),
    penalty: penaltyFromZero,
    numbers: [10, 50],
  });
  const ofSessions = {
    rowsOf: (question) => question.hits,
    names: sessionFeatureNames,
    penalty: penaltyOfSessions,
    numbers: [1, 5],
  };
  report('sessions', questions, {
    ...ofSessions,
    near: sessionFeatureNames.map((name) => (name === 'wordsOfTurns' ? undefined : 0)),
  });
  report('sessions of commits', commits, {
    ...ofSessions,
    near: sessionFeatureNames.map((name) => (ofCommits.includes(name) ? 0 : undefined)),
  });
  if (process.argv.includes('--write')) fs.writeFileSync(target, written(entries, questions.length));
} finally {
  if (kept === undefined) fs.rmSync(folder, { recursive: true, force: true });
}
