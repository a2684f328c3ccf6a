import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { answer, type Json, prompt, start, toolResult, toolUse } from '../../test/contracts/transcript-builder.ts';
import { claudeCode } from '../agents/claude-code/index.ts';
import { readBatches } from './reader.ts';

it('a file without a single usable line carries its failure in its chunk, so that no crash can separate the two', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'holdfast-reader-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = path.join(root, 'noise.jsonl');
  writeFileSync(file, 'no\nJSON\nhere\n');
  const source = { agent: claudeCode, path: file, root, key: 'noise.jsonl', size: statSync(file).size };
  const [batch = []] = readBatches({ sources: [source], states: new Map(), reimport: false, home: root });
  const message = `${file} is not a transcript: none of its 3 lines is a JSON object`;
  expect(batch).toEqual([
    { source: 0, chunk: expect.objectContaining({ status: 'failed', error: message }) },
    { source: 0, end: { as: 'failed', problem: { file, message } } },
  ]);
});

it('a prompt that leaves the queue does not keep results from their uses', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'holdfast-reader-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const queue = (operation: string, content?: string): Json => ({
    type: 'queue-operation',
    operation,
    content,
    timestamp: new Date(start).toISOString(),
    sessionId: 's1',
  });
  const lines = [
    prompt('p1', 'first', 0),
    answer('a1', [toolUse('t1', 'Bash', { command: 'ls' })], 1),
    queue('enqueue', 'then commit'),
    toolResult('r1', 't1', 'files', 6),
    queue('dequeue'),
    prompt('p2', 'then commit', 8),
  ];
  const file = path.join(root, 's1.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const source = { agent: claudeCode, path: file, root, key: 's1.jsonl', size: statSync(file).size };
  const [batch = []] = readBatches({ sources: [source], states: new Map(), reimport: false, home: root });
  const { entries = [], withdrawn, results } = batch[0]?.chunk ?? {};
  expect(withdrawn).toHaveLength(1);
  expect(results).toEqual([]);
  expect(entries.flatMap(({ toolUses }) => toolUses.map(({ result }) => result?.output))).toEqual(['files']);
});
