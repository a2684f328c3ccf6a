// Search in a hub of many people: 20,000 entries each, one project each, all shared with the team. Words are distributed as in texts: some
// are everywhere and most are rare. HUB_PEOPLE sets the steps of growth. Filters leave a half, a tenth, or one in two hundred of the entries.
// Also how long a push holds the hub's counter, for which the pushes of others wait.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { initHub, invitePerson } from '../dist/hub/admin.js';
import { emptyBatch, pushed } from '../dist/hub/batch.js';
import { connectAs, connectTo } from '../dist/hub/connect.js';
import { joinHub } from '../dist/hub/join.js';
import { visibleShares } from '../dist/hub/local.js';
import { packed } from '../dist/hub/schema/words.js';
import { searchHub } from '../dist/hub/search.js';
import { readAddress } from '../dist/hub/url.js';
import { wordHash } from '../dist/hub/words.js';
import { scratchFolder } from './corpus.mjs';
import { quantile, show, timed } from './figures.mjs';
import { openPostgres } from './postgres.mjs';

const steps = (process.env.HUB_PEOPLE ?? '5,50').split(',').map(Number);
const each = 20_000;
const questions = Number(process.env.HUB_QUESTIONS ?? 150);
const warming = questions;
const vocabulary = Array.from({ length: 50_000 }, (_, i) => wordHash(`word${i}x`));
const postgres = await openPostgres(scratchFolder(), { synchronous_commit: 'off', autovacuum: 'off' });
await postgres.query('CREATE DATABASE hub');
const address = readAddress(postgres.url('hub'));
const admin = await connectTo(address, { connectMs: 10_000, statementMs: 3_600_000 });
await initHub(admin, address);
const { url } = await invitePerson(admin, address, 'asker');
const client = await connectAs(await joinHub(url, 'asker', Date.now));

const line = JSON.stringify({
  is: 'entry',
  uuid: 'u',
  session: 's',
  pos: 1,
  at: 1,
  role: 'user',
  author: 'person',
  form: null,
  text: 'a text of some length, as people write it. '.repeat(6),
  tools: [],
  joinsAt: null,
  uses: [],
});
async function addPerson(n) {
  const [{ id: person }] = (
    await admin.query(`INSERT INTO holdfast.people (name, role) VALUES ('p${n}', 'nobody_${n}') RETURNING id`)
  ).rows;
  const [{ id: machine }] = (
    await admin.query(
      `INSERT INTO holdfast.machines (person, name, secret) VALUES (${person}, 'm', sha256('${n}'::bytea)) RETURNING id`,
    )
  ).rows;
  const [{ id: share }] = (
    await admin.query(
      `INSERT INTO holdfast.shares (person, project, name, audience, entries, words) VALUES (${person}, 'project${n}', 'project${n}', 'team', ${each}, ${25 * each}) RETURNING id`,
    )
  ).rows;
  // One of ten is of another agent.
  const transcripts = (
    await admin.query(
      `INSERT INTO holdfast.transcripts (share, machine, agent, key, line, seq)
       SELECT ${share}, ${machine}, CASE WHEN g = 10 THEN 'codex' ELSE 'claude-code' END, 'k${n}-' || g, '{}', 1 FROM generate_series(1, 10) g RETURNING id`,
    )
  ).rows.map(({ id }) => id);
  await admin.query(
    `INSERT INTO holdfast.entries (transcript, share, uuid, print, session_print, pos, at, role, length, line, hash, words, times, seq)
     SELECT ($3::int[])[1 + g % 10], ${share}, 'u${n}-' || g, gen_random_uuid(), gen_random_uuid(), g, 1 + (g * 7919) % ${each},
       CASE WHEN g % 4 < 2 THEN 'user' ELSE 'assistant' END, 25, replace($2, '"u"', '"u${n}-' || g || '"'), g, w.words,
       array_fill(1::smallint, ARRAY[cardinality(w.words)]), 1
     FROM generate_series(1, ${each}) g,
       LATERAL (SELECT array_agg(DISTINCT ($1::bigint[])[1 + (49999 * power(random(), 3))::int]) AS words FROM generate_series(1, 25 + 0 * g)) w`,
    [vocabulary, line, transcripts],
  );
  await admin.query(
    `INSERT INTO holdfast.postings (share, word, first, last, entries, times, lengths)
     ${packed(`(SELECT e.share, w AS word, e.id AS entry, 1::smallint AS times, e.length FROM holdfast.entries e, unnest(e.words) w WHERE e.share = ${share})`)}`,
  );
}

/** Milliseconds of processor time of the server's process for this connection, and of this one: on a busy machine they say more than a clock. */
const [{ pid }] = (await client.query('SELECT pg_backend_pid() AS pid')).rows;
const processorMs = () => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const { user, system } = process.cpuUsage();
  return { hub: (Number(fields[11]) + Number(fields[12])) * 10, asker: (user + system) / 1000 };
};

