import { describe, expect, it } from 'vitest';
import { emptyMemory, type Said, tell } from '../../test/demo-memory.ts';
import { readConversation, readSession, readTurn } from './material.ts';

const edits = [{ name: 'Edit', input: { file_path: '/srv/tide/a.ts' } }];
const said: Said[] = [
  { by: 'user', text: 'Fix the tide table.' },
  { by: 'assistant', text: 'Looking.', uses: edits },
  { by: 'user', text: '<task-notification>done</task-notification>' },
  { by: 'assistant', text: 'Fixed it.' },
  { by: 'user', text: 'And the moon?' },
  { by: 'assistant', text: 'It is round.' },
];
const key = { agent: 'claude-code', session: 's1' } as const;

describe('material', () => {
  it('of a turn has its prompt, answers, tools, project and folder', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's1', '/srv/tide', '2026-10-01T10:00:00Z', said);
    const turn = await readTurn(memory.store, { ...key, prompt: 1 });
    expect(turn).toMatchObject({
      ...{ ...key, prompt: 1, project: 'tide', projectPath: '/srv/tide', cwd: '/srv/tide', before: [] },
      request: { text: 'Fix the tide table.' },
      startedAt: '2026-10-01T10:00:00.000Z',
      endedAt: '2026-10-01T10:03:00.000Z',
    });
    expect(turn?.entries.map(({ author }) => author)).toEqual(['person', 'model', 'machine', 'model']);
    expect(turn?.toolUses).toMatchObject([{ tool: 'Edit', files: ['/srv/tide/a.ts'], outcome: 'ok' }]);
    expect(await readTurn(memory.store, { ...key, prompt: 2 })).toMatchObject({ before: ['Fix the tide table.'] });
    expect(await readTurn(memory.store, { ...key, prompt: 3 })).toBeUndefined();
    expect(await readTurn(memory.store, { ...key, session: 'none', prompt: 1 })).toBeUndefined();
  });

  it('of a session has all its turns, each equal to the turn read alone', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's1', '/srv/tide', '2026-10-01T10:00:00Z', said);
    const session = await readSession(memory.store, key);
    expect(session).toMatchObject({ prompts: 2, title: 'Fix the tide table.', endedAt: '2026-10-01T10:05:00.000Z' });
    expect(session?.turns).toEqual([
      await readTurn(memory.store, { ...key, prompt: 1 }),
      await readTurn(memory.store, { ...key, prompt: 2 }),
    ]);
    expect(await readSession(memory.store, { ...key, session: 'none' })).toBeUndefined();
  });

  it('of a conversation may begin in the middle of a turn', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's1', '/srv/tide', '2026-10-01T10:00:00Z', [{ by: 'assistant', text: 'Going on.' }, ...said]);
    const [conversation] = await memory.store.conversations.list({});
    const made = await readConversation(memory.store, conversation?.id ?? 0);
    expect(made).toMatchObject({
      ...key,
      id: conversation?.id,
      project: 'tide',
      startedAt: '2026-10-01T10:00:00.000Z',
    });
    expect(made?.turns.map(({ prompt, request, toolUses }) => [prompt, request?.text, toolUses.length])).toEqual([
      [0, undefined, 0],
      [1, 'Fix the tide table.', 1],
      [2, 'And the moon?', 0],
    ]);
    expect(await readConversation(memory.store, 999)).toBeUndefined();
  });
});
