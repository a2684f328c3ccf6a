// The UserPromptSubmit hook of Claude Code, for people who set recallOnPrompt: fetches what the past knows about a prompt. Run as
//   node holdfast-hook.cjs <data folder>      with the hook's payload on standard input
// Contract: prints one JSON object or nothing, and exits with 0 within two seconds whatever happens, or soon after a start that took
// longer. It writes nothing: a prompt may contain private text. CommonJS without packages: a module would take 5 ms longer to start.
'use strict';
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto');

/** Milliseconds since this process began in which everything must be done. */
const budget = 1800;
/** If the start alone took the budget, there is still a moment. */
const least = 50;
/** The client shows only the beginning of a longer text. */
const maxChars = 9900;
const maxBytes = 1 << 20;
const defaultPort = 37777;

const [home = ''] = process.argv.slice(2);
let port = defaultPort;
let output = '';

process.on('uncaughtException', finish);
process.on('unhandledRejection', finish);
setTimeout(finish, Math.max(least, budget - performance.now()));
main().then(finish, finish);

async function main() {
  port = JSON.parse(read('config.json', '{}')).port ?? defaultPort;
  const [worker, payload] = await Promise.all([meetWorker(), readPayload()]);
  if (payload?.hook_event_name !== 'UserPromptSubmit') return;
  const { status, text } = await worker.ask('/api/hooks/claude-code', { token: worker.token, body: payload });
  if (status === 200) output = String(JSON.parse(text).hookSpecificOutput?.additionalContext ?? '').slice(0, maxChars);
}

async function readPayload() {
  const parts = [];
  for await (const part of process.stdin) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
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

/** Never opens a second connection: another program could be behind it. */
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

function read(name, absent) {
  try {
    return fs.readFileSync(path.join(home, name), 'utf8').trim();
  } catch (error) {
    if (absent === undefined || error.code !== 'ENOENT') throw error;
    return absent;
  }
}

function finish() {
  if (output !== '') {
    const hookSpecificOutput = { hookEventName: 'UserPromptSubmit', additionalContext: output };
    try {
      fs.writeSync(1, `${JSON.stringify({ hookSpecificOutput })}\n`);
    } catch {
      // The client no longer listens.
    }
  }
  process.exit(0);
}
