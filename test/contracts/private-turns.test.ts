// A wholly private turn leaves nothing in the store or the vault, wherever its words reappear.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openClients } from '../../src/capture/live/client.ts';
import { fillVault } from '../../src/capture/vault/vault.ts';
import { setSetting } from '../../src/config/config-file.ts';
import { pause } from '../../src/operations/data/pause.ts';
import { liveEvents } from '../../src/schema/live-event.ts';
import {
  answer,
  type Bench,
  type Json,
  minute,
  prompt,
  start,
  toolResult,
  toolUse,
  workbench,
} from './transcript-builder.ts';

const canary = (name: string) => `canary-${name}`;
const hidden = (name: string) => `<private>${canary(name)}</private>`;
const at = (minutes: number) => new Date(start + minutes * minute).toISOString();

/** Everything that the memory has on disk: rows, the bytes of the database, and copies of transcripts. */
function kept(bench: Bench): string {
  const files = (folder: string): string[] =>
    fs.readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
      const file = path.join(folder, one.name);
      if (one.isDirectory()) return files(file);
      const bytes = fs.readFileSync(file);
      return [(file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('latin1')];
    });
  return `${JSON.stringify(bench.rows())}\n${files(bench.config.home).join('\n')}`;
}

async function all(bench: Bench): Promise<string> {
  await bench.ingest();
  await fillVault(bench.deps, { quietMs: Number.NEGATIVE_INFINITY });
  return kept(bench);
}

const canariesIn = (text: string): string[] => [...new Set(text.match(/canary-[\w-]+/g) ?? [])].sort();
const queue = (operation: string, content: string | undefined, minutes: number): Json => ({
  type: 'queue-operation',
  operation,
  timestamp: at(minutes),
  sessionId: 's1',
  ...(content === undefined ? {} : { content }),
});
const task = (uuid: string, use: string, text: string, minutes: number): Json =>
  prompt(
    uuid,
    `<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>${use}</tool-use-id>\n<summary>${text}</summary>\n</task-notification>`,
    minutes,
  );

