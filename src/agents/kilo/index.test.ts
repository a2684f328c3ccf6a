// Written from descriptions of Kilo's extension (untried with the program itself).
import { expect, it } from 'vitest';
import { pulledAgent } from '../../../test/pulled-agent.ts';
import { roo } from '../roo/index.ts';
import { kilo } from './index.ts';

it('reads the tasks of its extension, and of its command line before 7', async () => {
  const { put, ingest, said, outcomes, session } = await pulledAgent(kilo);
  const id = '0f3c2a11-57c4-4f6a-9a53-6b1f1f0c1a01';
  const text = (said: string) => ({ type: 'text', text: said });
  put(`tasks/${id}/api_conversation_history.json`, [
    { role: 'user', ts: 1761000000000, content: [text('<task>\nWhich port?\n</task>')] },
    {
      role: 'assistant',
      ts: 1761000001000,
      content: [text('I look.'), { type: 'tool_use', id: 'c', name: 'execute_command', input: { command: 'cat x' } }],
    },
    {
      role: 'user',
      ts: 1761000002000,
      content: [{ type: 'tool_result', tool_use_id: 'c', content: 'Command executed. Exit code: 1\nOutput:\nno' }],
    },
    { role: 'assistant', ts: 1761000003000, isSummary: true, content: 'The person asked for the port.' },
  ]);
  put(`tasks/${id}/history_item.json`, { id, ts: 1761000000000, workspace: '/home/dev/proj' });
  expect(await ingest()).toMatchObject({ problems: [] });
  expect(await said(id)).toEqual([
    'user person: Which port?',
    'assistant model: I look.',
    'assistant machine: The person asked for the port.',
  ]);
  expect(await outcomes(id)).toEqual(['execute_command error']);
  expect(await session(id)).toMatchObject({ agent: 'kilo', cwd: '/home/dev/proj' });
  expect(kilo.resume(id)).toEqual([]);
});

it('a task belongs to the extension in whose folder it is', () => {
  const key = (folder: string) => `globalStorage/${folder}/tasks/x/api_conversation_history.json`;
  const owners = ['rooveterinaryinc.roo-cline', 'kilocode.kilo-code'].map((folder) =>
    [roo, kilo].map(({ pull }) => pull?.isSource(key(folder))),
  );
  expect(owners).toEqual([
    [true, false],
    [false, true],
  ]);
});
