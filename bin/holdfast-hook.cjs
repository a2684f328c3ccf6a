// The SessionStart hook of Claude Code: fetches the briefing for a session that starts, and tells the worker of it. With the
// setting recallOnPrompt also the UserPromptSubmit hook: fetches what the past knows about a prompt. Run as
//   node holdfast-hook.cjs <port> <data folder>      with the hook's payload on standard input
// Contract: prints one JSON object or nothing, ends with 0, and within 900 ms whatever happens, or soon after a start that took
// longer. CommonJS and no package, since every session waits for it: a module would take 5 ms longer to start.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto');

/** Milliseconds since this process began, in which all must be done; the client would wait for 1,000. */
const budget = 850;
/** Where the start alone took the budget, there is still a moment to read the payload: it is spooled, and the worker started. */
const least = 50;
/** The client shows only the beginning of a longer text. */
const maxChars = 9900;
const maxBytes = 1 << 20;

const [portText, home = ''] = process.argv.slice(2);
const port = Number(portText);
const left = () => budget - performance.now();

let payload;
let delivered = false;
let output = '';

process.on('uncaughtException', finish);
process.on('unhandledRejection', finish);
setTimeout(finish, Math.max(least, left()));
main().then(finish, finish);

async function main() {
  const [worker] = await Promise.all([findWorker(), readPayload()]);
  if (worker === undefined || payload === undefined) return;
  if (isPrompt()) {
    const { status, text } = await worker.ask('/api/hooks/claude-code', { token: worker.token, body: payload });
    if (status === 200)
      output = String(JSON.parse(text).hookSpecificOutput?.additionalContext ?? '').slice(0, maxChars);
    return;
  }
  const { session_id: session, source, cwd } = payload;
  const query = new URLSearchParams({ project: process.env.CLAUDE_PROJECT_DIR || String(cwd ?? '') });
  if (session) query.set('session', String(session));
  if (source) query.set('source', String(source));
  await Promise.all([
    worker.ask(`/api/context/inject?${query}`, { token: worker.token }).then(({ status, text }) => {
      if (status === 200) output = text.trim().slice(0, maxChars);
    }, ignore),
    request(oneConnection(), '/api/hooks/claude-code', { token: read('hook-token'), body: payload }).then(
      ({ status }) => {
        // What it refuses, it would refuse again.
        delivered = status < 500;
      },
      ignore,
    ),
  ]);
}

const isPrompt = () => payload?.hook_event_name === 'UserPromptSubmit';

/** What goes wrong here is made good by the spool, or costs a briefing. The agent must not hear of it. */
function ignore() {}

async function readPayload() {
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  const value = JSON.parse(Buffer.concat(parts).toString('utf8'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) payload = value;
}

/** A connection on which the worker has proved itself; undefined when a stranger holds the port. */
async function findWorker() {
  while (left() > 0) {
    try {
      return await meetWorker();
    } catch (error) {
      if (!['ECONNREFUSED', 'ECONNRESET', 'ENOENT'].includes(error.code)) return undefined;
    }
    startWorker();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The full token is sent only on a connection whose other end knows it already. */
async function meetWorker() {
  const agent = oneConnection();
  const nonce = randomBytes(32).toString('hex');
  const { status, text } = await request(agent, `/api/health?nonce=${nonce}`, {});
  // Read after the worker has answered: it makes the token before it opens the port.
  const token = read('token');
  const proof = createHmac('sha256', token).update(`holdfast ${port} ${nonce}`).digest();
  const given = Buffer.from(String(JSON.parse(text).proof), 'hex');
  if (status !== 200 || given.length !== proof.length || !timingSafeEqual(given, proof)) throw new Error('a stranger');
  return { token, ask: (address, options) => request(agent, address, options) };
}

/** Never opens a second connection: behind that could be somebody else. */
function oneConnection() {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const connect = agent.createConnection.bind(agent);
  let used = false;
  agent.createConnection = (...args) => {
    if (used) throw new Error('the connection is gone');
    used = true;
    return connect(...args);
  };
  return agent;
}

function request(agent, address, { token, body }) {
  return new Promise((resolve, reject) => {
    const data = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(data === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) }),
    };
    const method = data === undefined ? 'GET' : 'POST';
    const call = http.request({ host: '127.0.0.1', port, path: address, method, agent, headers }, (answer) => {
      const parts = [];
      let size = 0;
      answer.on('data', (part) => {
        size += part.length;
        if (size > maxBytes) call.destroy(new Error('too long'));
        else parts.push(part);
      });
      answer.on('end', () => resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString('utf8') }));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(data);
  });
}

const read = (name) => fs.readFileSync(path.join(home, name), 'utf8').trim();

/** Whether the process that claims to be the worker lives: then it is starting, or goes on without HTTP. */
function workerLives() {
  try {
    const { pid, started } = JSON.parse(read('worker.pid'));
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Ended, but its parent has not asked how: without an init in a container, for good.
    if (fields[0] === 'Z' || fields[0] === 'X') return false;
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return started === `${boot}:${fields[19]}`;
  } catch {
    // No claim, or a system without /proc. A worker too many sees the claim, and goes.
    return false;
  }
}

let started = false;

/** Of ten that are started at once, one stays. A data folder that was removed is not made again behind the person's back. */
function startWorker() {
  if (started || !fs.existsSync(home) || workerLives()) return;
  started = true;
  const { spawn } = require('node:child_process');
  process.umask(0o077);
  fs.mkdirSync(path.join(home, 'logs'), { recursive: true });
  const log = fs.openSync(path.join(home, 'logs', 'worker.log'), 'a', 0o600);
  const env = { ...process.env, HOLDFAST_HOME: home };
  // It belongs to all sessions, not to this one.
  for (const name of ['NODE_OPTIONS', 'CLAUDE_PROJECT_DIR', 'CLAUDECODE']) delete env[name];
  const child = spawn(process.execPath, [path.join(__dirname, 'holdfast'), 'worker', 'run'], {
    cwd: home,
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  child.on('error', ignore);
  child.unref();
}

/** What the worker could not be told waits on the disk for it; also behind a stranger on its port it reads that. */
function spool() {
  // A prompt is in the transcript, and may hold what must not be kept.
  if (payload === undefined || delivered || isPrompt()) return;
  try {
    const file = path.join(home, 'spool', `claude-code.${process.pid}.${Date.now()}`);
    fs.writeFileSync(`${file}.tmp`, JSON.stringify(payload), { mode: 0o600 });
    fs.renameSync(`${file}.tmp`, `${file}.json`);
    startWorker();
  } catch {
    // A full disk, or a data folder that is gone. The transcript still tells.
  }
}

function finish() {
  spool();
  if (output !== '') {
    const hookEventName = isPrompt() ? 'UserPromptSubmit' : 'SessionStart';
    const hookSpecificOutput = { hookEventName, additionalContext: output };
    try {
      fs.writeSync(1, `${JSON.stringify({ hookSpecificOutput })}\n`);
    } catch {
      // Nobody listens any more.
    }
  }
  process.exit(0);
}
