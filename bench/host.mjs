// What the sandbox costs: from a message to the first request at the model's API, with a process to start and with a waiting one. In the
// same rounds, for comparison, the Agent SDK alone: in a separate process, and in one that has loaded it already.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadConfig } from '../dist/config/config.js';
import { startAgent } from '../dist/host/agent.js';
import { chooseSandbox } from '../dist/host/sandbox/index.js';
import { prepareFolders } from '../dist/sessions/groups/group-folders.js';
import { installClients, installSdk } from '../scripts/setup.mjs';
import { scratchFolder } from './corpus.mjs';
import { quantile, show } from './figures.mjs';
import { startMock } from './mock.mjs';

const rounds = Number(process.env.BENCH_ROUNDS ?? 12);
const followUps = 5;
const cache = new URL('../node_modules/.cache/', import.meta.url).pathname;
await installClients();
await installSdk();
const program = fs.realpathSync(path.join(cache, 'clients/2.1.325/claude'));
const sdk = path.join(cache, 'sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');

const folder = fs.realpathSync(scratchFolder());
const mock = await startMock(folder);
const home = path.join(folder, 'data');
fs.mkdirSync(home, { mode: 0o700 });
fs.symlinkSync(path.join(cache, 'sdk/node_modules'), path.join(home, 'node_modules'));
const config = loadConfig({
  PATH: process.env.PATH,
  HOME: path.join(folder, 'user'),
  HOLDFAST_HOME: home,
  HOLDFAST_HOST_PROGRAM: program,
  ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
  ANTHROPIC_BASE_URL: mock.url,
});
const { sandbox, warnings } = await chooseSandbox(config);
for (const warning of warnings) console.log(`  ${warning}`);
prepareFolders(config, 'bench');

const now = () => performance.timeOrigin + performance.now();
const text = 'MOCK:[{"text":"done"}]';
/** When the next request after this moment arrived. */
async function requestAfter(began) {
  for (;;) {
    const found = mock.asked.find(({ kind, at }) => kind === 'main' && at >= began);
    if (found !== undefined) return found.at - began;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Each runs one conversation: how long the first message took, and each later one. */
async function hosted() {
  const began = now();
  let results = 0;
  const events = { result: () => results++, failed: (kind, message) => console.log(`  ${kind}: ${message}`) };
  const agent = await startAgent({ config, sandbox, log: console.log }, { group: 'bench', events });
  const started = now() - began;
  return {
    ...(await talk(
      began,
      (id) => agent.send({ id, text }),
      () => results,
    )),
    started,
    end: () => closeThen(agent, agent.exited),
  };
}

async function bareInProcess() {
  const began = now();
  let results = 0;
  const { query } = await import(pathToFileURL(sdk).href);
  const inbox = queue();
  const over = (async () => {
    for await (const said of query({ prompt: inbox.messages(), options: bareOptions() }))
      if (said.type === 'result') results++;
  })();
  return {
    ...(await talk(
      began,
      () => inbox.push(),
      () => results,
    )),
    end: () => closeThen(inbox, over),
  };
}

async function bareProcess() {
  const file = path.join(folder, 'bare.mjs');
  fs.writeFileSync(
    file,
    `const { query } = await import(${JSON.stringify(pathToFileURL(sdk).href)});
     const options = JSON.parse(process.argv[2]);
     async function* prompt() { for await (const _ of process.stdin) yield ${JSON.stringify(userMessage())}; }
     for await (const said of query({ prompt: prompt(), options })) if (said.type === 'result') process.stdout.write('r');`,
  );
  const began = now();
  let results = 0;
  const child = spawn(process.execPath, [file, JSON.stringify(bareOptions())], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.on('data', (said) => (results += said.length));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    ...(await talk(
      began,
      () => child.stdin.write('.'),
      () => results,
    )),
    end: () => closeThen({ close: () => child.stdin.end() }, ended),
  };
}

async function talk(began, send, results) {
  send('m0');
  const cold = await requestAfter(began);
  const warm = [];
  for (let i = 1; i <= followUps; i++) {
    while (results() < i) await new Promise((resolve) => setTimeout(resolve, 5));
    // A pause like a person's: the client tidies up after an answer.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const at = now();
    send(`m${i}`);
    warm.push(await requestAfter(at));
  }
  while (results() <= followUps) await new Promise((resolve) => setTimeout(resolve, 5));
  return { cold, warm };
}

function closeThen(open, ended) {
  open.close();
  return ended;
}

function bareOptions() {
  const own = path.join(folder, 'bare');
  fs.mkdirSync(own, { recursive: true });
  return {
    cwd: own,
    pathToClaudeCodeExecutable: program,
    env: {
      PATH: process.env.PATH,
      HOME: own,
      LANG: 'C.UTF-8',
      ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
      ANTHROPIC_BASE_URL: mock.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    settingSources: ['user', 'project', 'local'],
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    includePartialMessages: true,
  };
}

function userMessage() {
  return { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
}

function queue() {
  let [waiting, closed, wake] = [0, false, () => {}];
  return {
    push() {
      waiting++;
      wake();
    },
    close() {
      closed = true;
      wake();
    },
    async *messages() {
      while (waiting > 0 || !closed) {
        if (waiting === 0)
          await new Promise((resolve) => {
            wake = resolve;
          });
        else {
          waiting--;
          yield userMessage();
        }
      }
    },
  };
}

const variants = { hosted, bareProcess, bareInProcess };
const taken = Object.fromEntries(Object.keys(variants).map((name) => [name, { cold: [], warm: [], started: [] }]));
try {
  // The first round does not count: files are read for the first time.
  for (let round = 0; round <= rounds; round++)
    for (const [name, once] of Object.entries(variants)) {
      const { cold, warm, started = 0, end } = await once();
      await end();
      if (round === 0) continue;
      taken[name].cold.push(cold);
      taken[name].warm.push(...warm);
      taken[name].started.push(started);
    }
  const median = (name, kind) => quantile(taken[name][kind], 0.5);
  const ms = (value) => `${value.toFixed(0)} ms`;
  const [cold, own, loaded] = Object.keys(variants).map((name) => median(name, 'cold'));
  show([
    [
      'first request, to be started, as a multiple of the SDK',
      cold / own,
      '',
      1.5,
      `${ms(cold)}; a process with the SDK ${ms(own)}`,
    ],
    [
      'the same, with the SDK loaded already',
      cold / loaded,
      '',
      undefined,
      `${ms(loaded)} in a process that has loaded it`,
    ],
    ['until the process is there', median('hosted', 'started'), 'ms'],
    [
      'request after a message to one that waits, p50',
      median('hosted', 'warm'),
      'ms',
      50,
      `the SDK by itself ${ms(median('bareInProcess', 'warm'))}`,
    ],
    [
      'the same, p95',
      quantile(taken.hosted.warm, 0.95),
      'ms',
      undefined,
      `the SDK by itself ${ms(quantile(taken.bareInProcess.warm, 0.95))}`,
    ],
  ]);
  console.log(`  in ${sandbox.name}, ${rounds} rounds, Claude Code 2.1.325`);
} finally {
  await mock.close();
}
