// Search by meaning in a hub with pgvector: how many of the exact ten nearest a search finds, and how long it takes, over everything and with
// filters. On the PostgreSQL of POSTGRES_BIN if that has pgvector, else on PGlite. HUB_VECTORS sets the steps of growth.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { initHub, invitePerson } from '../dist/hub/admin.js';
import { connectAs, connectTo } from '../dist/hub/connect.js';
import { joinHub } from '../dist/hub/join.js';
import { visibleShares } from '../dist/hub/local.js';
import { nearest } from '../dist/hub/nearest.js';
import { readAddress } from '../dist/hub/url.js';
import { vectorText } from '../dist/hub/vectors.js';
import { scratchFolder } from './corpus.mjs';
import { quantile, show, timed } from './figures.mjs';
import { realVectors } from './hub-texts.mjs';
import { openPostgres } from './postgres.mjs';

const steps = (process.env.HUB_VECTORS ?? '60000,180000').split(',').map(Number);
const ofProject = 20_000;
const projectsOfPerson = 3;
const patience = { connectMs: 10_000, statementMs: 7_200_000 };

/** A server with pgvector. A member asks; on PGlite, which has one connection, the administrator does. */
async function openHub() {
  if (process.env.POSTGRES_BIN) {
    const postgres = await openPostgres(scratchFolder(), {
      ...{ synchronous_commit: 'off', autovacuum: 'off', shared_buffers: '4GB', max_wal_size: '8GB' },
    });
    await postgres.query('CREATE DATABASE hub');
    const address = readAddress(postgres.url('hub'));
    const admin = await connectTo(address, patience);
    if (!(await initHub(admin, address)).vectors) throw new Error(`${process.env.POSTGRES_BIN} has no pgvector`);
    const { url } = await invitePerson(admin, address, 'asker');
    return { admin, asker: await connectAs(await joinHub(url, 'asker', Date.now), patience), schema: 'public' };
  }
  const db = await PGlite.create({ extensions: { vector } });
  const admin = {
    async query(sql, values) {
      if (values === undefined) return { rows: (await db.exec(sql)).at(-1)?.rows ?? [], rowCount: 0 };
      return { rows: (await db.query(sql, values)).rows, rowCount: 0 };
    },
    end: async () => {},
  };
  const [{ name }] = (await db.query('SELECT current_database() AS name')).rows;
  await initHub(admin, readAddress(`postgres://postgres@localhost/${name}`));
  return { admin, asker: admin, schema: 'public' };
}

const { queries, next } = await realVectors({
  texts: Number(process.env.HUB_TEXTS ?? 2000),
  questions: Number(process.env.HUB_QUESTIONS ?? 100),
});
const asked = queries.map((values) => vectorText(values, true));
const { admin, asker, schema } = await openHub();
await admin.query("SELECT holdfast.take_model('bench', 512)", []);
const index = "SELECT pg_get_indexdef('holdfast.vectors_by_meaning'::regclass) AS definition";
const { definition } = (await admin.query(index, [])).rows[0];

