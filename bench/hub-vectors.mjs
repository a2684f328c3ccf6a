// Search by meaning in a hub with pgvector (PGlite): how many of the exact ten nearest the index of neighbours finds, and how long both take.
// Vectors of LongMemEval, and mixtures of two where more are wanted. HUB_VECTORS sets the steps of growth.
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { initHub } from '../dist/hub/admin.js';
import { visibleShares } from '../dist/hub/local.js';
import { nearest } from '../dist/hub/search.js';
import { readAddress } from '../dist/hub/url.js';
import { vectorText } from '../dist/hub/vectors.js';
import { openHoldfast } from '../dist/index.js';
import { longMemEval, scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show, timed } from './figures.mjs';

const steps = (process.env.HUB_VECTORS ?? '20000,60000,100000').split(',').map(Number);
const ofProject = 20_000;
const asked = Number(process.env.HUB_QUESTIONS ?? 100);

const folder = scratchFolder();
const env = { HOLDFAST_HOME: path.join(folder, 'home'), CLAUDE_CONFIG_DIR: path.join(folder, 'claude'), HOME: folder };
const { questions } = longMemEval(path.join(folder, 'claude', 'projects'), Number(process.env.HUB_LINES ?? 20_000));
await runNode([program, 'ingest', '--json'], env);
const holdfast = await openHoldfast(env);
const { search } = await holdfast.meaning.ready();
const real = [];
for (let seq = 0; ; ) {
  const page = await holdfast.store.vectors.after(seq, { kind: 'entry', model: search.model, limit: 512 });
  if (page.seqs.length === 0) break;
  seq = page.seqs.at(-1);
  for (let i = 0; i < page.seqs.length; i++) real.push(page.vectors.slice(i * 256, (i + 1) * 256));
}
const queries = [];
for (const { question } of questions.slice(0, asked)) queries.push(vectorText(await search.embed(question), true));
await holdfast.close();
let state = 1;
const next = (below) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const vectorAt = (i) => {
  if (i < real.length) return real[i];
  const [a, b, share] = [real[next(real.length)], real[next(real.length)], 0.6 + next(300) / 1000];
  return a.map((value, d) => Math.round(share * value + (1 - share) * b[d]));
};

const db = await PGlite.create({ extensions: { vector } });
const client = {
  async query(sql, values) {
    if (values === undefined) return { rows: (await db.exec(sql)).at(-1)?.rows ?? [], rowCount: 0 };
    return { rows: (await db.query(sql, values)).rows, rowCount: 0 };
  },
  end: async () => {},
};
const [{ name }] = (await db.query('SELECT current_database() AS name')).rows;
const address = readAddress(`postgres://postgres@localhost/${name}`);
await initHub(client, address);
// As the administrator: PGlite has one connection, which has to fill the hub and to ask it.
await db.exec(
  "INSERT INTO holdfast.people (name, role) VALUES ('anna', 'nobody'); INSERT INTO holdfast.machines (person, name, secret) VALUES (1, 'm', sha256('x'))",
);

let held = 0;
async function grow(wanted) {
  while (held < wanted) {
    const share = Math.floor(held / ofProject) + 1;
    if (held % ofProject === 0) {
      await db.exec(
        `INSERT INTO holdfast.shares (person, project, name, audience, entries) VALUES (1, 'p${share}', 'p${share}', 'team', 0);
         INSERT INTO holdfast.transcripts (share, machine, agent, key, line, seq) VALUES (${share}, 1, 'claude-code', 'k', '{}', 1)`,
      );
    }
    const count = Math.min(1000, wanted - held);
    await db.query(
      `WITH put AS (
         INSERT INTO holdfast.entries (transcript, share, uuid, print, session_print, pos, at, role, length, line, hash, words, times, seq)
         SELECT $2, $2, 'u' || ($3 + n), gen_random_uuid(), gen_random_uuid(), n, 1, 'user', 1, '{}', 1, '{}', '{}', 1
         FROM generate_series(1, $4::int) n RETURNING id, share, pos)
       INSERT INTO holdfast.vectors (entry, share, vector) SELECT p.id, p.share, v.vector::halfvec(256)
       FROM put p JOIN unnest($1::text[]) WITH ORDINALITY AS v (vector, n) ON v.n = p.pos`,
      [Array.from({ length: count }, (_, i) => vectorText(vectorAt(held + i), true)), share, held, count],
    );
    await db.query('UPDATE holdfast.shares SET entries = entries + $1 WHERE id = $2', [count, share]);
    held += count;
  }
  await db.exec('ANALYZE');
}
/** One index over all is built many times faster than it grows vector by vector, and has the same parameters. */
async function indexed() {
  const [{ definition }] = (
    await db.query("SELECT pg_get_indexdef('holdfast.vectors_by_meaning'::regclass) AS definition")
  ).rows;
  return {
    drop: () => db.exec('DROP INDEX holdfast.vectors_by_meaning'),
    make: () => db.exec(`SET maintenance_work_mem = '512MB'; ${definition}`),
  };
}

const rows = [];
for (const wanted of steps) {
  const index = await indexed();
  await index.drop();
  const stored = await timed(() => grow(wanted));
  const built = await timed(index.make);
  const shares = await visibleShares(client);
  const count = `${wanted.toLocaleString('en')} entries`;
  rows.push([`${count}, stored`, stored / 1000, 's'], [`${count}, indexed`, built / 1000, 's']);
  for (const within of [null, [shares[0].id]]) {
    const where = within === null ? 'over everything' : 'within one project';
    const times = { exact: [], index: [] };
    let same = 0;
    for (const query of queries) {
      const found = {};
      for (const [way, most] of [
        ['exact', 1e9],
        ['index', 0],
      ])
        times[way].push(
          await timed(async () => {
            found[way] = (await nearest(client, 'public', query, { within, shares }, most)).slice(0, 10);
          }),
        );
      const quick = new Set(found.index.map(({ entry }) => entry));
      same += found.exact.filter(({ entry }) => quick.has(entry)).length;
    }
    rows.push(
      [`${count}, ${where}, recall@10 (goal: at least 0.95)`, same / (10 * queries.length), ''],
      [`${count}, ${where}, exact, p50`, quantile(times.exact, 0.5), 'ms'],
      [`${count}, ${where}, by the index, p50`, quantile(times.index, 0.5), 'ms'],
      [`${count}, ${where}, by the index, p95`, quantile(times.index, 0.95), 'ms'],
    );
  }
}
show(rows);
process.exit();