let seed = 5;
const random = () => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return seed / 0x80000000;
};
/** Three words, from the common to the rare. */
const question = () => Array.from({ length: 3 }, () => `word${Math.floor(50_000 * random() ** 2)}x`).join(' ');

const filters = [
  ['', undefined],
  [', one role', { role: 'assistant' }],
  [', one agent in ten', { agent: 'codex' }],
  [', one time in ten', { since: each - each / 10 }],
  [', one time in two hundred', { since: each - each / 200 }],
];
const ways = [false, true].flatMap((everything) => filters.map(([named, filter]) => ({ everything, named, filter })));

let pushes = 0;
let mark = null;
/** Pushes of so many entries, as long as the server takes from their beginning to their commit, with what it writes on the disk. */
async function pushTimes(size, count = 40) {
  await client.query('SET synchronous_commit = on');
  const [{ share }] = (await client.query("SELECT holdfast.share('bench/pushes', 'pushes', 'me') AS share")).rows;
  const place = { share, agent: 'claude-code', key: 'pushes' };
  const times = [];
  for (let i = 0; i < count; i++) {
    const entries = Array.from({ length: size }, () => {
      const words = [...new Set(Array.from({ length: 25 }, () => vocabulary[Math.floor(50_000 * random() ** 3)]))];
      const pos = pushes++;
      return {
        ...{ place: 1, uuid: `push-${pos}`, print: randomUUID(), session: randomUUID(), pos, at: pos, role: 'user' },
        ...{ length: 25, hash: pos, subagent: false, line, vector: null },
        ...{ words: `{${words.join(',')}}`, times: `{${words.map(() => 1).join(',')}}` },
      };
    });
    const next = randomUUID();
    const batch = { ...emptyBatch, transcripts: [{ ...place, line: '{}' }], places: [place], entries };
    const { sql, values } = pushed({ ...batch, after: mark, mark: next });
    times.push(await timed(() => client.query(sql, values)));
    mark = next;
  }
  await client.query("SELECT holdfast.unshare('bench/pushes')");
  return times;
}

const rows = [];
let people = 0;
for (const wanted of steps) {
  await admin.query('DROP INDEX holdfast.postings_by_share');
  const filled = await timed(async () => {
    while (people < wanted) await addPerson(people++);
  });
  const indexed = await timed(() =>
    admin.query('CREATE INDEX postings_by_share ON holdfast.postings (share, word, first)'),
  );
  await admin.query('VACUUM ANALYZE');
  const shares = await visibleShares(client);
  const [{ postings, total }] = (
    await admin.query(
      `SELECT (pg_total_relation_size('holdfast.postings') / 1e6)::float8 AS postings, (pg_database_size(current_database()) / 1e6)::float8 AS total`,
    )
  ).rows;
  const count = `${(people * each).toLocaleString('en')} entries`;
  for (const { everything, named, filter } of ways) {
    const times = [];
    let hits = 0;
    let began = processorMs();
    for (let i = 0; i < questions + warming; i++) {
      const asked = {
        query: question(),
        kind: 'entry',
        limit: 10,
        shares: everything ? shares : [shares[Math.floor(random() * shares.length)]],
        everything,
        filter,
      };
      if (i === warming) began = processorMs();
      const ms = await timed(async () => {
        hits += (await searchHub(client, asked)).hits.length;
      });
      // The first ones find cold caches.
      if (i >= warming) times.push(ms);
    }
    const ended = processorMs();
    const [hubMs, askerMs] = [ended.hub - began.hub, ended.asker - began.asker].map((ms) => ms / questions);
    const [p50, p95] = everything ? [120, 360] : [40, 120];
    const where = `${everything ? 'over everything' : 'within one project'}${named}`;
    rows.push(
      [`${count}, ${where}, p50`, quantile(times, 0.5), 'ms', p50, `${(hits / (questions + warming)).toFixed(1)} hits`],
      [`${count}, ${where}, p95`, quantile(times, 0.95), 'ms', p95],
      [`${count}, ${where}, processor time`, hubMs + askerMs, 'ms', undefined, `of the server ${hubMs.toFixed(1)} ms`],
    );
  }
  for (const size of [1, 1000]) {
    const times = await pushTimes(size);
    const named = `${count}, a push of ${size === 1 ? 'one entry' : '1,000 entries'}`;
    rows.push([`${named}, p50`, quantile(times, 0.5), 'ms'], [`${named}, p95`, quantile(times, 0.95), 'ms']);
  }
  rows.push([
    `${count}, the hub on the disk`,
    total,
    'MB',
    undefined,
    `postings ${postings.toFixed(0)} MB; filled in ${(filled / 1000).toFixed(0)} s, indexed in ${(indexed / 1000).toFixed(0)} s`,
  ]);
}
show(rows);
await client.end();
await admin.end();
postgres.close();
process.exit();
