// The hub on loopback: how fast one machine pushes and pulls, and twenty at once. Real transcripts, and the commands as a person runs them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { filesBelow, realTranscripts, scratchFolder } from './corpus.mjs';
import { program, runNode, show } from './figures.mjs';
import { openPostgres } from './postgres.mjs';

const folder = scratchFolder();
const postgres = await openPostgres(folder);
await postgres.query('CREATE DATABASE hub');

/** A machine with a clone of the repository, and transcripts of sessions in it. */
function newMachine(name, megabytes) {
  const home = path.join(folder, name);
  const repository = path.join(home, 'app');
  fs.mkdirSync(repository, { recursive: true });
  execFileSync('git', ['-C', repository, 'init', '-q']);
  execFileSync('git', ['-C', repository, 'remote', 'add', 'origin', 'git@github.com:acme/app.git']);
  const projects = path.join(home, 'claude', 'projects');
  fs.mkdirSync(projects, { recursive: true });
  if (megabytes > 0) realTranscripts(projects, megabytes);
  for (const file of filesBelow(projects)) {
    // Twenty machines have twenty copies, which count as different sessions to the hub.
    const mark = Buffer.from(name).toString('hex').slice(-4).padStart(4, '0');
    const text = fs
      .readFileSync(file, 'utf8')
      .replace(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(repository)}`)
      .replace(/\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8})[0-9a-f]{4}\b/g, `$1${mark}`);
    fs.writeFileSync(file, text);
  }
  const env = { HOLDFAST_HOME: path.join(home, 'data'), CLAUDE_CONFIG_DIR: path.join(home, 'claude'), HOME: home };
  const holdfast = async (...words) => {
    const before = postgres.processorMs();
    const { out, ms, peak, cpu } = await runNode([program, ...words, '--json'], env);
    return { ...JSON.parse(out), ms, peak, cpu, server: postgres.processorMs() - before };
  };
  return { name, holdfast };
}

/** The least that a push could cost: the lines in a plain table, in batches of 1,000. */
async function bareInserts() {
  const lines = await postgres.query('SELECT uuid, line FROM holdfast.entries', [], 'hub');
  await postgres.query('CREATE TABLE bare (uuid text, line text)', [], 'hub');
  const began = performance.now();
  for (let i = 0; i < lines.length; i += 1000)
    await postgres.query(
      'INSERT INTO bare SELECT * FROM jsonb_to_recordset($1::jsonb) AS x (uuid text, line text)',
      [JSON.stringify(lines.slice(i, i + 1000))],
      'hub',
    );
  const seconds = (performance.now() - began) / 1000;
  await postgres.query('DROP TABLE bare', [], 'hub');
  return lines.length / seconds;
}

const addressIn = (command) => /'([^']+)'/.exec(command)[1];
const megabytes = Number(process.env.HUB_MB ?? 40);
const first = newMachine('first', megabytes);
await first.holdfast('ingest');
await first.holdfast('hub', 'init', postgres.url('hub'), '--as', 'anna', '--machine', 'first');
const start = await first.holdfast('hub', 'status');
const pushed = await first.holdfast('hub', 'share', 'app', '--with', 'team');
const again = await first.holdfast('hub', 'sync');
const second = newMachine('second', 0);
await second.holdfast('hub', 'join', addressIn((await first.holdfast('hub', 'invite')).command), '--machine', 'second');
const pulled = await second.holdfast('hub', 'sync');
const idle = await second.holdfast('hub', 'sync');
const size = await postgres.query('SELECT pg_database_size(current_database())::float8 / 1e6 AS mb', [], 'hub');
const rate = (entries, ms) => entries / ((ms - idle.ms) / 1000);
const bare = await bareInserts();
/** On a busy machine, processor time says more than the clock. */
const processor = (what, { cpu, server }, entries) => {
  const [own, hub] = [cpu - idle.cpu, server - idle.server];
  return [
    `${what}, entries a second of processor time`,
    entries / (own / 1000),
    '/s',
    undefined,
    `the command ${(own / 1000).toFixed(2)} s, the server ${(hub / 1000).toFixed(2)} s`,
  ];
};
show([
  ['entries', pushed.entries, '', undefined, `${megabytes} MB of transcripts`],
  ['a command that only asks the hub', start.ms, 'ms'],
  [
    'push, entries a second (goal: at least 5,000)',
    rate(pushed.entries, pushed.ms),
    '/s',
    undefined,
    `${(pushed.ms / 1000).toFixed(1)} s in all`,
  ],
  processor('push', pushed, pushed.entries),
  ['bare inserts of the same rows, without indexes', bare, '/s'],
  ['push, memory', pushed.peak, 'MB', 150],
  ['a sync with nothing to do', again.ms, 'ms'],
  [
    'pull, entries a second (goal: at least 10,000)',
    rate(pulled.pulled.entries, pulled.ms),
    '/s',
    undefined,
    `${pulled.pulled.entries} entries, ${(pulled.ms / 1000).toFixed(1)} s in all`,
  ],
  processor('pull', pulled, pulled.pulled.entries),
  ['pull, memory', pulled.peak, 'MB', 150],
  ['the hub on the disk', size[0].mb, 'MB'],
]);

const many = Number(process.env.HUB_MACHINES ?? 20);
if (many > 0) {
  const machines = Array.from({ length: many }, (_, i) =>
    newMachine(`m${String(i).padStart(2, '0')}`, Number(process.env.HUB_EACH_MB ?? 2)),
  );
  for (const machine of machines) {
    await machine.holdfast('ingest');
    await machine.holdfast(
      'hub',
      'join',
      addressIn((await first.holdfast('hub', 'invite')).command),
      '--machine',
      machine.name,
    );
  }
  const began = performance.now();
  const reports = await Promise.all(machines.map((machine) => machine.holdfast('hub', 'sync')));
  const ms = performance.now() - began;
  const entries = reports.reduce((sum, { pushed: { entries } }) => sum + entries, 0);
  for (const machine of [first, second, ...machines]) await machine.holdfast('hub', 'sync');
  for (const machine of [first, second, ...machines]) await machine.holdfast('hub', 'sync');
  const counts = new Set();
  for (const machine of [first, second, ...machines])
    counts.add((await machine.holdfast('stats')).counts?.entries ?? (await machine.holdfast('stats')).entries);
  const [{ n }] = await postgres.query('SELECT count(DISTINCT uuid)::int AS n FROM holdfast.entries', [], 'hub');
  show([
    [`${many} machines at once`, ms / 1000, 's', undefined, `${entries} entries pushed while all pull`],
    ['entries in the hub', n, ''],
    ['different counts of entries on the machines (1: all equal)', counts.size, '', 1, [...counts].join(', ')],
  ]);
}
postgres.close();
process.exit();
