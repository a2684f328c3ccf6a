// Sessions whose name matches the query, through the public path.
import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../test/demo-memory.ts';
import { nameSession } from '../operations/recall/labels.ts';
import { search } from '../operations/recall/search.ts';

const find = async (memory: Memory, query: string, fields: Record<string, unknown> = {}) =>
  (await search.run(memory.context, search.input.parse({ query, kind: 'session', ...fields }))).hits;

async function threeSessions(): Promise<Memory> {
  const memory = await emptyMemory();
  const on = (branch: string) => ({ more: { gitBranch: branch } });
  await tell(memory, 'pump', '/srv/reef', '2026-09-01T09:00:00Z', [
    { by: 'user', text: 'The pump stops at night.', ...on('fix/night-pump') },
    { by: 'assistant', text: 'Its timer was wrong by an hour.', ...on('fix/night-pump') },
  ]);
  await tell(memory, 'talk', '/srv/reef', '2026-09-02T09:00:00Z', [
    { by: 'user', text: 'At night the pump is loud, fix that some day.', ...on('main') },
    { by: 'assistant', text: 'Noted: the pump, the night, the noise.', ...on('main') },
  ]);
  await tell(memory, 'paint', '/srv/tide', '2026-09-03T09:00:00Z', [
    { by: 'user', text: 'Paint the gauge.', ...on('main') },
    { by: 'assistant', text: 'It is blue now.', ...on('main') },
  ]);
  return memory;
}

describe('a search for sessions', () => {
  it('finds the session of a branch, although no entry names it, and says why', async () => {
    const memory = await threeSessions();
    const [first] = await find(memory, 'fix/night-pump');
    expect(first).toMatchObject({ id: 'pump', kind: 'session' });
    expect(first?.why?.[0]).toBe('its branch is fix/night-pump');
  });

  it('finds a session by the name that a person gave it', async () => {
    const memory = await threeSessions();
    await nameSession.run(memory.context, nameSession.input.parse({ id: 'paint', title: 'Zebra crossing' }));
    const hits = await find(memory, 'zebra crossing');
    expect(hits.map(({ id }) => id)).toEqual(['paint']);
    expect(hits[0]?.why).toEqual(['it is called so']);
  });

  it('respects the filters', async () => {
    const memory = await threeSessions();
    const hits = await find(memory, 'fix/night-pump', { project: '/srv/tide' });
    expect(hits.map(({ id }) => id)).not.toContain('pump');
  });

  it('takes a sentence for a question, and not for a name', async () => {
    const memory = await threeSessions();
    const hits = await find(memory, 'what did we find out about the pump that stops at night because of a timer');
    expect(hits[0]?.id).toBe('pump');
    for (const { why } of hits) expect(why?.join()).not.toContain('branch');
  });
});
