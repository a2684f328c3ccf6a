// What hooks cost inside the real client: the time between an answer that uses a tool and the next request, and from the start of the
// program to its first request. Rounds alternate between no hooks, a hook that does nothing, the same with an MCP server of one tool, a running
// worker, the same with our MCP server, and a worker that must be started. No hook runs at a tool call: the figure for one is the noise of the machine.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { installClients } from '../scripts/setup.mjs';
import { filesBelow, longMemEval, scratchFolder } from './corpus.mjs';
import { interval, program, quantile, runNode, show } from './figures.mjs';
import { startMock } from './mock.mjs';

const client = new URL('../node_modules/.cache/clients/2.1.325/claude', import.meta.url).pathname;
const calls = 22;
const rounds = Number(process.env.BENCH_ROUNDS ?? 24);
const entries = Number(process.env.BENCH_ENTRIES ?? 100_000);

await installClients();
const folder = fs.realpathSync(scratchFolder());
const project = path.join(folder, 'project');
fs.mkdirSync(project);
fs.writeFileSync(path.join(project, 'a.txt'), 'x\n');
const mock = await startMock(folder);

const env = {
  HOME: path.join(folder, 'home'),
  HOLDFAST_HOME: path.join(folder, 'data'),
  CLAUDE_CONFIG_DIR: '',
};
const withServer = path.join(folder, 'home-with-server');
// What any hook costs: the client starts a shell that does nothing.
const withEmptyHook = path.join(folder, 'home-with-empty-hook');
fs.mkdirSync(env.HOME);
fs.mkdirSync(withServer);
fs.mkdirSync(path.join(withEmptyHook, '.claude'), { recursive: true });
// What any MCP server costs: the client starts a shell that offers one tool.
const withEmptyServer = path.join(folder, 'home-with-empty-server');
fs.mkdirSync(path.join(withEmptyServer, '.claude'), { recursive: true });
const emptyServer = path.join(folder, 'server.sh');
fs.writeFileSync(emptyServer, emptyServerScript());
fs.writeFileSync(
  path.join(withEmptyServer, '.claude.json'),
  JSON.stringify({ mcpServers: { empty: { type: 'stdio', command: '/bin/sh', args: [emptyServer] } } }),
);
const emptyHooks = { SessionStart: [{ hooks: [{ type: 'command', command: 'true' }] }] };
fs.writeFileSync(path.join(withEmptyHook, '.claude', 'settings.json'), JSON.stringify({ hooks: emptyHooks }));
fs.writeFileSync(path.join(withEmptyServer, '.claude', 'settings.json'), JSON.stringify({ hooks: emptyHooks }));
fs.mkdirSync(path.join(folder, 'plain'));
fs.mkdirSync(env.HOLDFAST_HOME, { mode: 0o700 });
// Distilling a year and copying its transcripts takes minutes after such an import. BENCH_BACKLOG=1 shows hooks beside it.
const settings = { port: 42_620, ...(process.env.BENCH_BACKLOG ? {} : { distill: { auto: false }, vault: false }) };
fs.writeFileSync(path.join(env.HOLDFAST_HOME, 'config.json'), JSON.stringify(settings), { mode: 0o600 });
const past = longMemEval(path.join(folder, 'past'), entries);
// Everything is in the project in which the sessions start, so that the briefing has the most to look through.
for (const file of filesBelow(path.join(folder, 'past')))
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(project)}`));
const holdfast = (...args) => runNode([program, ...args], env);
await holdfast('ingest', '--json', '--dir', path.join(folder, 'past'));
// A worker that reads an import closely competes with the client for minutes. BENCH_BACKLOG=1 shows that state.
if (!process.env.BENCH_BACKLOG) await holdfast('embed');
await holdfast('install', 'claude-code', '--hooks-only');
await runNode([program, 'install', 'claude-code'], { ...env, HOME: withServer });
console.log(`  ${past.lines} entries stored, in the project of the sessions; ${rounds} rounds of ${calls} tool calls`);

// The briefing is a file that the worker writes.
await holdfast('worker', 'start');
const note = path.join(env.HOLDFAST_HOME, 'briefings', 'folders', project, '.holdfast-briefing', 'project');
for (let i = 0; i < 600 && !(fs.existsSync(note) && fs.readFileSync(note, 'utf8') !== ''); i++)
  await new Promise((resolve) => setTimeout(resolve, 100));

// Each round except the last begins beside a running, idle worker: a starting one would slow the session.
const idle = async () => {
  await holdfast('worker', 'start');
  await new Promise((resolve) => setTimeout(resolve, 2000));
};
const variants = {
  none: { home: path.join(folder, 'plain'), gaps: [], starts: [], before: idle },
  empty: { home: withEmptyHook, gaps: [], starts: [], before: idle },
  anyServer: { home: withEmptyServer, gaps: [], starts: [], before: idle },
  warm: { home: env.HOME, gaps: [], starts: [], before: idle },
  server: { home: withServer, gaps: [], starts: [], before: idle },
  bare: { home: path.join(folder, 'plain'), gaps: [], starts: [], before: () => holdfast('worker', 'stop') },
  cold: { home: env.HOME, gaps: [], starts: [], before: () => holdfast('worker', 'stop') },
};
try {
  // The first round of each does not count: files are read for the first time.
  for (let round = 0; round <= rounds; round++)
    for (const variant of Object.values(variants)) {
      await variant.before?.();
      await once(variant, round > 0);
    }
  const { none, empty, anyServer, warm, server, bare, cold } = variants;
  // The machine's speed drifts by more than a hook costs, so a start is compared with the one of the same round.
  const pairs = (list, than) => list.starts.map((ms, round) => ms - than.starts[round]);
  const start = (what, goal, list, than) => {
    const each = pairs(list, than);
    const [low, high] = interval(each);
    const range = `${low.toFixed(0)} to ${high.toFixed(0)} ms in 9 of 10 draws`;
    return [what, quantile(each, 0.5), 'ms', goal, `${range}; ${beside('starts', 0.5, list, than)}`];
  };
  const beside = (kind, share, list = warm, than = none) =>
    `${quantile(list[kind], share).toFixed(1)} ms, without hooks ${quantile(than[kind], share).toFixed(1)} ms`;
  show([
    [
      'a tool call beside none (no hook), p50',
      quantile(warm.gaps, 0.5) - quantile(none.gaps, 0.5),
      'ms',
      undefined,
      beside('gaps', 0.5),
    ],
    start('added to the start, a hook that does nothing, p50', undefined, empty, none),
    start('added to the start, that hook and an MCP server of one tool, p50', undefined, anyServer, none),
    start('added to the start, worker warm, p50', 20, warm, none),
    start('added to the start, worker to be started, p50', 20, cold, bare),
    ['the longest of those', Math.max(...pairs(cold, bare)), 'ms', undefined],
    start('added to the start, with the MCP server, worker warm, p50', 60, server, none),
    start('no hooks, beside a worker and without one: the noise', undefined, none, bare),
  ]);
  console.log(`  briefed: warm ${warm.briefed ?? 0} of ${rounds}, cold ${cold.briefed ?? 0} of ${rounds}`);
} finally {
  // A worker that the last session has only just started cannot be stopped yet: wait until it runs.
  await holdfast('worker', 'start');
  await holdfast('worker', 'stop');
  await mock.close();
}

async function once(variant, counted) {
  const first = mock.asked.length;
  const steps = Array.from({ length: calls }, () => ({ tool: 'Read', input: { file_path: `${project}/a.txt` } }));
  const began = performance.timeOrigin + performance.now();
  const prompt = `MOCK:${JSON.stringify([...steps, { text: 'done' }])}`;
  const child = spawn(client, ['-p', prompt, '--allowedTools', 'Read', '--output-format', 'json'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: variant.home,
      LANG: 'C.UTF-8',
      ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
      ANTHROPIC_BASE_URL: mock.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`the client ended with ${code}`);
  const main = mock.asked.slice(first).filter(({ kind }) => kind === 'main');
  if (!counted) return;
  variant.starts.push(main[0].at - began);
  if (main[0].text.includes('additional context')) variant.briefed = (variant.briefed ?? 0) + 1;
  for (let i = 1; i < main.length - 1; i++) variant.gaps.push(main[i + 1].at - main[i].answeredAt);
}

/** Answers the client's first messages with built-ins of the shell alone. */
function emptyServerScript() {
  const tool = { name: 'nothing', description: 'Does nothing', inputSchema: { type: 'object', properties: {} } };
  const server = { capabilities: { tools: {} }, serverInfo: { name: 'empty', version: '1' } };
  const answer = (kind, json) => `printf '{"jsonrpc":"2.0","id":%s,"${kind}":%s}\\n' "$id" '${JSON.stringify(json)}'`;
  return `while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}
  id=\${id%%,*}
  id=\${id%%\\}*}
  case $line in
    *'"initialize"'*) ${answer('result', { protocolVersion: '2025-06-18', ...server })} ;;
    *'"tools/list"'*) ${answer('result', { tools: [tool] })} ;;
    *) ${answer('error', { code: -32601, message: 'no such method' })} ;;
  esac
done
`;
}
