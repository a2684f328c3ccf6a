// After an update, Holdfast rereads transcripts that an older version of the reader has read, and loses nothing that a person has.
import fs from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { rereading } from '../../src/app/worker/rereading.ts';
import { conversationRules } from '../../src/capture/conversation-rules.ts';
import { readBatches, stateKey } from '../../src/capture/reader.ts';
import { staleTranscripts } from '../../src/capture/reread.ts';
import { fillVault } from '../../src/capture/vault/vault.ts';
import type { IngestReport } from '../../src/schema/ingest-report.ts';
import { tombstone } from '../../src/store/removal/tombstone.ts';
import {
  answer,
  type Bench,
  differences,
  type Json,
  prompt,
  start,
  toolResult,
  toolUse,
  workbench,
} from './transcript-builder.ts';

const key = 'p/s1.jsonl';
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
const queued = (operation: string, minutes: number, content?: string): Json => ({
  type: 'queue-operation',
  operation,
  timestamp: at(minutes),
  sessionId: 's1',
  ...(content === undefined ? {} : { content }),
});

/** Has a prompt from the queue, an answer to a question, a branch, a pull request and a title. An older reader took none of these. */
const lines: Json[] = [
  prompt('p1', 'first', 0, { cwd: '/w', gitBranch: 'harbour' }),
  answer('a1', [toolUse('t1', 'Bash', { command: 'ls' })], 1),
  queued('enqueue', 2, 'mind the buoy'),
  queued('remove', 5),
  toolResult('r1', 't1', 'files', 6),
  answer('a2', 'done', 7),
  {
    type: 'pr-link',
    sessionId: 's1',
    prUrl: 'https://example.org/pull/7',
    prNumber: 7,
    prRepository: 'o/r',
    timestamp: at(8),
  },
  { type: 'summary', summary: 'The buoy', leafUuid: 'a2' },
  prompt('p2', '<command-name>/review</command-name>\n<command-args>the pier</command-args>', 9),
  answer('a3', 'reviewed', 10),
];

const onDatabase = (bench: Bench, sql: string): void => {
  const db = new Database(bench.config.databasePath);
  db.exec(sql);
  db.close();
};

/** As an older version left it: the file is read to its end, without what only a newer reader finds. */
const asOlder = (bench: Bench): void =>
  onDatabase(
    bench,
    `UPDATE files SET reader = 0;
     DELETE FROM entries_fts WHERE rowid IN (SELECT id FROM entries WHERE text IN ('mind the buoy') OR form IS NOT NULL);
     DELETE FROM entries WHERE text IN ('mind the buoy') OR form IS NOT NULL;
     DELETE FROM session_facts; UPDATE file_sessions SET title = NULL, title_by = NULL; UPDATE sessions SET title = NULL`,
  );

const isStale = async (bench: Bench): Promise<number> => (await staleTranscripts(bench.deps)).length;

async function read(parts: readonly Json[] = lines): Promise<Bench> {
  const bench = await workbench();
  bench.write(key, parts);
  await bench.ingest();
  return bench;
}