/** One in ten entries is of another agent. Times are spread evenly over each project. */
async function addProject(n) {
  const of = Math.floor(n / projectsOfPerson);
  await admin.query(
    `INSERT INTO holdfast.people (name, role) VALUES ('p${of}', 'role_${of}') ON CONFLICT DO NOTHING`,
    [],
  );
  const { id: person } = (await admin.query(`SELECT id FROM holdfast.people WHERE name = 'p${of}'`, [])).rows[0];
  await admin.query(
    `INSERT INTO holdfast.machines (person, name, secret) VALUES (${person}, 'm${n}', sha256('${n}'::bytea))`,
    [],
  );
  const share = (
    await admin.query(
      `INSERT INTO holdfast.shares (person, project, name, audience, entries) VALUES (${person}, 'p${n}', 'p${n}', 'team', ${ofProject}) RETURNING id`,
      [],
    )
  ).rows[0].id;
  const files = (
    await admin.query(
      `INSERT INTO holdfast.transcripts (share, machine, agent, key, line, seq)
       SELECT ${share}, (SELECT max(id) FROM holdfast.machines), CASE WHEN g = 10 THEN 'codex' ELSE 'claude-code' END, 'k' || g, '{}', 1
       FROM generate_series(1, 10) g RETURNING id`,
      [],
    )
  ).rows.map(({ id }) => id);
  for (let from = 0; from < ofProject; from += 1000)
    await admin.query(
      `WITH put AS (
         INSERT INTO holdfast.entries (transcript, share, uuid, print, session_print, pos, at, role, length, line, hash, words, times, seq)
         SELECT ($3::int[])[1 + n % 10], $2, 'u' || n, gen_random_uuid(), gen_random_uuid(), n, (n * 7919) % ${ofProject}, 'user', 1, '{}', 1, '{}', '{}', 1
         FROM generate_series($4::int, $4::int + 999) n RETURNING id, share, pos)
       INSERT INTO holdfast.vectors (entry, share, vector) SELECT p.id, p.share, v.vector::halfvec
       FROM put p JOIN unnest($1::text[]) WITH ORDINALITY AS v (vector, n) ON v.n = p.pos - $4 + 1`,
      [Array.from({ length: 1000 }, () => vectorText(next(), true)), share, files, from],
    );
}

async function compared(among) {
  const times = { exact: [], search: [] };
  let same = 0;
  let wanted = 0;
  for (const query of asked) {
    const found = {};
    for (const [way, options] of [
      ['exact', { compared: 1e12, most: 10 }],
      ['search', {}],
    ])
      times[way].push(
        await timed(async () => {
          found[way] = (await nearest(asker, schema, query, among, options)).slice(0, 10);
        }),
      );
    // Of equally near entries, any will do.
    const least = (found.exact.at(-1)?.cosine ?? 0) - 1e-6;
    wanted += found.exact.length;
    same += found.search.filter(({ cosine }) => cosine >= least).length;
  }
  return { recall: same / wanted, times };
}

const rows = [];
let projects = 0;
for (const entries of steps) {
  await admin.query('DROP INDEX IF EXISTS holdfast.vectors_by_meaning', []);
  const stored = await timed(async () => {
    while (projects * ofProject < entries) await addProject(projects++);
  });
  await admin.query("SET maintenance_work_mem = '4GB'", []);
  const built = await timed(() => admin.query(definition, []));
  await admin.query('VACUUM ANALYZE');
  const shares = await visibleShares(asker);
  const count = `${(projects * ofProject).toLocaleString('en')} entries`;
  const { mb } = (await admin.query("SELECT (pg_relation_size('holdfast.vectors_by_meaning') / 1e6)::float8 AS mb", []))
    .rows[0];
  rows.push(
    [`${count}, stored`, stored / 1000, 's'],
    [`${count}, indexed`, built / 1000, 's', undefined, `${mb.toFixed(0)} MB`],
  );
  const everything = { within: null, shares };
  const ways = [
    ['over everything', everything],
    ['one agent in ten', { ...everything, filter: { agent: 'codex' } }],
    ['one time in ten', { ...everything, filter: { since: ofProject - ofProject / 10 } }],
    ['one time in two hundred', { ...everything, filter: { since: ofProject - ofProject / 200 } }],
    ['one person', { within: shares.slice(0, projectsOfPerson).map(({ id }) => id), shares }],
    ['one project', { within: [shares[0].id], shares }],
    ['one project, one time in ten', { within: [shares[0].id], shares, filter: { since: ofProject - ofProject / 10 } }],
  ];
  for (const [named, among] of ways) {
    const { recall, times } = await compared(among);
    const [p50, p95] = among.within === null ? [120, 360] : [40, 120];
    rows.push(
      [`${count}, ${named}, recall@10 (goal: at least 0.95)`, recall, ''],
      [
        `${count}, ${named}, p50`,
        quantile(times.search, 0.5),
        'ms',
        p50,
        `exactly ${quantile(times.exact, 0.5).toFixed(1)} ms`,
      ],
      [`${count}, ${named}, p95`, quantile(times.search, 0.95), 'ms', p95],
    );
  }
}
show(rows);
process.exit();
