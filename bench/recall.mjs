// Recall through the public path: LoCoMo and LongMemEval as transcripts, ingested, searched and scored, compared with plain BM25.
// HOLDFAST_EMBEDDING_KIND=static measures word vectors alone, minilm measures MiniLM. HOLDFAST_BENCH_SETS=locomo,pooled asks only these.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { openHoldfast } from '../dist/index.js';
import { search } from '../dist/operations/recall/search.js';
import { parseKeywords } from '../dist/recall/question/keywords.js';
import { scratchFolder, shared } from './corpus.mjs';
import { program, runNode } from './figures.mjs';
import { embedWithMiniLm } from './minilm-vectors.mjs';

const sets = [
  { name: 'locomo', make: ['locomo', 'locomo-dev.json.gz'] },
  { name: 'longmemeval', make: ['longmemeval', 'longmemeval-dev.jsonl.gz'] },
  { name: 'pooled', make: ['longmemeval', 'longmemeval-dev.jsonl.gz'], flags: ['--pooled'] },
];
const measures = [
  { set: 'locomo', by: 'entries', of: 'frac@10', goal: 0.82, what: 'LoCoMo, evidence turns, frac@10' },
  { set: 'longmemeval', by: 'entries', of: 'all@10', goal: 0.74, what: 'LongMemEval, evidence turns, all@10' },
  { set: 'longmemeval', by: 'entries', of: 'frac@10', goal: 0.84, what: 'LongMemEval, evidence turns, frac@10' },
  { set: 'longmemeval', by: 'sessions', of: 'all@5', goal: 0.93, what: 'LongMemEval, sessions, all@5' },
  { set: 'pooled', by: 'entries', of: 'any@10', goal: 0.65, what: 'pooled, evidence turns, any@10' },
  { set: 'pooled', by: 'sessions', of: 'any@5', goal: 0.74, what: 'pooled, sessions, any@5' },
];

if (!fs.existsSync(path.join(shared, 'make-transcripts.mjs'))) {
  console.log(
    `  ${shared} is not there: recall is measured on LoCoMo and LongMemEval, which are no part of this repository`,
  );
  process.exit(0);
}
const embedder = process.env.HOLDFAST_EMBEDDING_KIND ?? 'built-in';
const folder = scratchFolder();
const score = path.join(shared, 'score.mjs');

/** Ranked ids for every question of a set, by the operation that every surface offers and by the index's own BM25. */
async function answer({ name, make: [kind, data], flags = [] }) {
  const out = path.join(folder, name);
  execFileSync(process.execPath, [
    path.join(shared, 'make-transcripts.mjs'),
    kind,
    path.join(shared, data),
    out,
    ...flags,
  ]);
  const env = {
    HOLDFAST_HOME: path.join(out, 'home'),
    CLAUDE_CONFIG_DIR: out,
    HOME: out,
    HOLDFAST_EMBEDDING_KIND: embedder,
  };
  await runNode([program, 'ingest', '--json'], env);
  await runNode([program, 'embed', '--json'], env);
  const gold = JSON.parse(fs.readFileSync(path.join(out, 'gold.json'), 'utf8'));
  const holdfast = await openHoldfast(env);
  if (embedder === 'minilm') await embedWithMiniLm(holdfast);
  const { entries, sessions } = await holdfast.store.entries.counts();
  console.log(`  ${name}: ${entries} entries in ${sessions} sessions, ${gold.length} questions`);
  const plain = plainBm25(holdfast.config.databasePath);
  const found = { ours: { entries: {}, sessions: {} }, bm25: { entries: {}, sessions: {} } };
  for (const { id, question, project } of gold) {
    for (const [by, grain] of [
      ['entries', 'entry'],
      ['sessions', 'session'],
    ]) {
      const input = search.input.parse({ query: question, kind: grain, project, limit: 20 });
      const { hits } = await search.run(holdfast.context, input);
      found.ours[by][id] = hits.map((hit) => hit.id);
    }
    const rows = plain(question, project);
    found.bm25.entries[id] = rows.slice(0, 20).map((row) => row.uuid);
    found.bm25.sessions[id] = [...new Set(rows.map((row) => row.session))].slice(0, 20);
  }
  await holdfast.close();
  return { gold, found };
}

