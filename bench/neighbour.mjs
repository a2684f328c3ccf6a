// Fairness: how long a group waits for an answer while the agent of another floods the host, compared with the same group alone. A ratio,
// because machines differ.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { groupDeps } from '../dist/operations/groups/group-deps.js';
import { ring } from '../dist/sessions/groups/bell.js';
import { createGroup } from '../dist/sessions/groups/groups.js';
import { quantile, show } from './figures.mjs';
import { hostStand } from './host-stand.mjs';

const rounds = Number(process.env.BENCH_ROUNDS ?? 12);
const { mock, home, env, holdfast } = await hostStand();
const { store, config, context } = holdfast;
for (const name of ['beta', 'alpha0', 'alpha1', 'alpha2', 'alpha3']) await createGroup(groupDeps(context), name);

const host = spawn(new URL('../bin/holdfast', import.meta.url).pathname, ['host', 'run'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.once('exit', () => host.kill());
await new Promise((resolve) => host.stdout.on('data', (said) => String(said).includes('Waiting') && resolve()));

const scripted = (steps) => `MOCK:${JSON.stringify(steps)}`;
const say = async (group, steps) => {
  const { id } = await store.messages.add(group, { text: scripted(steps) }, Date.now());
  await ring(config);
  return id;
};
/** Milliseconds from a message to its answer. */
async function answered(group) {
  const began = performance.now();
  const id = await say(group, [{ text: 'done' }]);
  while ((await store.messages.get(group, id))?.state !== 'answered')
    await new Promise((resolve) => setTimeout(resolve, 5));
  return performance.now() - began;
}
async function measure() {
  const times = [];
  for (let i = 0; i < rounds; i++) times.push(await answered('beta'));
  return { median: quantile(times, 0.5), most: Math.max(...times) };
}

/** Each runs for as long as beta is measured: as fast as the host allows without ending the agent. */
const floods = {
  'connections to its model': `node -e 'const net=require("node:net");setInterval(()=>{for(let i=0;i<15;i++)net.connect("/run/holdfast/api.sock").on("error",()=>{})},100)'`,
  'a processor in a loop': `sh -c 'while :; do :; done'`,
  'its transcript, megabytes a second': `node -e 'const fs=require("node:fs");const f=process.env.HOME+"/.claude/projects/-workspace-group/flood.jsonl";let n=0;setInterval(()=>{const lines=[];for(let i=0;i<50;i++)lines.push(JSON.stringify({parentUuid:null,isSidechain:false,sessionId:"flood",cwd:"/workspace/group",type:"user",uuid:"f"+n++,message:{role:"user",content:"中".repeat(20000)},timestamp:new Date().toISOString()}));fs.appendFileSync(f,lines.join("\\n")+"\\n")},500)'`,
};

await answered('beta');
const alone = await measure();
const rows = [['beta alone, median', alone.median, 'ms', undefined, `most ${alone.most.toFixed(0)} ms`]];
const steps = (command) => [
  { tool: 'Bash', input: { command: `touch begun; timeout 15 ${command}`, run_in_background: true } },
  { text: 'begun' },
];
/** Searches of everything it said, as long as a query may be, one after the other. */
const query = 'a/'.repeat(1000);
const recalls = Array.from({ length: 2000 }, () => ({ tool: 'mcp__holdfast__recall', input: { query } }));
const all = {
  ...Object.fromEntries(Object.entries(floods).map(([name, command]) => [name, steps(command)])),
  'its searches': recalls,
};
for (const [i, [name, script]] of Object.entries(all).entries()) {
  const neighbour = `alpha${i}`;
  const begun = path.join(home, 'groups', neighbour, 'begun');
  await say(neighbour, script);
  const asked = mock.asked.length;
  while (script === recalls ? mock.asked.length < asked + 5 : !fs.existsSync(begun))
    await new Promise((resolve) => setTimeout(resolve, 50));
  const beside = await measure();
  const share = beside.median / alone.median;
  rows.push([
    `beside ${name}`,
    share,
    '× alone',
    undefined,
    `${beside.median.toFixed(0)} ms, most ${beside.most.toFixed(0)} ms`,
  ]);
}
show(rows);
host.kill('SIGTERM');
await new Promise((resolve) => host.once('exit', resolve));
await holdfast.close();
process.exit(0);
