import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
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
