// Holdfast keeps the thread that reads transcripts for the next ones.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code/index.ts';
import type { readBatchesAhead } from '../../src/capture/reader-thread.ts';
import { root, temporaryFolder } from './holdfast.ts';

it('one thread reads one transcript after the other', async () => {
  // From the build: a thread cannot load the source.
  const built = path.join(root, 'dist/capture/reader-thread.js');
  const { readBatchesAhead: read } = (await import(built)) as { readBatchesAhead: typeof readBatchesAhead };
  const folder = temporaryFolder();
  const texts: string[] = [];
  for (const text of ['the first', 'the second', 'the third']) {
    const file = path.join(folder, `${text}.jsonl`);
    const line = { type: 'user', uuid: text, sessionId: 's', message: { role: 'user', content: text } };
    fs.writeFileSync(file, `${JSON.stringify(line)}\n`);
    const source = { agent: claudeCode, path: file, root: folder, key: `${text}.jsonl`, size: fs.statSync(file).size };
    const work = { sources: [source], states: new Map(), reimport: false, home: path.join(folder, 'memory') };
    for await (const batch of read(work, 60_000))
      texts.push(...batch.flatMap(({ chunk }) => chunk?.entries.map((entry) => entry.text) ?? []));
  }
  expect(texts).toEqual(['the first', 'the second', 'the third']);
});