describe('a wholly private turn', () => {
  it('leaves nothing, and what is said before and after it stays', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      prompt('a', 'open-before', 0),
      answer('b', 'open-answer', 1),
      prompt('c', hidden('prompt'), 2),
      answer('d', [{ type: 'text', text: canary('answer') }, toolUse('t1', 'Bash', { command: canary('input') })], 3),
      toolResult('e', 't1', canary('output'), 4),
      { type: 'ai-title', aiTitle: canary('title-inside'), sessionId: 's1' },
      {
        type: 'attachment',
        uuid: 'f',
        timestamp: at(5),
        sessionId: 's1',
        attachment: { type: 'x', content: canary('attachment') },
      },
      prompt('g', 'open-after', 6),
      answer('h', 'open-end', 7),
    ]);
    const text = await all(bench);
    expect(canariesIn(text)).toEqual([]);
    for (const word of ['open-before', 'open-answer', 'open-after', 'open-end']) expect(text).toContain(word);
  });

  it('stays private where an earlier version read its beginning and stored its state in the older form', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      prompt('a', 'open-before', 0),
      { type: 'custom-title', customTitle: 'open-title', sessionId: 's1' },
      prompt('c', hidden('prompt'), 2),
    ]);
    await all(bench);
    const older = {
      ...{ '@line': start, '@session': 's1', '@of': 's1', '@title': 'open-title', '@titleBy': 'person', '@at': start },
      ...{ '@entry': 0, '@private': 's1', '@turns': `${start + 2 * minute}-` },
    };
    const db = new Database(bench.config.databasePath);
    for (const table of ['files', 'vault_copies'])
      expect(db.prepare(`UPDATE ${table} SET state = ?`).run(JSON.stringify(older)).changes).toBe(1);
    db.close();
    bench.append('p/s1.jsonl', answer('d', canary('answer'), 3), prompt('g', 'open-after', 6));
    const text = await all(bench);
    expect(canariesIn(text)).toEqual([]);
    for (const word of ['open-before', 'open-after']) expect(text).toContain(word);
    expect((await bench.state('p/s1.jsonl'))?.state).toMatchObject({
      version: 1,
      capture: { title: 'open-title', privateTurns: [{ from: start + 2 * minute, until: start + 6 * minute }] },
    });
  });

  it('is not revealed by what comes later: a compaction, a name, the report of a task', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      prompt('a', 'open-before', 0),
      { type: 'ai-title', aiTitle: 'open-title', sessionId: 's1' },
      prompt('c', hidden('prompt'), 2),
      answer('d', [toolUse('t1', 'Task', { prompt: canary('task'), run_in_background: true })], 3),
      prompt('g', 'open-after', 6),
      answer('h', 'open-end', 7),
      { type: 'ai-title', aiTitle: canary('later-title'), sessionId: 's1' },
      { type: 'ai-title', aiTitle: 'open-title', sessionId: 's1' },
      prompt('i', `This session is being continued: ${canary('compaction')}`, 8, { isCompactSummary: true }),
      queue(
        'enqueue',
        `<task-notification><tool-use-id>t1</tool-use-id>${canary('queued-report')}</task-notification>`,
        9,
      ),
      task('j', 't1', canary('report'), 9),
      answer('k', canary('answer-to-the-report'), 10),
      prompt('l', 'open-again', 11),
      answer('m', [toolUse('t2', 'Bash', { command: 'make' })], 12),
      task('n', 't2', 'open-report', 13),
      answer('o', 'open-last', 14),
    ]);
    const text = await all(bench);
    expect(canariesIn(text)).toEqual([]);
    for (const word of ['open-title', 'open-end', 'open-again', 'open-report', 'open-last'])
      expect(text).toContain(word);
  });

  it('is not revealed by lists of files and tasks that the client writes later', async () => {
    const bench = await workbench();
    const listed = (uuid: string, type: string): Json => ({
      ...{ type: 'attachment', uuid, parentUuid: 'g', timestamp: at(7), sessionId: 's1' },
      attachment: { type, content: [{ content: canary(type), status: 'pending' }], filename: canary('name') },
    });
    bench.write('p/s1.jsonl', [
      prompt('a', 'open-before', 0),
      prompt('c', hidden('prompt'), 2),
      answer('d', [toolUse('t1', 'Write', { file_path: `/srv/${canary('file')}` })], 3),
      prompt('g', 'open-after', 6),
      {
        ...{ type: 'file-history-snapshot', messageId: 'g', isSnapshotUpdate: true },
        snapshot: { trackedFileBackups: { [`/srv/${canary('file')}`]: { backupFileName: 'x@v1' } } },
      },
      { type: 'task-summary', summary: canary('task-summary'), sessionId: 's1', timestamp: at(7) },
      {
        type: 'system',
        subtype: 'away_summary',
        content: canary('away'),
        uuid: 's',
        sessionId: 's1',
        timestamp: at(7),
      },
      toolResult('late', 't1', canary('late-result'), 7, { toolUseResult: { stdout: canary('late') } }),
      {
        type: 'attachment',
        uuid: 'hook',
        sessionId: 's1',
        attachment: { type: 'hook_success', toolUseID: 't1', stdout: canary('hook') },
      },
      ...['todo_reminder', 'task_status', 'edited_text_file'].map((type, i) => listed(`h${i}`, type)),
      listed('i', 'nested_memory'),
      answer('j', 'open-end', 8),
    ]);
    const text = await all(bench);
    expect(canariesIn(text)).toEqual(['canary-name', 'canary-nested_memory']);
    for (const word of ['open-before', 'open-after', 'open-end']) expect(text).toContain(word);
  });

  it('may be typed while the agent works; a prompt typed in the middle does not end it', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      prompt('a', 'open-before', 0),
      queue('enqueue', hidden('queued'), 1),
      queue('remove', undefined, 2),
      answer('b', canary('answer'), 3),
      queue('enqueue', 'open-queued', 4),
      answer('c', canary('still'), 5),
      queue('dequeue', undefined, 6),
      prompt('d', 'open-queued', 6),
      answer('e', 'open-end', 7),
    ]);
    const text = await all(bench);
    expect(canariesIn(text)).toEqual([]);
    for (const word of ['open-before', 'open-queued', 'open-end']) expect(text).toContain(word);
  });

  const subagentKeys = [
    'p/agent-x1.jsonl',
    'q/agent-x1.jsonl',
    'p/s1/subagents/agent-x1.jsonl',
    'p/s1/subagents/workflows/w1/agent-x1.jsonl',
  ];
  it.each(subagentKeys)('covers a subagent whose transcript appears later, alone: %s', async (key) => {
    const bench = await workbench();
    const work = { isSidechain: true, agentId: 'x1' };
    bench.write('p/s1.jsonl', [
      prompt('a', hidden('prompt'), 0),
      answer('b', canary('answer'), 1),
      prompt('c', 'open', 10),
    ]);
    await bench.ingest();
    bench.write(key, [prompt('x', canary('task'), 2, work), answer('y', canary('result'), 3, work)]);
    await bench.take(key);
    expect(canariesIn(await all(bench))).toEqual([]);
  });

  it.each(subagentKeys)('covers what its subagents did: %s', async (key) => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      prompt('a', hidden('prompt'), 0),
      answer('b', canary('answer'), 1),
      prompt('c', 'open', 10),
    ]);
    bench.write(key, [
      prompt('x', canary('task'), 2, { isSidechain: true, agentId: 'x1' }),
      answer('y', canary('result'), 3, { isSidechain: true, agentId: 'x1' }),
    ]);
    const text = await all(bench);
    expect(canariesIn(text)).toEqual([]);
    expect(text).toContain('open');
  });

  it.each([
    ['beside a command', `<command-name>/review</command-name><command-args>${hidden('x')}</command-args>`],
    [
      'beside a picture',
      [
        { type: 'text', text: '[Image #1]' },
        { type: 'text', text: hidden('x') },
      ],
    ],
    [
      'beside a document',
      [
        {
          type: 'document',
          title: canary('title'),
          source: { type: 'text', media_type: 'text/plain', data: canary('y') },
        },
        { type: 'text', text: hidden('x') },
      ],
    ],
    [
      'over two blocks',
      [
        { type: 'text', text: `<private>${canary('x')}` },
        { type: 'text', text: `${canary('y')}</private>` },
      ],
    ],
    ['with entities', `&lt;private&gt;${canary('x')}&lt;/private&gt;`],
    ['with escapes', `\\u003cprivate\\u003e${canary('x')}\\u003c/private\\u003e`],
    ['with an attribute that holds a bracket', `<private a="<b>">${canary('x')}</private>`],
    ['with a long tag', `<private note="${'n'.repeat(5000)}">${canary('x')}</private>`],
    ['with unseen letters', `<pri\u200bvate>${canary('x')}</private>`],
  ])('is recognised %s', async (_, content) => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      prompt('a', 'open', 0),
      prompt('c', '', 2, { message: { role: 'user', content } }),
      answer('d', canary('answer'), 3),
    ]);
    const text = await all(bench);
    expect(canariesIn(text)).toEqual([]);
    expect(text).toContain('open');
  });
});

