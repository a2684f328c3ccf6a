// Twenty sessions at once, compared with one: transcripts that grow, and the two hooks that Claude Code runs, while a person searches.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { scratchFolder } from './corpus.mjs';
import { program, quantile, show, timed } from './figures.mjs';

const sessions = 20;
const calls = 200;
/** An agent's tool call takes longer than this, so a real machine has less load. */
const pauseMs = 40;
const searchPauseMs = 50;

const agent = new http.Agent({ keepAlive: true });
const folder = scratchFolder();
const home = path.join(folder, 'data');
const cwd = path.join(folder, 'load');
const port = 42_700;
const env = {
  ...process.env,
  HOME: folder,
  HOLDFAST_HOME: home,
  HOLDFAST_PORT: String(port),
  CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
};
const projects = path.join(folder, 'claude', 'projects', '-home-dev-load');
fs.mkdirSync(projects, { recursive: true });
fs.mkdirSync(cwd);

execFileSync(process.execPath, [program, 'install', 'claude-code'], { env, stdio: 'ignore' });
const settings = JSON.parse(fs.readFileSync(path.join(folder, 'claude', 'settings.json'), 'utf8'));
const commandOf = (event) => settings.hooks[event][0].hooks[0].command;

const worker = spawn(process.execPath, [program, 'worker', 'run'], { env, stdio: 'ignore' });
try {
  await until(async () => (await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined))?.ok);
  const token = fs.readFileSync(path.join(home, 'token'), 'utf8').trim();
  await searching(token, () => play(20)); // warms the code up
  const together = await searching(token, async () =>
    (await Promise.all(Array.from({ length: sessions }, () => play(calls)))).flat(),
  );
  // Afterwards, on a store of the same size: a search among twenty times as many matches takes longer by itself.
  await sleep(5000);
  const alone = await searching(token, () => play(calls));

  const stored = () => count('SELECT count(*) FROM tool_uses WHERE outcome IS NOT NULL');
  const ended = () => count('SELECT count(*) FROM session_states WHERE end_reason IS NOT NULL');
  const expected = 20 + calls + sessions * calls;
  const began = performance.now();
  await until(() => stored() === expected && ended() === sessions + 2, 60_000).catch(() => undefined);
  const caughtUp = performance.now() - began;
  const entries = count('SELECT count(*) FROM entries') - (expected + 2 * (sessions + 2));
  const peak = Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1000;

  console.log(
    `  ${sessions} sessions of ${calls} tool calls, ${pauseMs} ms between the calls of a session; ` +
      `${alone.searches.length} and ${together.searches.length} searches`,
  );
  show([
    ['a search beside one session, p50', quantile(alone.searches, 0.5), 'ms'],
    ['a search beside one session, p95', quantile(alone.searches, 0.95), 'ms'],
    ['a search beside twenty sessions, p50', quantile(together.searches, 0.5), 'ms'],
    [
      'a search beside twenty sessions, p95',
      quantile(together.searches, 0.95),
      'ms',
      2 * quantile(alone.searches, 0.95),
      'twice the p95 beside one',
    ],
    ['a hook among twenty sessions, p50', quantile(together.hooks, 0.5), 'ms'],
    ['a hook among twenty sessions, p95', quantile(together.hooks, 0.95), 'ms'],
    ['tool uses lost', expected - stored(), '', 0, `${expected} expected`],
    ['ends of sessions lost', sessions + 2 - ended(), '', 0],
    ['entries lost or doubled', Math.abs(entries), '', 0],
    ['the last one stored after', caughtUp, 'ms'],
    ['largest memory of the worker', peak, 'MB', 200],
  ]);
} finally {
  agent.destroy();
  worker.kill();
  await new Promise((end) => worker.once('exit', end));
}

/** Searches while the work runs. Returns the milliseconds of each search, and of the hooks that the work reports. */
async function searching(token, work) {
  const searches = [];
  let over = false;
  const searcher = (async () => {
    while (!over) {
      searches.push(await timed(() => search(token, `pump ${searches.length % calls}`)));
      await sleep(searchPauseMs);
    }
  })();
  try {
    return { hooks: await work(), searches };
  } finally {
    over = true;
    await searcher;
  }
}

/** One session: its start, a prompt, tool calls, the end. Returns the milliseconds of both hooks. */
async function play(many) {
  const session = randomUUID();
  const file = path.join(projects, `${session}.jsonl`);
  let parent = null;
  const write = (type, content) => {
    const uuid = randomUUID();
    const line = { parentUuid: parent, isSidechain: false, cwd, sessionId: session, type };
    fs.appendFileSync(
      file,
      `${JSON.stringify({ ...line, message: { role: type, content }, uuid, timestamp: new Date().toISOString() })}\n`,
    );
    parent = uuid;
  };
  const hook = (event, rest) => {
    const payload = { session_id: session, transcript_path: file, cwd, hook_event_name: event, ...rest };
    return timed(() => runHook(commandOf(event), JSON.stringify(payload)));
  };

  const took = [await hook('SessionStart', { source: 'startup' })];
  write('user', 'Mend the pump');
  for (let call = 0; call < many; call++) {
    const id = `toolu_${randomUUID()}`;
    write('assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command: `npm test -- pump ${call}` } }]);
    write('user', [{ type: 'tool_result', tool_use_id: id, content: `ok ${call} `.repeat(200) }]);
    await sleep(pauseMs * (0.5 + Math.random()));
  }
  write('assistant', [{ type: 'text', text: 'The pump runs.' }]);
  took.push(await hook('SessionEnd', { reason: 'other' }));
  return took;
}

/** As the client runs it: in a shell, with the payload as its input. */
function runHook(command, payload) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.once('error', reject).once('close', resolve);
    child.stdin.on('error', () => {}).end(payload);
  });
}

/** As light as possible, so that the client does not distort the measurement. */
function search(token, query) {
  const headers = { authorization: `Bearer ${token}` };
  const address = `/api/search?q=${encodeURIComponent(query)}`;
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: address, headers, agent }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`a search was answered with ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      })
      .once('error', reject);
  });
}

function count(sql) {
  const db = new Database(path.join(home, 'holdfast.db'), { readonly: true });
  try {
    return db.prepare(sql).pluck().get();
  } finally {
    db.close();
  }
}

async function until(holds, patience = 20_000) {
  const giveUp = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > giveUp) throw new Error('the worker did not come up, or did not catch up');
    await sleep(50);
  }
}