/** Every match ranked by FTS5. A session ranks where its best entry ranks. */
function plainBm25(file) {
  const db = new Database(file, { readonly: true });
  const rank = db.prepare(
    `SELECT e.uuid, s.session FROM entries_fts JOIN entries e ON e.id = entries_fts.rowid JOIN sessions s ON s.id = e.session_id
     JOIN projects p ON p.id = s.project_id WHERE entries_fts MATCH ? AND p.name = ? ORDER BY bm25(entries_fts) LIMIT 500`,
  );
  return (question, project) => {
    const { terms } = parseKeywords(question);
    return rank.all(terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? '*' : ''}`).join(' OR '), project);
  };
}

/** The scorer's results for all questions, for the odd ones and for the even ones. */
function scores(gold, results, by) {
  const parts = { all: gold, first: gold.filter((_, i) => i % 2 === 0), second: gold.filter((_, i) => i % 2 === 1) };
  const resultFile = path.join(folder, 'results.json');
  fs.writeFileSync(resultFile, JSON.stringify(results));
  return Object.fromEntries(
    Object.entries(parts).map(([part, questions]) => {
      const goldFile = path.join(folder, 'part.json');
      fs.writeFileSync(goldFile, JSON.stringify(questions));
      const line = execFileSync(process.execPath, [score, goldFile, resultFile, by], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .at(-1);
      return [
        part,
        Object.fromEntries([...line.matchAll(/([\w]+@?\d*) (\d\.\d+)/g)].map(([, key, value]) => [key, Number(value)])),
      ];
    }),
  );
}

/** The 95 % bootstrap interval of the mean: as many questions, drawn with replacement. */
function interval(gold, results, by, of) {
  const [measure, k] = of.split('@');
  const values = gold.map((question) => {
    const hits = new Set((results[question.id] ?? []).slice(0, Number(k)));
    const share = question[by].filter((id) => hits.has(id)).length / new Set(question[by]).size;
    return measure === 'frac' ? share : Number(measure === 'any' ? share > 0 : share === 1);
  });
  // The same draws every time.
  let state = 1;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return values[Math.floor((state / 2 ** 32) * values.length)];
  };
  const mean = () => values.reduce((sum) => sum + draw(), 0) / values.length;
  const means = Array.from({ length: 4000 }, mean).sort((a, b) => a - b);
  return [means[100], means[3899]];
}

const answers = {};
const asked = process.env.HOLDFAST_BENCH_SETS?.split(',');
for (const set of sets.filter(({ name }) => asked?.includes(name) ?? true)) answers[set.name] = await answer(set);
const short = (value) => value.toFixed(3).replace(/^0/, '');
const table = measures
  .filter(({ set }) => set in answers)
  .map(({ set, by, of, goal, what }) => {
    const { gold, found } = answers[set];
    const [ours, bm25] = [scores(gold, found.ours[by], by), scores(gold, found.bm25[by], by)];
    const met = ours.all[of] >= goal ? 'met' : 'MISSED';
    const [from, to] = interval(gold, found.ours[by], by, of).map(short);
    return [
      what,
      short(bm25.all[of]),
      short(ours.all[of]),
      `${from}–${to}`,
      `≥ ${short(goal)}`,
      met,
      short(ours.first[of]),
      short(ours.second[of]),
    ];
  });
const head = ['', 'BM25', embedder, '95 %', 'goal', '', 'even', 'odd'];
const widths = head.map((name, i) => Math.max(name.length, ...table.map((row) => row[i].length)));
for (const row of [head, ...table])
  console.log(`  ${row.map((cell, i) => cell.padEnd(widths[i])).join('  ')}`.trimEnd());
