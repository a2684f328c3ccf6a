// Statements 14–17, 19 and 20 of the promise to transcripts: which lines become entries, and whose they are.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { search } from '../../src/recall/search.ts';
import { distillerMark } from '../../src/schema/distiller.ts';
import { answer, type Json, prompt, prompts, toolResult, toolUse, workbench } from './transcript-builder.ts';

const key = 'p/s1.jsonl';

describe('which lines count', () => {
  it('14. meta, sidechain, tool result, system, snapshot and unknown lines are not entries', async () => {
    const bench = await workbench();
    bench.write(key, [
      prompt('kept', 'a question'),
      prompt('m', 'meta', 1, { isMeta: true }),
      answer('m2', 'meta', 1, { isMeta: true }),
      prompt('s', 'side', 1, { isSidechain: true }),
      answer('s2', 'side', 1, { isSidechain: true }),
      toolResult('r', 'none', 'output that nobody asked for', 2),
      { type: 'system', uuid: 'y', sessionId: 's1', subtype: 'compact_boundary', content: 'system "user"' },
      { type: 'file-history-snapshot', messageId: 'f', snapshot: { text: 'the "assistant" snapshot' } },
      { type: 'a-kind-of-2031', uuid: 'u', sessionId: 's1', message: { role: 'user', content: 'later "user"' } },
      { type: 'summary', summary: 'a summary', leafUuid: 'kept' },
      { uuid: 'untyped', message: { role: 'user', content: 'no type, but "user" in it' } },
      prompt('e', '', 3),
      answer('e2', [{ type: 'thinking', thinking: 'hm' }], 3),
      answer('kept2', 'an answer', 4),
    ]);
    expect((await bench.ingest()).entries).toEqual({ added: 2, malformed: 0 });
    expect(await bench.texts()).toEqual(['a question', 'an answer']);
  });

  it("14. a subagent's own file belongs to its parent session; a search marks what it said, or leaves it out", async () => {
    const bench = await workbench();
    const side = { isSidechain: true, agentId: 'x' };
    bench.write(key, [prompt('a', 'look for otters'), answer('b', 'none here', 1)]);
    bench.write('p/s1/subagents/agent-n1.jsonl', [prompt('n', 'nested otter', 1, side), answer('n2', 'ok', 2, side)]);
    bench.write('p/agent-f1.jsonl', [prompt('f', 'flat otter', 1, side)]);
    await bench.ingest();
    expect(await bench.texts('s1')).toEqual(['look for otters', 'none here']);
    expect((await bench.texts('s1', true)).sort()).toEqual(
      ['look for otters', 'none here', 'nested otter', 'ok', 'flat otter'].sort(),
    );
    const [session, ...others] = await bench.store.sessions.list({});
    expect(others).toEqual([]);
    expect(session).toMatchObject({ id: 's1', entries: 2, subagentEntries: 3, title: 'look for otters' });
    const find = async (subagents?: boolean) =>
      (await search(bench, { query: 'otter', kind: 'entry', filter: { subagents }, limit: 9 })).hits;
    for (const all of [undefined, true])
      expect((await find(all)).map((hit) => hit.subagent ?? '').sort()).toEqual(['', 'f1', 'n1']);
    expect((await find(false)).map((hit) => hit.id)).toEqual(['a']);
    expect((await bench.store.conversations.list({})).map((talk) => talk.entries)).toEqual([2]);
    expect((await bench.store.entries.find('n'))[0]).toMatchObject({ session: 's1', author: 'machine' });
  });

  it('15. an answer carries its text and the names of its tools; tool uses are rows, not entries', async () => {
    const bench = await workbench();
    const secret = `ghp_${'a'.repeat(36)}`;
    const long = `${'h'.repeat(5000)}MIDDLE${'t'.repeat(5000)}`;
    bench.write(key, [
      prompt('q', 'go'),
      answer('w', [
        { type: 'text', text: 'Looking.' },
        toolUse('1', 'Read', { file_path: '/a/b.ts' }),
        toolUse('2', 'Bash', { command: `curl -H ${secret}`, pad: long }),
        toolUse('3', 'Read', { file_path: '/a/c.ts' }),
      ]),
      toolResult('r1', '1', [{ type: 'text', text: `${long} ${secret}` }], 1),
      toolResult('r2', '2', 'no such host', 1, { is_error: true }),
      answer('silent', [toolUse('4', 'Glob')], 2),
    ]);
    await bench.ingest();
    expect(await bench.texts()).toEqual(['go', 'Looking.', '']);
    expect(await bench.store.entries.counts()).toMatchObject({ entries: 3, toolUses: 4 });
    const uses = await bench.store.entries.toolUses(['w', 'silent']);
    expect(uses.map((use) => [use.id, use.tool, use.outcome, use.files])).toEqual([
      ['1', 'Read', 'ok', ['/a/b.ts']],
      ['2', 'Bash', 'error', []],
      ['3', 'Read', undefined, ['/a/c.ts']],
      ['4', 'Glob', undefined, []],
    ]);
    const kept = JSON.stringify(uses);
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain('MIDDLE');
    expect(uses[0]?.output).toMatch(/^h{500} … \[\d+ characters left out\] … .*redacted: GitHub token\]$/s);
    expect((await search(bench, { query: 'Glob', kind: 'entry', limit: 5 })).hits[0]?.id).toBe('silent');
  });

  it('15. tool ids that a model repeats across sessions or within one are distinguished', async () => {
    const bench = await workbench();
    const lines = (session: string) => [
      answer(`${session}-1`, [toolUse('Bash:0', 'Bash', { command: `first of ${session}` })], 0, {
        sessionId: session,
      }),
      { ...toolResult(`${session}-2`, 'Bash:0', `done ${session} 1`), sessionId: session },
      answer(`${session}-3`, [toolUse('Bash:0', 'Bash', { command: `second of ${session}` })], 1, {
        sessionId: session,
      }),
      { ...toolResult(`${session}-4`, 'Bash:0', `done ${session} 2`), sessionId: session },
    ];
    for (const session of ['s1', 's2']) bench.write(`p/${session}.jsonl`, lines(session));
    await bench.ingest();
    await bench.ingest({ reimport: true });
    const uses = await bench.store.entries.toolUses(['s1-1', 's1-3', 's2-1', 's2-3']);
    expect(uses.map((use) => `${JSON.parse(use.input).command}: ${use.output}`)).toEqual([
      'first of s1: done s1 1',
      'second of s1: done s1 2',
      'first of s2: done s2 1',
      'second of s2: done s2 2',
    ]);
  });

  it('16. the session id comes from the entry, else from the file name', async () => {
    const bench = await workbench();
    bench.write('p/by-name.jsonl', [prompt('a', 'nameless', 0, { sessionId: undefined })]);
    bench.write('p/other-name.jsonl', [prompt('b', 'named', 0, { sessionId: 'by-line' })]);
    await bench.ingest();
    expect(await bench.texts('by-name')).toEqual(['nameless']);
    expect(await bench.texts('by-line')).toEqual(['named']);
    expect(await bench.store.sessions.find('other-name')).toEqual([]);
  });

  it('17. a malformed line is counted and skipped; the rest of the file is imported', async () => {
    const bench = await workbench();
    const bad = [
      'not json\n',
      '{"cut":\n',
      '[1,2]\n',
      '"text"\n',
      'null\n',
      '17\n',
      '\0\0\n',
      Buffer.from([0xff, 0xfe, 10]),
    ];
    bench.write(key, [prompt('a', 'first'), ...bad, '\n', '   \n', '\r\n', prompt('b', 'last', 1)]);
    const report = await bench.ingest();
    expect(report).toMatchObject({ files: { imported: 1, failed: 0 }, entries: { added: 2, malformed: bad.length } });
    expect(report.problems).toMatchObject([{ message: expect.stringContaining('the first is line 2') }]);
    expect((await bench.store.entries.counts()).malformed).toBe(bad.length);
  });

  it('17. a line of 50 MB does not end the process, and the line after it is imported', async () => {
    const bench = await workbench();
    const file = bench.write(key, [prompt('a', 'before'), '{"type":"user","message":{"content":"']);
    for (let i = 0; i < 50; i++) fs.appendFileSync(file, Buffer.alloc(1 << 20, 'x'));
    bench.append(key, '"}}\n', prompt('b', 'after', 1));
    expect((await bench.ingest()).entries).toEqual({ added: 2, malformed: 1 });
    expect(await bench.texts()).toEqual(['before', 'after']);
    expect((await bench.ingest()).files).toMatchObject({ skipped: 1 });
  });

  it('17. a line of 20 MB is an entry like any other', async () => {
    const bench = await workbench();
    bench.write(key, [prompt('a', 'before'), answer('b', 'y'.repeat(20 << 20)), prompt('c', 'after', 1)]);
    expect((await bench.ingest()).entries).toEqual({ added: 3, malformed: 0 });
    expect((await bench.texts()).map((text) => text.length)).toEqual([6, 20 << 20, 5]);
  });
});

