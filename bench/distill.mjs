// The offline distiller from end to end: real sessions read from the store, observed, summarised and saved.
import path from 'node:path';
import { distillSession, ingest, openHoldfast } from '../dist/index.js';
import { realTranscripts, scratchFolder } from './corpus.mjs';
import { quantile, show, timed } from './figures.mjs';

const rounds = 5;
const goal = 200;
const folder = scratchFolder();
const { bytes } = realTranscripts(path.join(folder, 'claude', 'projects'), 60);
const { context, store, close } = await openHoldfast({
  HOLDFAST_HOME: path.join(folder, 'home'),
  CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
  HOME: folder,
});
await ingest(context, {});
const sessions = await store.sessions({});
let turns = 0;
for (const { agent, id } of sessions) turns += (await store.turns(agent, id))?.turns.length ?? 0;

const read = [];
const whole = [];
const busy = [];
let saved = { observations: 0, summaries: 0 };
// The first round finds cold caches and is not counted.
for (let round = 0; round <= rounds; round++) {
  await store.dropDistilled();
  saved = { observations: 0, summaries: 0 };
  const made = [];
  const before = process.cpuUsage();
  const reading = await timed(async () => {
    for (const { agent, id } of sessions) made.push(await distillSession(store, { agent, session: id }));
  });
  const saving = await timed(async () => {
    for (const { observations, summary } of made) {
      saved.observations += await store.saveDistilled(observations, summary);
      if (summary !== undefined) saved.summaries++;
    }
  });
  const { user, system } = process.cpuUsage(before);
  if (round === 0) continue;
  busy.push((user + system) / 1000 / turns);
  read.push((1000 * turns) / reading);
  whole.push((1000 * turns) / (reading + saving));
}
await close();

console.log(
  `  ${sessions.length} sessions, ${turns} turns, ${(bytes / 1e6).toFixed(0)} MB; ${saved.observations} observations, ${saved.summaries} summaries; median of ${rounds} rounds`,
);
show([
  [
    'a turn, read, distilled and saved, a session in a transaction',
    1000 / quantile(whole, 0.5),
    'ms',
    1000 / goal,
    `${quantile(whole, 0.5).toFixed(0)} turns/s`,
  ],
  ['  without saving', 1000 / quantile(read, 0.5), 'ms', undefined, `${quantile(read, 0.5).toFixed(0)} turns/s`],
  ['  processor time of it', quantile(busy, 0.5), 'ms'],
]);