describe('a passage', () => {
  it('over two blocks is removed from the copy of a transcript too', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', [
      prompt('c', '', 2, {
        message: {
          role: 'user',
          content: [
            { type: 'text', text: `open-one <private>${canary('x')}` },
            { type: 'text', text: `${canary('y')}</private> open-two` },
          ],
        },
      }),
    ]);
    const text = await all(bench);
    expect(canariesIn(text)).toEqual([]);
    expect(text).toContain('open-one');
    expect(text).toContain('open-two');
  });
});

describe('clients', () => {
  const clients = (bench: Bench) =>
    openClients({ ...bench.deps, events: liveEvents(bench.deps.clock), wake: () => {} });

  it('whose folder is ignored stay so after the worker restarts', async () => {
    const bench = await workbench();
    setSetting(bench.config, 'ignore', '/srv/acme');
    const first = clients(bench);
    await first.init({ sessionId: 'c1', cwd: '/srv/acme', userPrompt: canary('a') });
    const store = await bench.open();
    const again = openClients({ ...bench.onto(store).deps, events: liveEvents(bench.deps.clock), wake: () => {} });
    expect(await again.observe({ sessionId: 'c1', tool_name: 'X', tool_input: { a: canary('b') } })).toEqual({
      stored: false,
    });
    await again.summarize({ sessionId: 'c1', last_assistant_message: canary('c') });
    await again.complete({ sessionId: 'c1', reason: canary('d') });
    expect(canariesIn(await all(bench))).toEqual([]);
  });

  it('are in a private turn that another worker was told of', async () => {
    const bench = await workbench();
    await clients(bench).init({ sessionId: 'c1', cwd: '/srv/x', userPrompt: hidden('a') });
    const store = await bench.open();
    const again = openClients({ ...bench.onto(store).deps, events: liveEvents(bench.deps.clock), wake: () => {} });
    expect(await again.observe({ sessionId: 'c1', tool_name: 'X', tool_input: { a: canary('b') } })).toEqual({
      stored: false,
    });
    await again.summarize({ sessionId: 'c1', last_assistant_message: canary('c') });
    expect(canariesIn(await all(bench))).toEqual([]);
  });
});

describe('a pause', () => {
  it('covers lines without a time', async () => {
    const bench = await workbench();
    const deps = { ...bench.deps, clock: () => Date.now() - minute };
    await pause.run({ ...bench.deps, ...deps } as never, {} as never);
    const { timestamp: _, ...untimed } = prompt('a', canary('untimed'), 0);
    bench.write('p/s1.jsonl', [untimed]);
    expect(canariesIn(await all(bench))).toEqual([]);
  });
});
