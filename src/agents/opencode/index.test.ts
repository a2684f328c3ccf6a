// What the real program wrote, counted by hand from its rows.

import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { workbench } from '../../../test/contracts/transcript-builder.ts';
import { fillWithSample, openCodeDatabase } from '../../../test/opencode-database.ts';
import { saidOrUsed } from '../../schema/entry.ts';
import { openCode } from './index.ts';

const main = 'ses_e1e360d01ffeLEE7SpbcmoKL6C';
const fork = 'ses_e1e35d4e3ffe36yJem3tDmpzFp';
const withHelper = 'ses_e1e35c2aaffeQd4XpIwAZwEpu7';

async function withSample() {
  const bench = await workbench();
  const db = openCodeDatabase(path.join(bench.config.watchPath(openCode), 'opencode.db'));
  fillWithSample(db);
  db.close();
  const report = await bench.ingest();
  const said = async (session: string, subagents = false) =>
    (await bench.store.entries.transcript('opencode', session, { subagents })).map(
      (entry) => `${entry.role} ${entry.author}: ${saidOrUsed(entry)}`,
    );
  return { ...bench, report, said };
}

it('1.18.33: the prompts, answers and tool uses of a session', async () => {
  const { report, said, store } = await withSample();
  expect(report).toMatchObject({ files: { imported: 4, failed: 0 }, entries: { malformed: 0 }, problems: [] });
  expect(await said(main)).toEqual([
    'user person: Which port do the notes name?',
    'assistant model: I will read the file first.',
    'assistant model: used bash',
    'assistant model: used bash',
    'assistant model: The notes say that the port is 4711. The file missing.txt does not exist.',
    'user person: EDIT the port to 4712',
    'assistant model: I will add a line.',
    'assistant model: used edit',
    'assistant model: Done: the port is now 4712.',
  ]);
  const [session] = await store.sessions.find(main);
  expect(session).toMatchObject({ cwd: '/home/dev/proj', title: 'Reading the notes', entries: 9, toolUses: 3 });
});

it('1.18.33: a command that failed is a failure, although the agent calls it completed', async () => {
  const { store } = await withSample();
  const entries = await store.entries.transcript('opencode', main);
  const uses = await store.entries.toolUses(entries.map(({ id }) => id));
  expect(uses.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual(['bash ok', 'bash error', 'edit ok']);
});

it('1.18.33: a fork does not double its history, and names its origin', async () => {
  const { said, store } = await withSample();
  expect((await said(fork)).slice(-2)).toEqual([
    'user person: NOTOOLS this is the fork',
    'assistant model: Plain answer without tools.',
  ]);
  expect((await store.sessions.find(fork))[0]).toMatchObject({ forkOf: main, entries: 11 });
  const counts = await store.entries.counts();
  // 9 of the first session, 2 of the fork, 5 of the third and 5 of its subagent.
  expect(counts).toMatchObject({ entries: 21, sessions: 3 });
});

it('1.18.33: a subagent speaks in the session that it works for, and its order is not a prompt', async () => {
  const { said } = await withSample();
  expect((await said(withHelper)).filter((line) => line.startsWith('user'))).toEqual(['user person: SPAWN a helper']);
  expect((await said(withHelper, true)).filter((line) => line.startsWith('user machine'))).toEqual([
    'user machine: Helper task: which port do the notes name?',
  ]);
});

it('1.1.65: sessions in JSON files, one per part', async () => {
  const bench = await workbench();
  const fixture = path.join(import.meta.dirname, 'fixtures/1.1.65');
  fs.cpSync(fixture, bench.config.watchPath(openCode), { recursive: true });
  expect(await bench.ingest()).toMatchObject({ files: { imported: 1, failed: 0 }, problems: [] });
  const id = 'ses_e1e34b2c8ffeLKVOXkQwE1AmOy';
  const entries = await bench.store.entries.transcript('opencode', id);
  expect(entries.map(saidOrUsed)).toEqual([
    'Which port do the notes name?',
    'I will read the file first.',
    'used bash',
    'used bash',
    'The notes say that the port is 4711. The file missing.txt does not exist.',
  ]);
  expect((await bench.store.sessions.find(id))[0]).toMatchObject({ cwd: '/home/dev/proj', toolUses: 2 });
});
