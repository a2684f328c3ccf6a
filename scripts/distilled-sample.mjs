// node scripts/distilled-sample.mjs <folder of transcripts>: writes docs/distilled-sample.md, what the offline distiller says about ten
// sessions.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { distillSession } from '../dist/distill/offline/session.js';
import { ingest, openHoldfast } from '../dist/index.js';

const target = fileURLToPath(new URL('../docs/distilled-sample.md', import.meta.url));
const [folder] = process.argv.slice(2);
if (!folder || !fs.existsSync(folder)) {
  console.error('Name a folder of transcripts.');
  process.exit(2);
}
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-sample-'));
process.on('exit', () => fs.rmSync(home, { recursive: true, force: true }));
const { context, store, close } = await openHoldfast({ HOME: home, HOLDFAST_HOME: path.join(home, 'data') });
await ingest(context, { dir: path.resolve(folder) });

const told = [];
for (const { agent, id, project } of await store.sessions.list({})) {
  const { observations, summary } = await distillSession(store, { agent, session: id });
  if (summary) told.push({ id, project, observations, summary });
}
await close();

const wanted = 10;
const chosen = told.filter(
  (_, i) => Math.floor((i * wanted) / told.length) !== Math.floor(((i - 1) * wanted) / told.length),
);
const short = (text, max) => (text.length <= max ? text : `${text.slice(0, max).replace(/\s+\S*$/, '')} …`);
const part = (name, text, max = 420) => (text === '' ? [] : [`- **${name}**: ${short(text, max)}`]);
const mostTitles = 8;

const sections = chosen.map(({ id, project, observations, summary }) => {
  const titles = observations.slice(0, mostTitles).map(({ type, title }) => `  - ${type}: ${title}`);
  const more = observations.length - titles.length;
  return [
    `## ${summary.title}`,
    `${project}, session ${id.slice(0, 8)}`,
    '',
    ...part('Request', summary.request),
    ...part('Investigated', summary.investigated, 260),
    ...part('Learned', summary.learned),
    ...part('Completed', summary.completed),
    ...part('Next steps', summary.nextSteps),
    ...part('Notes', summary.notes, 260),
    `- **Observations**:`,
    ...titles,
    ...(more > 0 ? [`  - … and ${more} more`] : []),
  ].join('\n');
});
fs.writeFileSync(
  target,
  `# What the offline distiller says

${chosen.length} of ${told.length} sessions of coding agents (public transcripts, MIT), distilled without a model. Made by \`node scripts/distilled-sample.mjs <transcripts>\`;
long parts are cut here.

${sections.join('\n\n')}
`,
);
console.log(`${target}: ${chosen.length} of ${told.length} sessions`);
