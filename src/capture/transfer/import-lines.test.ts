import { expect, it } from 'vitest';
import { ExportedFile } from '../../schema/exported.ts';
import { chunkOf } from './import-lines.ts';

it('redacts what the reader of an imported transcript had kept', () => {
  const key = `sk-ant-${'api03-'}${'Ab1'.repeat(31)}-AA`;
  const file = ExportedFile.parse({
    is: 'file',
    agent: 'claude-code',
    key: 'p/s.jsonl',
    partial: false,
    subagent: null,
    offset: 10,
    lines: 1,
    head: 'h',
    tail: 't',
    state: {
      version: 1,
      agent: {},
      capture: { session: 's', title: `Use ${key}`, earlyFacts: [{ kind: 'branch', value: `fix/${key}`, pos: 0 }] },
    },
    bornAt: null,
    malformed: 0,
    status: 'ok',
    error: null,
    copies: [],
    sessions: [],
  });
  const { state } = chunkOf(file, file.key, 0, []);
  expect(JSON.stringify(state)).not.toContain(key);
  expect(state.capture).toMatchObject({ session: 's', title: expect.stringMatching(/^Use /) });
});
