// What the whole host costs: its memory with a hundred groups, and a follow-up from the process that takes the message, through the store
// and the host, to the request at the model's API.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { startAgent } from '../dist/host/agent.js';
import { groupDeps } from '../dist/operations/groups/group-deps.js';
import { ring } from '../dist/sessions/groups/bell.js';
import { createGroup } from '../dist/sessions/groups/groups.js';
import { quantile, show } from './figures.mjs';
import { hostStand } from './host-stand.mjs';

const groups = Number(process.env.BENCH_GROUPS ?? 100);
/** How many of them have talked and whose processes have ended. */
const talked = Math.min(groups, Number(process.env.BENCH_TALKED ?? 20));
const followUps = Number(process.env.BENCH_ROUNDS ?? 40);

const { mock, env, holdfast } = await hostStand({ HOLDFAST_HOST_IDLE_MINUTES: '0.1' });
const { store, config, context } = holdfast;
const names = Array.from({ length: groups }, (_, i) => `g${i}`);
for (const name of names) await createGroup(groupDeps(context), name);

const text = 'MOCK:[{"text":"done"}]';
const now = () => performance.timeOrigin + performance.now();
const until = async (holds) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
};
const say = async (group) => {
  const { id } = await store.messages.add(group, { text }, Date.now());
  await ring(config);
  return id;
};
const isAnswered = async (group, id) => (await store.messages.get(group, id))?.state === 'answered';

function host(settings = {}) {
  const program = new URL('../bin/holdfast', import.meta.url).pathname;
  const child = spawn(program, ['host', 'run'], { env: { ...env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return new Promise((resolve) => {
    child.stdout.on('data', (said) => {
      if (String(said).includes('Waiting for messages'))
        resolve({
          memoryMb: () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1000,
          end() {
            child.kill('SIGINT');
            return ended;
          },
        });
    });
  });
}

try {
  const first = await host();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const before = first.memoryMb();
  const ids = [];
  for (const name of names.slice(0, talked)) ids.push([name, await say(name)]);
  for (const [name, id] of ids) await until(() => isAnswered(name, id));
  await until(async () => (await store.runs.open()).length === 0);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const after = first.memoryMb();
  await first.end();

  const second = await host({ HOLDFAST_HOST_IDLE_MINUTES: '30' });
  const begins = await say('g0');
  await until(() => isAnswered('g0', begins));
  // For comparison, an agent without store and host: the difference is what these cost.
  let results = 0;
  const bare = await startAgent({ config, log: console.log }, { group: 'g1', events: { result: () => results++ } });
  bare.send({ id: 'm', text });
  await until(() => results === 1);
  const whole = async () => {
    const id = await say('g0');
    return () => isAnswered('g0', id);
  };
  const alone = async () => {
    const due = results + 1;
    bare.send({ id: `m${due}`, text });
    return () => results === due;
  };
  const taken = { whole: [], alone: [] };
  for (let i = 0; i < followUps; i++)
    for (const [name, once] of Object.entries({ whole, alone })) {
      // A pause like a person's.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const began = now();
      const isOver = await once();
      const request = () => mock.asked.find(({ kind, at }) => kind === 'main' && at >= began);
      await until(() => request() !== undefined);
      taken[name].push(request().at - began);
      await until(isOver);
    }
  bare.close();
  await bare.exited;
  await second.end();
  const beside = (share) => `the agent alone ${quantile(taken.alone, share).toFixed(0)} ms`;
  show([
    [`memory of the host, ${groups} groups, none of which has talked`, before, 'MB', 120],
    [`the same after ${talked} of them have, and their processes are gone`, after, 'MB', 120],
    ['request after a message to a group whose agent waits, p50', quantile(taken.whole, 0.5), 'ms', 50, beside(0.5)],
    ['the same, p95', quantile(taken.whole, 0.95), 'ms', undefined, beside(0.95)],
  ]);
  console.log(`  from another process, through the store and the bell; ${followUps} messages, Claude Code 2.1.325`);
} finally {
  await holdfast.close();
  await mock.close();
}
