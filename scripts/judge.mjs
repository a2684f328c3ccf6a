// npm run bench:distill: distills real sessions offline and prints samples for a person to judge, one JSON object per line, with fields for
// a verdict. `-- --score FILE` counts a file with filled-in verdicts.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { codingArchive, shared } from '../bench/corpus.mjs';

const { values } = parseArgs({
  options: {
    transcripts: { type: 'string' },
    seed: { type: 'string', default: '1' },
    size: { type: 'string', default: '40' },
    score: { type: 'string' },
  },
});
const verdicts = {
  statement: ['true', 'durable', 'selfContained', 'useful'],
  title: ['good'],
  open: ['right'],
  insight: ['good'],
  briefing: ['wasted'],
};

if (values.score === undefined) await printSamples();
else score(values.score);

async function printSamples() {
  const { briefing, ingest, openHoldfast, operations } = await import('../dist/index.js');
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-judge-'));
  const projects = path.join(folder, 'claude', 'projects');
  mkdirSync(projects, { recursive: true });
  for (const source of sources(folder)) cpSync(source, projects, { recursive: true });
  const env = {
    HOLDFAST_HOME: path.join(folder, 'home'),
    CLAUDE_CONFIG_DIR: path.join(folder, 'claude'),
    HOME: folder,
  };
  const { context, store, close } = await openHoldfast(env);
  try {
    await ingest(context, {});
    await operations
      .find(({ name }) => name === 'process')
      .run(context, { all: true, again: false, due: false, dryRun: false });
    const memories = await store.memory.list({});
    const summaries = await store.distilled.summaries({ limit: 100_000 });
    print(
      'statement',
      memories.filter(({ page }) => /^(?:core|projects)\//.test(page)),
      ({ page, text, session, saidBy }) => ({ page, text, session, saidBy }),
    );
    print(
      'insight',
      memories.filter(({ page }) => page.startsWith('insights/')),
      ({ page, text, session }) => ({ page, text, session }),
    );
    const known = new Map();
    for (const { agent, session } of summaries) known.set(session, await sourceOf(store, agent, session));
    print('title', summaries, ({ session, title }) => ({ session, title, ...known.get(session) }));
    const open = summaries.flatMap(({ session, nextSteps, notes }) =>
      [nextSteps, notes].filter((text) => text !== '').map((text) => ({ session, text })),
    );
    print('open', open, ({ session, text }) => ({ session, text, ended: known.get(session)?.ended }));
    const told = (await store.projects.list()).filter(({ sessions }) => sessions >= 3);
    const texts = new Map();
    for (const { path: at } of told) texts.set(at, (await briefing(context, { project: { path: at } })).text);
    print(
      'briefing',
      told,
      ({ path: at }) => ({ project: at, characters: texts.get(at).length, text: texts.get(at) }),
      5,
    );
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The named folder, else the archives of real sessions, else the sample of this repository. */
function sources(folder) {
  if (values.transcripts !== undefined) return [values.transcripts];
  const archives = ['real-transcripts', 'coding-sessions'].filter((name) =>
    existsSync(path.join(shared, `${name}.tar.gz`)),
  );
  if (archives.length === 0) return [fileURLToPath(new URL('../demo/claude-code/projects', import.meta.url))];
  return archives.map((name) => path.join(codingArchive(name, path.join(folder, name)), 'projects'));
}

async function sourceOf(store, agent, session) {
  const turns = (await store.entries.turns(agent, session))?.turns ?? [];
  const said = turns.flatMap(({ entries }) => entries);
  const prompts = said.filter(({ author }) => author === 'person').map(({ text }) => text.slice(0, 300));
  const answer = said.findLast(({ author, text }) => author === 'model' && !text.startsWith('[Used tools'));
  return { prompts: [...prompts.slice(0, 3), ...prompts.slice(3).slice(-1)], ended: answer?.text.slice(0, 600) };
}

/** The same sample for the same seed, whatever the order of the rows. */
function print(kind, rows, shown, most = Number(values.size)) {
  const place = (row) =>
    createHash('sha256')
      .update(`${values.seed} ${JSON.stringify(shown(row))}`)
      .digest('hex');
  const keyed = rows.map((row) => [place(row), row]).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, row] of keyed.slice(0, most))
    console.log(
      JSON.stringify({ kind, ...shown(row), ...Object.fromEntries(verdicts[kind].map((name) => [name, null])) }),
    );
}

/** 1 yes, 0.5 partly, 0 no; of a briefing, the wasted share of its characters. Lines without a verdict do not count. */
function score(file) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
  for (const [kind, names] of Object.entries(verdicts)) {
    const judged = lines.filter((line) => line.kind === kind && names.every((name) => typeof line[name] === 'number'));
    if (judged.length === 0) continue;
    const mean = (of) => (judged.reduce((sum, line) => sum + of(line), 0) / judged.length).toFixed(2);
    const figures = names.map((name) => `${name} ${mean((line) => line[name])}`);
    if (kind !== 'briefing') {
      figures.push(`all yes ${mean((line) => Number(names.every((name) => line[name] === 1)))}`);
      figures.push(`at least partly ${mean((line) => Number(names.every((name) => line[name] >= 0.5)))}`);
    }
    console.log(`${kind.padEnd(10)} ${String(judged.length).padStart(4)} judged  ${figures.join('  ')}`);
  }
}
