// Ten thousand sessions: listed and purged by the session library, listed by the store, and offered by `holdfast resume`.
import fs from 'node:fs';
import path from 'node:path';
import { openHoldfast } from '../dist/index.js';
import { SessionManager } from '../dist/sessions/library/index.js';
import { scratchFolder } from './corpus.mjs';
import { program, quantile, runNode, show, timed } from './figures.mjs';

const count = 10_000;
const folder = scratchFolder();
const words = ['lamp', 'queue', 'migration', 'parser', 'release', 'cache', 'schema', 'retry'];
const sentence = (n) =>
  `Please look at the ${words[n % 8]} of part ${n}: since the ${words[(n >> 3) % 8]} changed it fails.`;

/**
 * The folder as ten thousand saves leave it: the library writes one file, the others are copies, and the library itself makes the index.
 */
async function library(round) {
  const sessionDir = path.join(folder, `library-${round}`);
  const manager = new SessionManager({ sessionDir, maxSessions: count });
  const messages = [
    { role: 'user', content: sentence(0) },
    { role: 'assistant', content: 'It was the order of two writes. '.repeat(20) },
  ];
  const { id, createdAt } = await manager.saveSession(messages);
  const text = fs.readFileSync(path.join(sessionDir, `${id}.json`), 'utf8');
  for (let n = 1; n < count; n++) {
    const other = `${id.slice(0, -4)}${n.toString(36).padStart(6, '0')}`;
    const at = new Date(Date.parse(createdAt) - n * 60_000).toISOString();
    fs.writeFileSync(path.join(sessionDir, `${other}.json`), text.replaceAll(id, other).replaceAll(createdAt, at));
  }
  fs.rmSync(path.join(sessionDir, 'index.json'));
  const rebuilt = await timed(() => manager.listSessions());
  return { manager, sessionDir, rebuilt };
}

/** CPU time beside wall time: it says more on a busy machine. */
let processor = [];
async function both(work) {
  const before = process.cpuUsage();
  const took = await timed(work);
  const { user, system } = process.cpuUsage(before);
  processor.push((user + system) / 1000);
  return took;
}

const lists = [];
const purges = [];
const unlinks = [];
let rebuilt = 0;
for (let round = 0; round < 3; round++) {
  const { manager, sessionDir, rebuilt: took } = await library(round);
  rebuilt = took;
  for (let n = 0; n < 10; n++)
    lists.push(
      await both(async () => {
        const { length } = await manager.listSessions();
        if (length !== count) throw new Error(`${length} sessions are listed`);
      }),
    );
  const bare = path.join(folder, 'bare');
  fs.cpSync(sessionDir, bare, { recursive: true });
  purges.push(
    await timed(async () => {
      const gone = await manager.purgeSessions(0);
      if (gone !== count) throw new Error(`${gone} sessions were purged`);
    }),
  );
  if (fs.readdirSync(sessionDir).some((name) => name.endsWith('.json') && name !== 'index.json'))
    throw new Error('sessions are left');
  const files = fs.readdirSync(bare).filter((name) => name.endsWith('.json'));
  unlinks.push(
    await timed(() => {
      for (const name of files) fs.unlinkSync(path.join(bare, name));
    }),
  );
  fs.rmSync(bare, { recursive: true });
}

const env = {
  HOME: folder,
  HOLDFAST_HOME: path.join(folder, 'data'),
  HOLDFAST_DISTILL_AUTO: 'false',
  CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
};
const listing = processor;
processor = [];
const started = Date.parse('2026-01-01T00:00:00.000Z');
for (let n = 0; n < count; n++) {
  const session = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const project = path.join(folder, 'claude', 'projects', `-srv-part-${n % 40}`);
  fs.mkdirSync(project, { recursive: true });
  const line = (i, type, content) =>
    JSON.stringify({
      parentUuid: null,
      isSidechain: false,
      sessionId: session,
      cwd: `/srv/part-${n % 40}`,
      type,
      message: { role: type, content },
      uuid: `${session.slice(0, 9)}${i}`,
      timestamp: new Date(started + n * 60_000 + i * 1000).toISOString(),
    });
  const use = { type: 'tool_use', id: `toolu_${n}`, name: 'Read', input: { file_path: `/srv/part/${n}.ts` } };
  const result = { type: 'tool_result', tool_use_id: `toolu_${n}`, content: 'ok' };
  const lines = [
    line(1, 'user', sentence(n)),
    line(2, 'assistant', [{ type: 'text', text: 'I read it.' }, use]),
    line(3, 'user', [result]),
    line(4, 'assistant', [{ type: 'text', text: `The order of two writes in ${words[n % 7]}.` }]),
  ];
  fs.writeFileSync(path.join(project, `${session}.jsonl`), `${lines.join('\n')}\n`);
}
await runNode([program, 'ingest', '--json'], env);
const holdfast = await openHoldfast(env);
const all = [];
const some = [];
const bare = [];
for (let n = 0; n < 10; n++) {
  all.push(
    await both(async () => {
      const { length } = await holdfast.store.sessions.list({});
      if (length !== count) throw new Error(`${length} sessions are stored`);
    }),
  );
  some.push(await timed(() => holdfast.store.sessions.list({ limit: 20 })));
}
await holdfast.close();
const Database = (await import('better-sqlite3')).default;
const db = new Database(path.join(env.HOLDFAST_HOME, 'holdfast.db'), { readonly: true });
const select = db.prepare('SELECT * FROM sessions ORDER BY ended_at DESC');
for (let n = 0; n < 10; n++) bare.push(await timed(() => select.all()));
db.close();
const commands = [];
for (let n = 0; n < 5; n++) commands.push((await runNode([program, 'resume'], env)).ms);

const ms = (value) => `${value.toFixed(1)} ms`;
const beside = (values, cpu) => `largest ${ms(Math.max(...values))}, processor ${ms(quantile(cpu, 0.5))}`;
show([
  ['the library lists 10,000, p50 of 30', quantile(lists, 0.5), 'ms', 100, beside(lists, listing)],
  [
    'the library purges 10,000, largest of 3',
    Math.max(...purges),
    'ms',
    2000,
    `bare unlink one by one, least of 3: ${ms(Math.min(...unlinks))}`,
  ],
  ['the library rebuilds their index', rebuilt, 'ms'],
  [
    'the store lists 10,000, p50 of 10',
    quantile(all, 0.5),
    'ms',
    undefined,
    `${beside(all, processor)}; the bare rows ${ms(quantile(bare, 0.5))}`,
  ],
  ['the store lists the last 20, p50', quantile(some, 0.5), 'ms'],
  ['`holdfast resume` without a terminal, p50 of 5', quantile(commands, 0.5), 'ms'],
]);
