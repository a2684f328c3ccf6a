// The first run: imports what is there, says what was found and what to try, then stays as the worker.
import { existsSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { z } from 'zod';
import type { Agent } from '../../agents/agent.ts';
import { agents } from '../../agents/index.ts';
import { type Config, demoEnvironment, ensureHome, loadConfig } from '../../config/config.ts';
import { setSetting } from '../../config/config-file.ts';
import { packageRoot, program } from '../../package.ts';
import { parseKeywords } from '../../recall/question/keywords.ts';
import type { IngestReport } from '../../schema/ingest-report.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { programsOf } from '../programs.ts';

export const start = operation({
  name: 'start',
  ending: 'timed',
  summary: 'Import every transcript on this machine, then watch for new ones until Ctrl+C',
  input: z.object({
    demo: z.boolean().default(false).describe('use a small sample, in a separate data folder (~/.holdfast-demo)'),
  }),
  output: z.object({ stopped: z.boolean() }),
  surfaces: ['cli'],
  examples: ['holdfast start', 'holdfast start --demo'],
  withoutStore: true,
  async run(context: Context<never>, { demo }) {
    const programs = programsOf(context);
    const env = demo ? demoEnvironment() : undefined;
    if (demo) prepareDemo(loadConfig(env));
    const { progress, signal, say } = context;
    // A separate connection: what it reads to count everything would stay in the worker's memory for weeks.
    const first = await programs.open(env);
    try {
      const { ingestApart } = await import('../../processes/apart.ts');
      const report = await ingestApart({ ...first.context, progress, signal });
      for (const line of await welcome(first.context, report, demo)) say?.(line);
    } finally {
      await first.close();
    }
    const opened = await programs.open(env);
    try {
      const own: Context = { ...opened.context, progress, signal, say };
      await programs.worker(own);
      return { stopped: true };
    } finally {
      await opened.close();
    }
  },
});

/** Saves the sample's folders as settings of the demo home, so that every later command there sees the same. */
function prepareDemo(config: Config): void {
  const sample = (agent: Agent) => join(packageRoot, 'demo', agent.name);
  const shown = agents.filter((agent) => existsSync(sample(agent)));
  // The sample of this installation or of another one.
  const isSample = (agent: Agent) => config.watchPath(agent).includes(`${sep}demo${sep}${agent.name}${sep}`);
  if (existsSync(config.databasePath) && !shown.every(isSample))
    throw new HoldfastError('CONFLICT', `${config.home} holds your own memory; the sample must not mix with it`, {
      hint: 'Unset HOLDFAST_HOME, or set it to an empty folder, and try again.',
    });
  ensureHome(config);
  for (const agent of shown) {
    const folder = join(sample(agent), basename(config.watchPath(agent)));
    setSetting(config, `agents.${agent.name}.watchPath`, folder);
  }
}

async function welcome(
  { config, store }: { config: Config; store: Pick<Store, 'entries' | 'sessions'> },
  { files, entries, problems, seconds }: IngestReport,
  demo: boolean,
): Promise<string[]> {
  const command = (demo ? `HOLDFAST_HOME=${config.home} ` : '') + program();
  if (files.seen === 0) {
    const places = agents.filter((agent) => config.enabled(agent)).map((agent) => `  ${config.watchPath(agent)}`);
    return [
      'No transcripts were found. Holdfast looked in',
      ...places,
      '',
      `To see what it does with a small sample: ${program() === 'bin/holdfast' ? 'npm start -- --demo' : `${program()} start --demo`}`,
      '',
    ];
  }
  const counts = await store.entries.counts();
  const [newest] = await store.sessions.list({ limit: 1 });
  const words = parseKeywords(newest?.title ?? '').terms.map((term) => term.words.join(' '));
  const query = words.slice(0, 3).join(' ') || 'error';
  return [
    `Imported ${entries.added} entries from ${files.imported} transcripts in ${seconds.toFixed(1)} s.${
      files.skipped > 0 ? ` ${files.skipped} more are empty or hold nothing new.` : ''
    }`,
    `Holdfast now knows ${counts.entries} entries of ${counts.sessions} sessions in ${counts.projects} projects.`,
    ...problems.slice(0, 5).map(({ message }) => `  ! ${message}`),
    '',
    'Worth trying:',
    `  ${command} search ${query}`,
    `  ${command} projects`,
    ...(newest ? [`  ${command} show ${newest.id.slice(0, 13)}`] : []),
    '',
  ];
}
