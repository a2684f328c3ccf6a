import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { workbench } from '../../../test/contracts/transcript-builder.ts';

it('0.1: a session in one JSON file is read, with the outcome of each call, and stays when the file is rewritten', async () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-qwen-'));
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
  const bench = await workbench({ QWEN_HOME: home });
  const file = path.join(home, 'tmp', 'a'.repeat(64), 'chats', 'session-2025-11-03T10-00-9f0c2a11.json');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const session = '9f0c2a11-57c4-4f6a-9a53-6b1f1f0c1a01';
  const at = (second: number) => `2025-11-03T10:00:0${second}.000Z`;
  const result = { functionResponse: { id: 'c1', response: { output: 'Output: no\nExit Code: 1' } } };
  const call = { id: 'c1', name: 'run_shell_command', args: { command: 'cat x' }, status: 'success', result: [result] };
  const write = (...messages: object[]) =>
    fs.writeFileSync(
      file,
      JSON.stringify({ sessionId: session, projectHash: 'a', startTime: at(0), lastUpdated: at(9), messages }),
    );
  const prompt = { id: 'm1', timestamp: at(1), type: 'user', content: 'Which port?' };
  write(
    prompt,
    { id: 'm2', timestamp: at(2), type: 'qwen', content: '', toolCalls: [call] },
    { id: 'm3', timestamp: at(3), type: 'qwen', content: '4711.' },
  );
  expect(await bench.ingest()).toMatchObject({ problems: [] });
  write(prompt);
  await bench.ingest();
  const entries = await bench.store.entries.transcript('qwen', session);
  expect(entries.map(({ author, text }) => `${author}: ${text}`)).toEqual([
    'person: Which port?',
    'model: ',
    'model: 4711.',
  ]);
  const uses = await bench.store.entries.toolUses(entries.map(({ id }) => id));
  expect(uses.map(({ tool, outcome }) => [tool, outcome])).toEqual([['run_shell_command', 'error']]);
});