describe('who speaks', () => {
  const injected = '<system-reminder>remember the milk</system-reminder>';
  const cases: readonly (readonly [string, Json | string, Json, 'person' | 'machine'])[] = [
    ['typed words', 'fix the tide table', {}, 'person'],
    ['typed words of a new client', 'fix it', { promptSource: 'typed', origin: { kind: 'human' } }, 'person'],
    ['a slash command', '<command-name>/init</command-name>', {}, 'person'],
    ['words with a reminder beside', `${injected}fix it`, {}, 'person'],
    ['a task notification', '<task-notification>done</task-notification>', {}, 'machine'],
    ['a prompt of the system', 'go on', { promptSource: 'system' }, 'machine'],
    ['a prompt from elsewhere', 'go on', { origin: { kind: 'task-notification' } }, 'machine'],
    ['a reminder alone', injected, {}, 'machine'],
    ['a compaction summary', 'This session is being continued', { isCompactSummary: true }, 'machine'],
    ['an interruption', '[Request interrupted by user]', {}, 'machine'],
  ];
  it.each(cases)('19. %s', async (_, content, more, author) => {
    const bench = await workbench();
    bench.write(key, [prompt('a', 'x', 0, { message: { role: 'user', content }, ...more })]);
    await bench.ingest();
    expect((await bench.store.entries.find('a'))[0]?.author).toBe(author);
  });

  it('20. sessions written by our own distiller are never ingested, however they are cut', async () => {
    const bench = await workbench();
    const marked = [
      prompt('d', `${distillerMark} distill this`),
      answer('d2', [toolUse('t', 'Read')]),
      prompt('d3', 'on', 1),
    ];
    const inHome = prompts('h', 3, 0, 1, { cwd: path.join(bench.config.home, 'work') });
    for (const [name, lines] of [
      ['marked', marked],
      ['home', inHome],
    ] as const) {
      const file = bench.write(`p/${name}.jsonl`, [{ type: 'system', timestamp: '2026-03-02T09:00:00Z' }, ...lines]);
      const { size } = fs.statSync(file);
      for (let cut = 1; cut <= size; cut += 97) await bench.take(`p/${name}.jsonl`, cut);
    }
    await bench.ingest();
    bench.append('p/marked.jsonl', prompt('d4', 'and on', 2));
    await bench.ingest();
    await bench.ingest({ reimport: true });
    expect(await bench.store.entries.counts()).toMatchObject({ files: 2, entries: 0, sessions: 0, toolUses: 0 });
    expect((await bench.store.transcripts.states()).map((file) => file.status)).toEqual(['ignored', 'ignored']);
  });

  it('20. a session that only quotes the mark, or works beside the data folder, is an ordinary session', async () => {
    const bench = await workbench();
    bench.write(key, [
      prompt('a', `what does ${distillerMark} mean?`, 0, { cwd: `${bench.config.home}-notes` }),
      prompt('b', `${distillerMark} pasted later`, 1),
    ]);
    expect((await bench.ingest()).entries.added).toBe(2);
  });
});
