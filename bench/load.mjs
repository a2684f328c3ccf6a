// Twenty sessions at once: hooks as Claude Code sends them, and transcripts that grow, against one session alone.
import { spawn } from 'node:child_process';
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
/** A tool call of an agent takes longer than this; a person's machine has it no harder. */
const pauseMs = 40;

const agent = new http.Agent({ keepAlive: true });
const folder = scratchFolder();
const home = path.join(folder, 'data');
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

const worker = spawn(process.execPath, [program, 'worker', 'run'], { env, stdio: 'ignore' });
try {
  await until(async () => (await fetch(`http://127.0.0.1:${port}/api/health`).catch(() => undefined))?.ok);
  const token = fs.readFileSync(path.join(home, 'hook-token'), 'utf8').trim();
  await play(token, 20); // warms the code up
  const alone = await play(token, calls);
  const together = (await Promise.all(Array.from({ length: sessions }, () => play(token, calls)))).flat();

  const stored = () => count('SELECT count(*) FROM tool_uses WHERE outcome IS NOT NULL');
  const expected = 20 + calls + sessions * calls;
  const began = performance.now();
  await until(() => stored() === expected, 60_000).catch(() => undefined);
  const caughtUp = performance.now() - began;
  const lost = expected - stored();
  const entries = count('SELECT count(*) FROM entries') - (expected + 2 * (sessions + 2));
  const peak = Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1000;

  console.log(
    `  ${sessions} sessions of ${calls} tool calls, ${together.length} hooks; ${pauseMs} ms between the calls of a session`,
  );
  show([
    ['a hook of one session alone, p50', quantile(alone, 0.5), 'ms'],
    ['a hook of one session alone, p95', quantile(alone, 0.95), 'ms'],
    ['a hook among twenty sessions, p50', quantile(together, 0.5), 'ms'],
    [
      'a hook among twenty sessions, p95',
      quantile(together, 0.95),
      'ms',
      2 * quantile(alone, 0.95),
      'twice the p95 of one alone',
    ],
    ['tool uses lost', lost, '', 0, `${expected} expected`],
    ['entries lost or doubled', Math.abs(entries), '', 0],
    ['the last one stored after', caughtUp, 'ms'],
    ['largest memory of the worker', peak, 'MB', 200],
  ]);
} finally {
  agent.destroy();
  worker.kill();
  await new Promise((end) => worker.once('exit', end));
}

/** One session: a prompt, tool calls, a stop, the end. Returns the milliseconds of each tool call's hook. */
async function play(token, many) {
  const session = randomUUID();
  const file = path.join(projects, `${session}.jsonl`);
  const took = [];
  let parent = null;
  const write = (type, content) => {
    const uuid = randomUUID();
    const line = { parentUuid: parent, isSidechain: false, cwd: '/home/dev/load', sessionId: session, type };
    fs.appendFileSync(
      file,
      `${JSON.stringify({ ...line, message: { role: type, content }, uuid, timestamp: new Date().toISOString() })}\n`,
    );
    parent = uuid;
  };
  const hook = (name, rest = {}) => {
    const payload = {
      session_id: session,
      transcript_path: file,
      cwd: '/home/dev/load',
      hook_event_name: name,
      ...rest,
    };
    return post(token, JSON.stringify(payload));
  };

  await hook('UserPromptSubmit', { prompt: 'Mend the pump', prompt_id: randomUUID() });
  write('user', 'Mend the pump');
  for (let call = 0; call < many; call++) {
    const id = `toolu_${randomUUID()}`;
    const input = { command: `npm test -- pump ${call}` };
    write('assistant', [{ type: 'tool_use', id, name: 'Bash', input }]);
    const output = `ok ${call} `.repeat(200);
    write('user', [{ type: 'tool_result', tool_use_id: id, content: output }]);
    took.push(
      await timed(() =>
        hook('PostToolUse', {
          tool_name: 'Bash',
          tool_input: input,
          tool_response: { stdout: output },
          tool_use_id: id,
        }),
      ),
    );
    await sleep(pauseMs * (0.5 + Math.random()));
  }
  write('assistant', [{ type: 'text', text: 'The pump runs.' }]);
  await hook('Stop', { last_assistant_message: 'The pump runs.' });
  await hook('SessionEnd', { reason: 'other' });
  return took;
}

/** As light as can be: whoever measures must not be what is measured. */
function post(token, body) {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    authorization: `Bearer ${token}`,
  };
  return new Promise((resolve, reject) => {
    const options = { port, path: '/api/hooks/claude-code', method: 'POST', headers, agent };
    const request = http.request({ host: '127.0.0.1', ...options }, (answer) => answer.resume().once('end', resolve));
    request.once('error', reject).end(body);
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
