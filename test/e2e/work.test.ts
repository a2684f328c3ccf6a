// What the worker does in the background is visible while it does it: in `status`, and in the viewer.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { holdfast, killAll, program, until } from './holdfast.ts';
import { noTmux, screen } from './screen.ts';
import { noBrowser, type ViewerStand, viewerStand } from './viewer-stand.ts';

const why = noBrowser ?? noTmux;
const phases = ['importing', 'embedding', 'distilling'] as const;

describe.skipIf(why)(because('a person who watches the first import', why), () => {
  let stand: ViewerStand;
  let holds: string;
  const held = (phase: (typeof phases)[number]) => path.join(holds, phase);
  const pidOf = (phase: (typeof phases)[number]) => Number(readFileSync(held(phase), 'utf8'));
  const isHeld = (phase: (typeof phases)[number]) =>
    until(() => existsSync(held(phase)) && readFileSync(held(phase), 'utf8') !== '', phase);

  /** Holdfast is not installed into an agent here, so `status` ends with 1. */
  const workNow = async (): Promise<unknown> => JSON.parse((await holdfast(stand.env, 'status', '--json')).stdout).work;

  beforeAll(async () => {
    const preload = pathToFileURL(path.join(import.meta.dirname, 'held-work.mjs')).href;
    stand = await viewerStand({
      env: {
        NODE_OPTIONS: `--import=${preload}`,
        HOLDFAST_DISTILL_AUTO: 'true',
        // A large import with the default embedder brings vectors along, without a phase of its own.
        HOLDFAST_EMBEDDING_KIND: 'static',
        HOLDFAST_MIN_CONVERSATION_MESSAGES: '1',
      },
    });
    holds = path.join(stand.folder, 'held');
    stand.env.HELD_WORK = holds;
    mkdirSync(holds);
    writeSessions(stand.claude);
    await stand.startWorker();
  });
  afterAll(async () => {
    // A stopped process does not end with its parent.
    killAll(phases.filter((phase) => existsSync(held(phase))).map(pidOf));
    await stand?.close();
  });

  it('sees importing, embedding and distilling with their progress, in the terminal and in Now', async () => {
    const page = await stand.page();
    const bins = [path.dirname(program), stand.env.PATH];
    const terminal = await screen({ ...stand.env, PATH: bins.join(':'), TERM: 'screen-256color' }, 110, 50);
    const inProgress = page.getByRole('list', { name: 'In progress' }).getByRole('listitem');

    await isHeld('importing');
    await inProgress.filter({ hasText: /^Importing\d+ of \d+ transcripts, \d+ %/ }).waitFor();
    const share = await inProgress.getByRole('progressbar', { name: 'Importing' }).getAttribute('value');
    expect(Number(share)).toBeGreaterThan(0);
    expect(Number(share)).toBeLessThan(1);
    await terminal.clear();
    terminal.run('holdfast status');
    await terminal.sees(/^⟳ [█░]{20} Importing: \d+ of \d+ transcripts, \d+ %/m);
    expect(await workNow()).toMatchObject([{ kind: 'import', total: sessions }]);
    // On every other page, the way to it shows that something runs.
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('link', { name: /^Now.*Holdfast is processing$/ }).click();
    await inProgress.filter({ hasText: 'Importing' }).waitFor();

    process.kill(pidOf('importing'), 'SIGCONT');
    await isHeld('embedding');
    await inProgress.filter({ hasText: /^Preparing search by meaning[\d,]+ of [\d,]+ texts, \d+ %/ }).waitFor();
    await terminal.clear();
    terminal.run('holdfast status');
    await terminal.sees(/^⟳ [█░]{20} Preparing search by meaning: [\d,]+ of [\d,]+ texts, \d+ %/m);

    process.kill(pidOf('embedding'), 'SIGCONT');
    await isHeld('distilling');
    await inProgress.filter({ hasText: /^Distilling[\d,]+ of [\d,]+ jobs, \d+ %/ }).waitFor();
    await terminal.clear();
    terminal.run('holdfast status');
    await terminal.sees(/^⟳ [█░]{20} Distilling: [\d,]+ of [\d,]+ jobs, \d+ %/m);

    process.kill(pidOf('distilling'), 'SIGCONT');
    await inProgress.filter({ hasText: 'Distilling' }).waitFor({ state: 'detached' });
    // Without a worker, status says what it knows.
    await stand.stopWorker();
    expect(await workNow()).toEqual([]);
    expect(stand.troubles).toEqual([]);
  });
});

const sessions = 20;
const turnsOfEach = 5;

/** More than one batch of an import, so that the first report is not the last. */
function writeSessions(folder: string): void {
  const project = path.join(folder, '-srv-harbour');
  mkdirSync(project, { recursive: true });
  const idOf = (session: number, line: number) =>
    `aaaaaaaa-${String(session).padStart(4, '0')}-4000-8000-${String(line).padStart(12, '0')}`;
  for (let session = 0; session < sessions; session++) {
    const lines = Array.from({ length: 2 * turnsOfEach }, (_, i) => {
      const role = i % 2 === 0 ? 'user' : 'assistant';
      const text = `${role === 'user' ? 'Paint' : 'Painted'} boat ${session}-${i}. ${'The hull, the mast and the oars. '.repeat(800)}`;
      return JSON.stringify({
        type: role,
        uuid: idOf(session, i),
        parentUuid: i === 0 ? null : idOf(session, i - 1),
        sessionId: idOf(session, 999_999),
        timestamp: new Date(Date.parse('2026-01-01T08:00:00Z') + session * 86_400_000 + i * 1000).toISOString(),
        cwd: '/srv/harbour',
        message: { role, content: role === 'user' ? text : [{ type: 'text', text }] },
      });
    });
    writeFileSync(path.join(project, `${idOf(session, 999_999)}.jsonl`), `${lines.join('\n')}\n`);
  }
}
