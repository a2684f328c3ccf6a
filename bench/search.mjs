// Search over 100,000 entries of LongMemEval in this process, with its questions as queries: by words alone, compared with a plain ranking
// of every match, and by words and meaning, with each filter.
import path from 'node:path';
import Database from 'better-sqlite3';
import { openHoldfast, search } from '../dist/index.js';
import { parseKeywords } from '../dist/recall/question/keywords.js';
import { longMemEval, scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show, timed } from './figures.mjs';

const rounds = 3;
const folder = scratchFolder();
const env = { HOLDFAST_HOME: path.join(folder, 'home'), CLAUDE_CONFIG_DIR: path.join(folder, 'claude'), HOME: folder };
const { questions } = longMemEval(path.join(folder, 'claude', 'projects'), 100_000);
await runNode([program, 'ingest', '--json'], env);
const holdfast = await openHoldfast(env);
const { entries } = await holdfast.store.entries.counts();
const db = new Database(holdfast.config.databasePath, { readonly: true });
db.pragma('cache_size = -16000');

const plain = db.prepare(
  `SELECT e.uuid, e.text, bm25(entries_fts) AS score FROM entries_fts JOIN entries e ON e.id = entries_fts.rowid
   WHERE entries_fts MATCH ? ORDER BY score LIMIT ?`,
);
/** The words that the search takes from a question, all ranked by the index itself. */
function rankAll(question, limit = 10) {
  const { terms } = parseKeywords(question);
  const match = terms.map(({ words, prefix }) => `"${words.join(' ')}"${prefix ? '*' : ''}`).join(' OR ');
  return plain.all(match, limit);
}

const find = (question, kind = 'entry', filter = {}) => search(holdfast, { query: question, kind, limit: 10, filter });
const since = db
  .prepare('SELECT at FROM entries ORDER BY at LIMIT 1 OFFSET ?')
  .pluck()
  .get(Math.floor(entries * 0.75));
const words = (question) => holdfast.store.search.keywords(parseKeywords(question), { limit: 10 });
const ways = {
  'rank every match': ({ question }) => rankAll(question),
  'words alone': ({ question }) => words(question),
  entries: ({ question }) => find(question),
  sessions: ({ question }) => find(question, 'session'),
  'in one project': ({ question, project }) => find(question, 'entry', { project: { name: project } }),
  'by role': ({ question }) => find(question, 'entry', { role: 'user' }),
  'since a date, a quarter of all': ({ question }) => find(question, 'entry', { since }),
};
// The best of some rounds for each question, to leave out other processes on the machine.
const times = Object.fromEntries(Object.keys(ways).map((way) => [way, questions.map(() => Number.POSITIVE_INFINITY)]));
for (let round = 0; round <= rounds; round++) {
  for (const [way, ask] of Object.entries(ways)) {
    for (const [i, question] of questions.entries()) {
      const ms = await timed(() => ask(question));
      if (round > 0) times[way][i] = Math.min(times[way][i], ms);
    }
  }
}

// Entries of equal score may come in any order, and a repeated corpus has many. So compare the scores, place by place.
let [same, places] = [0, 0];
for (const { question } of questions) {
  const [ours, all] = [await words(question), rankAll(question)];
  places += all.length;
  same += all.filter(({ score }, i) => ours[i] !== undefined && Math.abs(ours[i].score + score) < 1e-6).length;
}

await holdfast.close();
db.close();

const both = (way) => `${quantile(times[way], 0.5).toFixed(1)} / ${quantile(times[way], 0.95).toFixed(1)} ms`;
const beside = `rank every match: ${both('rank every match')}`;

console.log(`  ${entries} entries, ${questions.length} questions, best of ${rounds} rounds for each`);
/** Goals of p50 and p95, where there are any. */
const goals = { 'words alone': [12, 40], entries: [25, 80], sessions: [25, 80] };
show([
  ...Object.keys(ways)
    .slice(1)
    .flatMap((way) => [
      [`${way}, p50`, quantile(times[way], 0.5), 'ms', goals[way]?.[0], way === 'words alone' ? beside : ''],
      [`${way}, p95`, quantile(times[way], 0.95), 'ms', goals[way]?.[1]],
    ]),
  ['words alone: places of the first ten as ranking every match', (100 * same) / places, '%'],
]);