describe('a store of an older version', () => {
  it('equals a fresh import once its transcripts are reread, and is not read a third time', async () => {
    const bench = await read();
    const rows = bench.rows();
    expect(await bench.texts()).toContain('mind the buoy');
    asOlder(bench);
    expect(await bench.texts()).not.toContain('mind the buoy');
    // An ordinary pass has nothing to do.
    expect((await bench.ingest()).files).toMatchObject({ imported: 0, skipped: 1 });
    expect(await isStale(bench)).toBe(1);
    expect((await bench.ingest({ renew: true })).files).toMatchObject({ seen: 1, imported: 1, failed: 0 });
    expect(differences(bench.rows(), rows)).toEqual([]);
    expect(await isStale(bench)).toBe(0);
    expect((await bench.ingest({ renew: true })).files.seen).toBe(0);
  });

  it('keeps the ids of its entries, and does not mark as gone what the newer reader does not find', async () => {
    const bench = await read();
    onDatabase(bench, "UPDATE files SET reader = 0; UPDATE entries SET uuid = 'by-an-older-rule' WHERE uuid = 'a2'");
    const ids = () => {
      const db = new Database(bench.config.databasePath, { readonly: true });
      const all = db.prepare("SELECT uuid, id FROM entries WHERE uuid <> 'a2' ORDER BY id").all();
      db.close();
      return all;
    };
    const before = ids();
    await bench.ingest({ renew: true });
    expect(ids()).toEqual(before);
    expect((await bench.store.entries.counts()).goneEntries).toBe(0);
  });

  it('is reread from the vault if the transcript is gone, and the copy stays the copy of that transcript', async () => {
    const bench = await read();
    const texts = await bench.texts();
    expect(await fillVault(bench.deps, { quietMs: Number.NEGATIVE_INFINITY })).toMatchObject({ grown: 1 });
    asOlder(bench);
    const file = `${bench.root}/${key}`;
    const bytes = fs.readFileSync(file);
    fs.rmSync(file);
    expect((await bench.ingest({ renew: true })).files).toMatchObject({ imported: 1, failed: 0 });
    expect(await bench.texts()).toEqual(texts);
    expect(await bench.store.entries.counts()).toMatchObject({ files: 1, goneEntries: 0 });
    expect(await isStale(bench)).toBe(0);
    expect(await bench.store.vault.due()).toEqual([]);
    expect(fs.readdirSync(bench.config.home).filter((name) => name.startsWith('rereading'))).toEqual([]);
    // The transcript is restored, as `resume` or a person does it, and continues.
    fs.writeFileSync(file, bytes);
    bench.append(key, prompt('p3', 'and now?', 11));
    await bench.ingest();
    expect(await bench.texts()).toEqual([...texts, 'and now?']);
    expect(await bench.store.entries.counts()).toMatchObject({ files: 1, goneEntries: 0 });
  });

  it('stays unchanged if the vault has only part of the transcript, or none of it', async () => {
    const bench = await read();
    await fillVault(bench.deps, { quietMs: Number.NEGATIVE_INFINITY });
    bench.append(key, prompt('p3', 'after the copy', 11));
    await bench.ingest();
    asOlder(bench);
    fs.rmSync(`${bench.root}/${key}`);
    const rows = bench.rows();
    expect(await isStale(bench)).toBe(0);
    await bench.ingest({ renew: true });
    expect(differences(bench.rows(), rows)).toEqual([]);
  });

  it('leaves a transcript alone that was rewritten since', async () => {
    const bench = await read();
    asOlder(bench);
    bench.write(key, [prompt('x1', 'another one altogether', 0), ...lines]);
    expect(await isStale(bench)).toBe(0);
  });

  it('leaves an archived conversation archived, with what was found in its middle', async () => {
    const bench = await read();
    asOlder(bench);
    onDatabase(bench, "UPDATE conversations SET status = 'archived'");
    await bench.ingest({ renew: true });
    const db = new Database(bench.config.databasePath, { readonly: true });
    const found = db
      .prepare(
        'SELECT c.status, c.entries, count(*) AS held FROM conversations c JOIN entries e ON e.conversation_id = c.id GROUP BY c.id',
      )
      .all();
    db.close();
    expect(found).toEqual([{ status: 'archived', entries: 6, held: 6 }]);
  });

  it('keeps out what a person has forgotten', async () => {
    const bench = await read();
    const db = new Database(bench.config.databasePath, { readonly: true });
    const uuid = db.prepare("SELECT uuid FROM entries WHERE text = 'mind the buoy'").pluck().get() as string;
    db.close();
    asOlder(bench);
    for (const print of [tombstone.entry('claude-code', uuid), tombstone.file('claude-code', key)])
      onDatabase(bench, `INSERT INTO tombstones (print, at) VALUES ('${print}', 0)`);
    await bench.ingest({ renew: true });
    expect(await isStale(bench)).toBe(0);
    expect(await bench.texts()).not.toContain('mind the buoy');
    expect(await bench.texts()).toContain('/review the pier');
  });
});

it('a reread that another process has overtaken writes nothing', async () => {
  const bench = await read();
  asOlder(bench);
  const [stale] = await staleTranscripts(bench.deps);
  const source = stale !== undefined && 'source' in stale ? stale.source : undefined;
  const state = await bench.state(key);
  if (source === undefined || state === undefined) throw new Error('it is not stale');
  const states = new Map([[stateKey('claude-code', key), state]]);
  const readings = [
    ...readBatches({ sources: [source], states, reimport: false, renew: true, home: bench.config.home }),
  ];
  const chunks = readings.flat().flatMap(({ chunk }) => (chunk === undefined ? [] : [chunk]));
  bench.append(key, prompt('p3', 'meanwhile', 11));
  await bench.ingest();
  const rows = bench.rows();
  const rules = conversationRules(bench.config.settings);
  expect(await bench.store.transcripts.commit(chunks, rules)).toEqual([{ stale: true, added: 0 }]);
  expect(differences(bench.rows(), rows)).toEqual([]);
  await bench.ingest({ renew: true });
  expect(await bench.texts()).toEqual(expect.arrayContaining(['mind the buoy', 'meanwhile']));
});

it('the worker rereads part after part until nothing is left, and rests if a part makes no progress', async () => {
  const bench = await read();
  asOlder(bench);
  const log: string[] = [];
  const parts: number[] = [];
  const during = new AbortController();
  const wakeWith = async (reread: () => Promise<IngestReport>) => {
    const rereads = rereading({ ...bench.deps, log: (line) => log.push(line), reread }, during.signal, (added) =>
      parts.push(added),
    );
    rereads.wake();
    await rereads.idle();
    rereads.wake();
    await rereads.idle();
  };
  await wakeWith(() => bench.ingest());
  expect(parts, 'one part that did nothing').toEqual([0]);
  expect(log).toEqual([]);
  await wakeWith(() => bench.ingest({ renew: true }));
  expect(parts).toEqual([0, 2]);
  expect(log).toEqual(['read 1 transcript again that an older version had read']);
});
