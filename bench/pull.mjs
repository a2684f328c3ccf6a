// An OpenCode database of a gigabyte: the first pull, one with nothing new, and one after a new turn; how long each takes, and its peak
// memory. Usage: npm run bench pull [-- megabytes]
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { scratchFolder } from './corpus.mjs';

const megabytes = Number(process.env.PULL_MEGABYTES ?? 1000);
const folder = scratchFolder();
const source = path.join(folder, 'opencode');
fs.mkdirSync(source, { recursive: true });
const fixture = new URL('../src/agents/opencode/fixtures/opencode-1.18.33.json', import.meta.url);
const db = new Database(path.join(source, 'opencode.db'));
db.pragma('journal_mode = WAL');
for (const sql of JSON.parse(fs.readFileSync(fixture, 'utf8')).schema) db.exec(sql);
db.pragma('foreign_keys = OFF');

const words = 'the port of the retry queue is set in notes and read by the worker when it starts again '.split(' ');
const text = (seed, length) => {
  let said = '';
  for (let i = seed; said.length < length; i++) said += `${words[(i * 7 + seed) % words.length]} ${i % 97} `;
  return said;
};
const turnsOfSession = 100;
const bytesOfTurn = 20_000;
const sessions = Math.ceil((megabytes * 1e6) / (turnsOfSession * bytesOfTurn));
const into = {
  session: db.prepare(
    "INSERT OR REPLACE INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES (?, 'p', ?, '/home/dev/proj', ?, '1', ?, ?)",
  ),
  message: db.prepare('INSERT INTO message (id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?)'),
  part: db.prepare(
    'INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES (?, ?, ?, ?, ?, ?)',
  ),
};
function turn(session, n, at) {
  const say = (role, offset, data, done) => {
    const id = `msg_${session}_${String(n).padStart(6, '0')}_${offset}`;
    const time = { created: at + offset, ...(done ? { completed: at + offset + 1 } : {}) };
    into.message.run(id, session, at + offset, at + offset, JSON.stringify({ role, time }));
    for (const [i, part] of data.entries()) into.part.run(`prt_${id}_${i}`, id, session, at, at, JSON.stringify(part));
  };
  const [input, output] = [{ command: `cat notes-${n}.txt` }, text(n, bytesOfTurn - 3000)];
  const state = { status: 'completed', input, output, metadata: { exit: 0 }, time: { start: at, end: at } };
  say('user', 0, [{ type: 'text', text: text(n, 300) }], false);
  say(
    'assistant',
    1,
    [
      { type: 'tool', tool: 'bash', callID: `c${session}${n}`, state },
      { type: 'text', text: text(n + 3, 1500), time: { start: at, end: at } },
    ],
    true,
  );
}
for (let s = 0; s < sessions; s++)
  db.transaction(() => {
    const at = 1.76e12 + s * 1e7;
    into.session.run(`ses_${s}`, `s${s}`, `Session ${s}`, at, at);
    for (let n = 0; n < turnsOfSession; n++) turn(`ses_${s}`, n, at + n * 60_000);
  })();
db.pragma('wal_checkpoint(TRUNCATE)');
const size = fs.statSync(path.join(source, 'opencode.db')).size;
console.log(`${sessions} sessions, ${Math.round(size / 1e6)} MB`);

/** The pull alone, in a separate process. */
const script = `
import { loadConfig, ensureHome } from '${new URL('../dist/config/config.js', import.meta.url)}';
import { openSqliteStore } from '${new URL('../dist/store/sqlite/open.js', import.meta.url)}';
import { pullAll } from '${new URL('../dist/capture/pull/pull.js', import.meta.url)}';
const config = loadConfig();
ensureHome(config);
const store = await openSqliteStore(config.databasePath);
const began = performance.now();
const { grown, problems } = await pullAll({ store, config, clock: Date.now });
console.log(JSON.stringify({ grown: grown.length, problems, ms: Math.round(performance.now() - began), peakMb: Math.round(process.resourceUsage().maxRSS / 1024) }));
await store.close();
`;
const env = {
  ...process.env,
  HOME: folder,
  HOLDFAST_HOME: path.join(folder, 'data'),
  HOLDFAST_AGENTS_OPENCODE_WATCH_PATH: source,
};
const pull = (what) =>
  console.log(
    what,
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' }).trim(),
  );
pull('first');
pull('nothing new');
into.session.run('ses_0', 's0', 'Session 0', 1.76e12, 1.77e12);
turn('ses_0', turnsOfSession, 1.77e12);
pull('one turn more');
db.close();
