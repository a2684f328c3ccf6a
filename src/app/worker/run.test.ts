import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scatter } from '../../../test/contracts/chunks.ts';
import { holding } from '../../../test/derived.ts';
import { ingest } from '../../capture/ingest.ts';
import type { LiveDeps } from '../../capture/live/hook.ts';
import { keepExtraction } from '../../distill/memory/librarian.ts';
import { openTokens } from '../../processes/access/tokens.ts';
import { startHttp } from '../../surfaces/http/server.ts';
import { type Holdfast, openHoldfast } from '../open.ts';
import { runWorker, type WorkerDeps } from './run.ts';

const session = 'bbbbbbbb-0000-4000-8000-000000000001';
let folder: string;
let file: string;
let holdfast: Holdfast;
let stop: AbortController;
let running: Promise<void> | undefined;
let logged: string[];

const line = (n: number) =>
  `${JSON.stringify({
    type: 'user',
    uuid: `20000000-0000-4000-8000-00000000000${n}`,
    parentUuid: null,
    sessionId: session,
    timestamp: `2026-03-01T10:0${n}:00.000Z`,
    cwd: '/srv/shop',
    message: { role: 'user', content: `Prompt ${n}` },
  })}\n`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-worker-run-'));
  const project = join(folder, '.claude', 'projects', '-work-shop');
  mkdirSync(project, { recursive: true });
  file = join(project, `${session}.jsonl`);
  writeFileSync(file, line(0));
  logged = [];
  stop = new AbortController();
  holdfast = await openHoldfast({ HOME: folder, HOLDFAST_POLL_INTERVAL_MS: '100' });
});
afterEach(async () => {
  stop.abort();
  await running;
  await holdfast.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a worker and resolves with its port once it is open. */
function run(port = 0): Promise<number> {
  return new Promise((resolve) => {
    const { context } = holdfast;
    const log = (text: string) => void logged.push(text);
    const listen = async (live: LiveDeps & Pick<WorkerDeps, 'store'>) => {
      const server = await startHttp({ ...live, log }, { port });
      resolve(server.port);
      return server;
    };
    running = runWorker({ ...context, scan: () => ingest(context, {}), log, listen }, stop.signal);
  });
}

const authorized = () => ({ authorization: `Bearer ${openTokens(holdfast.config.home).full}` });

describe('the worker', () => {
  it('tells live viewers about new entries, and ends their streams when it stops', async () => {
    const port = await run();
    await expect.poll(async () => (await holdfast.store.entries.counts()).entries).toBe(1);
    let appended = false;
    const response = await fetch(`http://127.0.0.1:${port}/api/events`, { headers: authorized() });
    const text = new Promise<string>((resolve) => {
      let got = '';
      void (async () => {
        for await (const part of response.body ?? []) {
          got += new TextDecoder().decode(part);
          if (appended && got.includes(`"session":"${session}","added"`)) stop.abort();
        }
        resolve(got);
      })();
    });
    appended = true;
    appendFileSync(file, line(1));
    const payload = { session_id: session, hook_event_name: 'PostToolUse', transcript_path: file };
    const body = JSON.stringify(payload);
    const headers = { ...authorized(), 'content-type': 'application/json' };
    await fetch(`http://127.0.0.1:${port}/api/hooks/claude-code`, { method: 'POST', headers, body });
    expect(await text).toContain(`"kind":"entries","agent":"claude-code","session":"${session}","added":1`);
    await running;
    await expect(fetch(`http://127.0.0.1:${port}/api/health`)).rejects.toThrow();
  });

  it('13. imports growing files, and what a hook leaves, without waiting for a poll', async () => {
    await holdfast.close();
    holdfast = await openHoldfast({ HOME: folder, HOLDFAST_POLL_INTERVAL_MS: '86400000' });
    await run();
    const { store, config } = holdfast;
    await expect.poll(async () => (await store.entries.counts()).entries).toBe(1);
    appendFileSync(file, line(1));
    await expect.poll(async () => (await store.entries.counts()).entries).toBe(2);
    const left = join(config.home, 'spool', 'claude-code.1');
    writeFileSync(
      `${left}.tmp`,
      JSON.stringify({ session_id: session, hook_event_name: 'SessionEnd', reason: 'other' }),
    );
    renameSync(`${left}.tmp`, `${left}.json`);
    const status = async () => (await store.sessions.state('claude-code', session))?.status;
    await expect.poll(status).toBe('completed');
  });

  it('merges the index of words after an import has left it in parts', async () => {
    const { store } = holdfast;
    await scatter(store);
    expect(await store.admin.isIndexScattered()).toBe(true);
    await run();
    await expect.poll(() => store.admin.isIndexScattered()).toBe(false);
    expect(logged.filter((text) => /went|error|fail/i.test(text))).toEqual([]);
  });

  it('never has two scans at once, however long one takes, and one more when requested meanwhile', async () => {
    const { context } = holdfast;
    let [now, most, all] = [0, 0, 0];
    const scan = async () => {
      all++;
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 700));
      now--;
      return ingest(context, {});
    };
    running = runWorker({ ...context, scan, log: () => {} }, stop.signal);
    await expect.poll(() => all).toBeGreaterThan(0);
    const root = join(folder, '.claude', 'projects');
    for (const name of ['a', 'b', 'c']) {
      renameSync(root, join(folder, name));
      mkdirSync(root);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    await expect.poll(() => all).toBeGreaterThan(1);
    expect(most).toBe(1);
  });

  it('continues without HTTP while a stranger has the port, says so once, and opens when it is free', async () => {
    const stranger = net.createServer();
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    const open = run(port);
    await expect.poll(async () => (await holdfast.store.entries.counts()).entries).toBe(1);
    appendFileSync(file, line(1));
    await expect.poll(async () => (await holdfast.store.entries.counts()).entries).toBe(2);
    const told = () => logged.filter((text) => text.includes(`Port ${port} is held by`));
    await expect.poll(told).toHaveLength(1);
    stranger.close();
    expect(await open).toBe(port);
    await expect.poll(() => logged.join()).toContain(`listening on http://127.0.0.1:${port}`);
  });
});

describe('memory files', () => {
  const found = async (query: string) => (await holding(holdfast.store, 'memory', query)).map(({ text }) => text);

  it('are found as soon as a person writes them, and no longer when they are gone', async () => {
    await run();
    const page = join(holdfast.config.memoryPath, 'notes', 'river.md');
    mkdirSync(join(holdfast.config.memoryPath, 'notes'), { recursive: true });
    writeFileSync(page, '# River\n\nWe saw an otter.\n');
    await expect.poll(() => found('otter')).toEqual(['We saw an otter.']);
    writeFileSync(page, '# River\n\nWe saw a beaver.\n');
    await expect.poll(() => found('beaver')).toHaveLength(1);
    expect(await found('otter')).toEqual([]);
    rmSync(page);
    await expect.poll(() => found('beaver')).toEqual([]);
  });

  it('that a crash left unwritten are written when the worker starts', async () => {
    const nothing = { episodes: [], projects: [], people: [], milestones: [], insights: [], questions: [] };
    const told = {
      agent: 'pi',
      file: 'x',
      firstPos: 0,
      session: 's',
      project: '',
      firstAt: '2026-09-14T08:00:00.000Z',
    } as const;
    const gave = { ...nothing, facts: [{ key: 'river', text: 'otters', about: 'world' as const }] };
    await keepExtraction(holdfast.context, { ...told, lastAt: told.firstAt }, gave, 'offline');
    await run();
    await expect.poll(() => found('otters')).toEqual(['river: otters']);
    expect(readFileSync(join(holdfast.config.memoryPath, 'core/facts.md'), 'utf8')).toContain('otters');
  });
});
