import { describe, expect, it } from 'vitest';
import { demoMemory, emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { get } from './get.ts';
import { search } from './search.ts';
import { timeline } from './timeline.ts';

const ask = (memory: Memory, ids: string[], more: { maxChars?: number; from?: number } = {}) =>
  get.run(memory.context, { ids, maxChars: 12_000, from: 0, ...more });

describe('get', () => {
  it('gives what a search found in full, with its session and its neighbours', async () => {
    const memory = await demoMemory();
    const request = { query: 'in-memory queue redis', kind: 'entry', subagents: false, limit: 1 } as const;
    const [hit] = (await search.run(memory.context, request)).hits;
    const { items } = await ask(memory, [hit?.id.slice(0, 8) ?? '']);
    expect(get.output.safeParse({ items }).error).toBeUndefined();
    const [item] = items;
    expect(item).toMatchObject({ kind: 'entry', id: hit?.id, session: hit?.session, project: 'courier', role: 'user' });
    expect(item?.text).toContain('Postgres is good enough for our volume');
    expect(item?.cut).toBeUndefined();
    const whole = await memory.store.entries.transcript('claude-code', hit?.session ?? '');
    const at = whole.findIndex(({ id }) => id === hit?.id);
    expect([item?.before, item?.after]).toEqual([whole[at - 1]?.id, whole[at + 1]?.id]);
  });

  it('gives the tools that an entry used, as they are stored', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's1', '/srv/shop', '2026-11-01T10:00:00Z', [
      { by: 'user', text: 'Test it.' },
      { by: 'assistant', uses: [{ name: 'Bash', input: { command: 'npm test' }, failed: 'two tests fail' }] },
    ]);
    const [, used] = await memory.store.entries.transcript('claude-code', 's1');
    const [item] = (await ask(memory, [used?.id ?? ''])).items;
    expect(item?.toolUses).toMatchObject([{ tool: 'Bash', outcome: 'error', output: 'two tests fail' }]);
    expect(item?.toolUses?.[0]?.input).toContain('npm test');
  });

  it('gives a session as one line per entry, with ids to continue with', async () => {
    const memory = await demoMemory();
    const [session] = (await ask(memory, ['67096c2b'])).items;
    const whole = await memory.store.entries.transcript('claude-code', '67096c2b-dd0a-4251-9e62-a74f249013d6');
    expect(session).toMatchObject({ kind: 'session', title: expect.any(String) });
    const lines = session?.text.split('\n') ?? [];
    expect(lines).toHaveLength(whole.length);
    const [entry] = (await ask(memory, [lines[1]?.split(' ')[0] ?? ''])).items;
    expect(entry?.id).toBe(whole[1]?.id);
  });

  it('says what was cut, and continues from there until nothing is left', async () => {
    const memory = await emptyMemory();
    const text = Array.from({ length: 300 }, (_, i) => `word${i} 😀`).join(' ');
    await tell(memory, 's1', '/srv/shop', '2026-11-01T10:00:00Z', [{ by: 'user', text }]);
    const [entry] = await memory.store.entries.transcript('claude-code', 's1');
    let [read, from] = ['', 0];
    for (let round = 0; round < 50; round++) {
      const [item] = (await ask(memory, [entry?.id ?? ''], { maxChars: 201, from })).items;
      expect(item?.text.isWellFormed()).toBe(true);
      read += item?.text;
      if (item?.cut === undefined) break;
      expect(item.cut.characters).toBe(text.length - read.length);
      from = item.cut.from;
    }
    expect(read).toBe(text);
  });

  it('shares the room among several ids, and leaves out tool uses that do not fit', async () => {
    const memory = await emptyMemory();
    const long = 'a long answer. '.repeat(100);
    await tell(memory, 's1', '/srv/shop', '2026-11-01T10:00:00Z', [
      { by: 'user', text: 'Short.' },
      { by: 'assistant', text: long, uses: [{ name: 'Bash', input: { command: 'x'.repeat(300) } }] },
    ]);
    const ids = (await memory.store.entries.transcript('claude-code', 's1')).map(({ id }) => id);
    const { items } = await ask(memory, ids, { maxChars: 400 });
    expect(items[0]?.cut).toBeUndefined();
    expect(items[1]?.text).toHaveLength(400 - 'Short.'.length);
    expect(items[1]?.cut).toMatchObject({ toolUses: 1 });
    expect(items[1]?.toolUses).toEqual([]);
  });

  it('refuses an unknown id, an ambiguous one, and an offset for several ids', async () => {
    const memory = await demoMemory();
    await expect(ask(memory, ['67096c2b', 'nothing'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(ask(memory, ['0'])).rejects.toMatchObject({ code: 'AMBIGUOUS' });
    await expect(ask(memory, [' '])).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(ask(memory, ['67096c2b', '0250d3ae'], { from: 5 })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('timeline around a hit', () => {
  it('shows what a subagent said among the other entries', async () => {
    const memory = await demoMemory();
    const session = '3f7fa8be-2f80-491a-9244-a1466e9ebb4e';
    const whole = await memory.store.entries.transcript('claude-code', session, { subagents: true });
    const hit = whole.find(({ subagent }) => subagent !== undefined);
    expect(hit).toBeDefined();
    const { focus, items } = await timeline.run(memory.context, { around: hit?.id ?? '', limit: 5 });
    expect(focus).toBe(hit?.id);
    expect(items.map(({ id }) => id)).toContain(hit?.id);
    expect(items.length).toBeLessThanOrEqual(5);
    expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).toSorted());
  });
});
