// The offline distiller from end to end: real sessions read from the store, observed, summarised and saved.
import path from 'node:path';
import Database from 'better-sqlite3';
import { distillSession } from '../dist/distill/offline/session.js';
import { ingest, openHoldfast } from '../dist/index.js';
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
const sessions = await store.sessions.list({});
/** Results are deleted between the rounds. */
const rows = new Database(context.config.databasePath);
let turns = 0;
for (const { agent, id } of sessions) turns += (await store.entries.turns(agent, id))?.turns.length ?? 0;

/** What no distiller could save: the turns read from the store, nothing made of them. */
const bare = [];
const read = [];
const whole = [];
const ratio = [];
const busy = [];
let saved = { observations: 0, summaries: 0 };
// The first round finds cold caches and does not count.
for (let round = 0; round <= rounds; round++) {
  rows.exec('DELETE FROM observations; DELETE FROM summaries');
  saved = { observations: 0, summaries: 0 };
  const made = [];
  const bareReading = await timed(async () => {
    for (const { agent, id } of sessions) await store.entries.turns(agent, id);
  });
  const before = process.cpuUsage();
  const reading = await timed(async () => {
    for (const { agent, id } of sessions) made.push(await distillSession(store, { agent, session: id }));
  });
  const saving = await timed(async () => {
    for (const { observations, summary } of made) {
      const taken = await store.transfer.takeRows([
        ...observations.map((one) => ({ is: 'observation', ...one })),
        ...(summary === undefined ? [] : [{ is: 'summary', ...summary }]),
      ]);
      saved.observations += taken.observation ?? 0;
      saved.summaries += taken.summary ?? 0;
    }
  });
  const { user, system } = process.cpuUsage(before);
  if (round === 0) continue;
  busy.push((user + system) / 1000 / turns);
  bare.push((1000 * turns) / bareReading);
  read.push((1000 * turns) / reading);
  ratio.push((reading + saving) / bareReading);
  whole.push((1000 * turns) / (reading + saving));
}
rows.close();
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
  [
    '  beside reading the turns alone, as a ratio',
    quantile(ratio, 0.5),
    '',
    undefined,
    `reading ${quantile(bare, 0.5).toFixed(0)} turns/s`,
  ],
  ['  processor time of it', quantile(busy, 0.5), 'ms'],
]);
