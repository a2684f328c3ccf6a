// Recall in coding sessions through the public path: ingests real transcripts, asks questions of developers, scores the answers, and
// compares with plain BM25 over the same store. The questions in coding-questions.jsonl were written for entries drawn at random, and no
// weight was learned from them. The set `commits` asks for the session of a commit by its message, after removing the message from the
// transcripts.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { openHoldfast } from '../dist/index.js';
import { search } from '../dist/operations/recall/search.js';
import { parseKeywords } from '../dist/recall/question/keywords.js';
import { commitQuestions } from './commit-questions.mjs';
import { codexArchive, codingArchive, scratchFolder, shared } from './corpus.mjs';
import { program, runNode } from './figures.mjs';

const sets = [
  {
    name: 'coding-dev',
    archive: 'real-transcripts',
    questions: 'coding-dev.jsonl',
    goals: { 'entries any@10': 0.52, 'sessions any@5': 0.88 },
  },
  {
    name: 'coding-dev2',
    archive: 'coding-sessions',
    questions: 'coding-dev2.jsonl',
    goals: { 'entries any@10': 0.57, 'sessions any@5': 0.8 },
  },
  { name: 'codex', archive: 'codex-sessions', goals: {} },
  { name: 'commits', archive: 'coding-sessions', goals: { 'sessions any@5': 0.7 } },
];
const limit = 50;

const codexSessions = path.join(shared, '..', 'agents', 'real', 'codex-sessions.tar.gz');
const archiveOf = ({ archive }) =>
  archive === 'codex-sessions' ? codexSessions : path.join(shared, `${archive}.tar.gz`);

const linesOf = (file) =>
  fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const drawn = linesOf(fileURLToPath(new URL('coding-questions.jsonl', import.meta.url)));

/** The available sets. `HOLDFAST_BENCH_JSON` names a file for the ranked ids, for a closer look. */
async function main() {
  const folder = scratchFolder();
  const all = {};
  for (const set of sets) {
    if (!fs.existsSync(archiveOf(set))) {
      console.log(`  ${archiveOf(set)} is not there: ${set.name} cannot be measured here`);
      continue;
    }
    Object.assign(all, await measure(set, path.join(folder, set.name)));
  }
  const file = process.env.HOLDFAST_BENCH_JSON;
  if (file) fs.writeFileSync(file, JSON.stringify(all));
}

/** The transcripts of a set, unpacked below the folder, as agents' folders in an environment. */
function transcripts(set, folder) {
  const env = { HOLDFAST_HOME: path.join(folder, 'home'), HOME: folder };
  if (set.archive === 'codex-sessions') return { ...env, CODEX_HOME: codexArchive(codexSessions, folder) };
  const claude = codingArchive(set.archive, folder);
  return { ...env, CLAUDE_CONFIG_DIR: claude, PI_CODING_AGENT_SESSION_DIR: path.join(path.dirname(claude), 'pi') };
}

/** Questions by the name of their set. */
function questionsOf(set, { CLAUDE_CONFIG_DIR: claude }) {
  if (set.name === 'commits') return { commits: commitQuestions(path.join(claude, 'projects')) };
  return {
    ...(set.questions === undefined ? {} : { [set.name]: linesOf(path.join(shared, set.questions)) }),
    [`${set.name}, drawn at random`]: drawn.filter(({ archive }) => archive === set.archive),
  };
}

async function measure(set, folder) {
  const env = transcripts(set, folder);
  const asked = questionsOf(set, env);
  await runNode([program, 'ingest', '--json'], env);
  await runNode([program, 'embed', '--json'], env);
  const holdfast = await openHoldfast(env);
  const { entries, sessions } = await holdfast.store.entries.counts();
  const plain = plainBm25(holdfast.config.databasePath);
  const all = {};
  for (const [name, questions] of Object.entries(asked)) {
    console.log(`\n  ${name}: ${entries} entries in ${sessions} sessions, ${questions.length} questions`);
    all[name] = await ranked(holdfast, plain, questions);
    report(all[name], name === set.name ? set.goals : {});
  }
  await holdfast.close();
  return all;
}

async function ranked(holdfast, plain, questions) {
  const all = [];
  for (const { id, type = 'commit', question, entries: gold = [], sessions: goldSessions } of questions) {
    const ask = async (kind) => {
      const input = search.input.parse({ query: question, kind, limit });
      return (await search.run(holdfast.context, input)).hits.map((hit) => hit.id);
    };
    const rows = plain(question);
    all.push({
      id,
      type,
      gold,
      goldSessions,
      ours: { entries: gold.length > 0 ? await ask('entry') : [], sessions: await ask('session') },
      bm25: { entries: rows.map((row) => row.uuid), sessions: [...new Set(rows.map((row) => row.session))] },
    });
  }
  return all;
}

/** Every match ranked by FTS5. A session ranks where its best entry ranks. */
function plainBm25(file) {
  const db = new Database(file, { readonly: true });
  const rank = db.prepare(
    `SELECT e.uuid, s.session FROM entries_fts JOIN entries e ON e.id = entries_fts.rowid JOIN sessions s ON s.id = e.session_id
     WHERE entries_fts MATCH ? ORDER BY bm25(entries_fts) LIMIT 1000`,
  );
  return (question) => {
    const { terms } = parseKeywords(question);
    return terms.length === 0
      ? []
      : rank.all(terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? '*' : ''}`).join(' OR '));
  };
}

function report(ranked, goals) {
  const measures = [
    ['entries any@10', 'entries', 10],
    ['entries any@50', 'entries', 50],
    ['sessions any@1', 'sessions', 1],
    ['sessions any@5', 'sessions', 5],
  ].filter(([, by]) => by === 'sessions' || ranked.some(({ gold }) => gold.length > 0));
  const share = (rows, system, by, k) => {
    const found = rows.filter((row) => {
      const wanted = new Set(by === 'entries' ? row.gold : row.goldSessions);
      return row[system][by].slice(0, k).some((id) => wanted.has(id));
    });
    return found.length / rows.length;
  };
  const short = (value) => value.toFixed(2).replace(/^0/, '');
  const types = [...new Set(ranked.map(({ type }) => type))].sort();
  const groups = [['all', ranked], ...types.map((type) => [type, ranked.filter((row) => row.type === type)])];
  const head = ['', 'n', ...measures.map(([name]) => `${name} (BM25)`)];
  const table = (types.length > 1 ? groups : groups.slice(0, 1)).map(([name, rows]) => [
    name,
    String(rows.length),
    ...measures.map(([, by, k]) => `${short(share(rows, 'ours', by, k))} (${short(share(rows, 'bm25', by, k))})`),
  ]);
  const widths = head.map((name, i) => Math.max(name.length, ...table.map((row) => row[i].length)));
  for (const row of [head, ...table])
    console.log(`  ${row.map((cell, i) => cell.padEnd(widths[i])).join('  ')}`.trimEnd());
  for (const [name, by, k] of measures) {
    const goal = goals[name];
    if (goal === undefined) continue;
    const ours = share(ranked, 'ours', by, k);
    console.log(`  ${name}: ${short(ours)}, goal ≥ ${short(goal)}: ${ours >= goal ? 'met' : 'MISSED'}`);
  }
}

await main();
