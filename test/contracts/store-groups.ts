// What every engine must do with groups: pointers, bookmarks, and which session is whose.
import { expect, it } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import { everyone } from '../../src/schema/group.ts';
import type { Store } from '../../src/store/store.ts';
import { base, chunk, entry, rules } from './chunks.ts';
import type { OpenStore } from './store.ts';

const agent = 'claude-code';
const s = (session: string) => ({ agent, session }) as const;
const leaving = (session: string, name: string) => ({ ...s(session), name, createdAt: base });

export function describeGroups(open: () => OpenStore): void {
  const epochOf = async (store: Store, group: string) => (await store.groups.pointer(group))?.epoch as number;

  it('creates a group once, lists groups by name, and knows no others', async () => {
    const { store, reopen } = open();
    expect(await store.groups.list()).toEqual([]);
    expect(await store.groups.create('tide', base)).toBe(true);
    expect(await store.groups.create('main', base)).toBe(true);
    const first = await store.groups.get('tide');
    expect(await store.groups.create('tide', base + 1)).toBe(false);
    expect(await store.groups.get('tide')).toEqual(first);
    expect((await (await reopen()).groups.list()).map(({ name }) => name)).toEqual(['main', 'tide']);
    expect(await store.groups.get('reef')).toBeUndefined();
    expect(await store.groups.pointer('reef')).toBeUndefined();
    expect(await store.groups.setPointer('reef', s('a'), { at: base })).toBe('unknown');
    expect(await store.groups.leaveSession('reef', undefined, { at: base })).toBe(false);
    expect(await store.groups.remove('reef')).toBe(false);
  });

  it('groups.md 1: the pointer is what was set last, for every connection', async () => {
    const { store, reopen } = open();
    await store.groups.create('tide', base);
    const other = await reopen();
    expect((await store.groups.pointer('tide'))?.session).toBeUndefined();
    expect(await store.groups.setPointer('tide', { ...s('a'), resumeAt: 'e1' }, { at: base })).toBe('set');
    expect(await other.groups.pointer('tide')).toMatchObject({ ...s('a'), resumeAt: 'e1' });
    const epoch = await epochOf(other, 'tide');
    expect(await other.groups.setPointer('tide', { ...s('a'), resumeAt: 'e2' }, { epoch, at: base + 5 })).toBe('set');
    expect(await store.groups.pointer('tide')).toEqual({
      ...s('a'),
      resumeAt: 'e2',
      epoch,
      since: '2026-05-01T12:00:00.000Z',
    });
    expect(await store.groups.leaveSession('tide', s('a'), { at: base })).toBe(true);
    expect((await other.groups.pointer('tide'))?.session).toBeUndefined();
  });

  it('groups.md 4: a caller with an older epoch changes nothing, even after the group was created again', async () => {
    const { store } = open();
    await store.groups.create('tide', base);
    const epoch = await epochOf(store, 'tide');
    expect(await store.groups.setPointer('tide', s('a'), { epoch, at: base })).toBe('set');
    expect(await epochOf(store, 'tide')).toBe(epoch);
    await store.groups.leaveSession('tide', s('a'), { at: base });
    expect(await store.groups.setPointer('tide', s('a'), { epoch, at: base })).toBe('stale');
    expect((await store.groups.pointer('tide'))?.session).toBeUndefined();
    await store.groups.setPointer('tide', s('b'), { at: base });
    await store.groups.leaveSession('tide', s('b'), { leaving: leaving('b', 'B'), at: base });
    const later = await epochOf(store, 'tide');
    expect(await store.groups.returnTo('tide', s('b'), undefined, { at: base })).toBe(true);
    expect(await store.groups.setPointer('tide', s('c'), { epoch: later, at: base })).toBe('stale');
    expect((await store.groups.pointer('tide'))?.session).toBe('b');
    const last = await epochOf(store, 'tide');
    await store.groups.remove('tide');
    await store.groups.create('tide', base);
    for (const old of [epoch, later, last])
      expect(await store.groups.setPointer('tide', s('a'), { epoch: old, at: base })).toBe('stale');
  });

  it('leaves nothing half done: pointer and bookmark change together, or not at all', async () => {
    const { store } = open();
    await store.groups.create('tide', base);
    await store.groups.setPointer('tide', s('a'), { at: base });
    const before = await store.groups.pointer('tide');
    for (const expected of [undefined, s('x'), { agent: 'pi', session: 'a' } as const])
      expect(await store.groups.leaveSession('tide', expected, { leaving: leaving('a', 'A'), at: base })).toBe(false);
    expect(await store.groups.returnTo('tide', s('never'), s('a'), { leaving: leaving('a', 'A'), at: base })).toBe(
      false,
    );
    expect(await store.groups.returnTo('tide', s('a'), s('x'), { at: base })).toBe(false);
    expect(await store.groups.pointer('tide')).toEqual(before);
    expect(await store.groups.bookmarks('tide')).toEqual([]);
  });

  it('groups.md 13: bookmarks come newest first, with the times when the session began and was left', async () => {
    const { store } = open();
    await store.groups.create('tide', base);
    for (const [i, id] of ['a', 'b'].entries()) {
      await store.groups.setPointer('tide', s(id), { at: base });
      await store.groups.leaveSession('tide', s(id), { leaving: leaving(id, id.toUpperCase()), at: base + 1000 + i });
    }
    const marks = await store.groups.bookmarks('tide');
    expect(marks.map(({ name }) => name)).toEqual(['B', 'A']);
    expect(marks[0]).toMatchObject({ createdAt: '2026-05-01T12:00:00.000Z', archivedAt: '2026-05-01T12:00:01.001Z' });
    expect(await store.groups.bookmark('tide', marks[1]?.id as number)).toEqual(marks[1]);
    await store.groups.returnTo('tide', s('a'), undefined, { at: base });
    await store.groups.addBookmark('tide', leaving('a', 'A again'), base + 5000);
    const again = await store.groups.addBookmark('tide', leaving('a', 'A once more'), base + 6000);
    expect((await store.groups.bookmarks('tide')).map(({ name }) => name)).toEqual(['A once more', 'B']);
    expect(again.id).toBeGreaterThan(Math.max(...marks.map(({ id }) => id)));
    expect(await store.groups.get('tide')).toMatchObject({ bookmarks: 2, sessions: 2 });
  });

  it('groups.md 19: a session has one group; neither another group nor a transcript can take it', async () => {
    const { store } = open();
    for (const name of ['tide', 'reef']) await store.groups.create(name, base);
    expect(await store.groups.setPointer('tide', s('s1'), { at: base })).toBe('set');
    await store.transcripts.commit(
      [chunk([entry('own', 'the gauge is rusty')], { key: 'tide/s1.jsonl', group: 'tide' })],
      rules,
    );
    expect(await store.groups.setPointer('reef', s('s1'), { at: base })).toBe('foreign');
    expect(await store.groups.pointer('reef')).not.toHaveProperty('session');
    await store.groups.leaveSession('tide', s('s1'), { leaving: leaving('s1', 'Gauge'), at: base });
    const [mark] = await store.groups.bookmarks('tide');
    expect(await store.groups.bookmark('reef', mark?.id as number)).toBeUndefined();
    expect(await store.groups.returnTo('reef', s('s1'), undefined, { at: base })).toBe(false);
    // Reef's agent writes lines that name tide's session, and one of tide's entries as its own.
    await store.transcripts.commit(
      [
        chunk([entry('forged', 'words put into the mouth of tide'), entry('own', 'copied', { session: 'r1' })], {
          key: 'reef/r1.jsonl',
          group: 'reef',
        }),
        chunk([entry('r', 'reef says so', { session: 'r1', pos: 20 })], {
          key: 'reef/r1.jsonl',
          from: 20,
          group: 'reef',
        }),
      ],
      rules,
    );
    expect((await store.entries.transcript(agent, 's1')).map(({ text }) => text)).toEqual(['the gauge is rusty']);
    expect((await store.entries.transcript(agent, 'r1')).map(({ text }) => text)).toEqual(['reef says so']);
    expect(await store.groups.of(s('s1'))).toBe('tide');
    expect(await store.groups.of(s('r1'))).toBe('reef');
  });

  it('groups.md 19: a session of the person belongs to no group, and cannot be given to one', async () => {
    const { store } = open();
    await store.groups.create('tide', base);
    await store.transcripts.commit([chunk([entry('mine', 'my own notes')])], rules);
    expect(await store.groups.setPointer('tide', s('s1'), { at: base })).toBe('foreign');
    await store.transcripts.commit([chunk([entry('x', 'into it')], { key: 'tide/x.jsonl', group: 'tide' })], rules);
    expect((await store.entries.transcript(agent, 's1')).map(({ id }) => id)).toEqual(['mine']);
    expect(await store.groups.of(s('s1'))).toBeUndefined();
  });

  it('groups.md 16: every search can be limited to one group', async () => {
    const { store } = open();
    for (const name of ['tide', 'reef']) await store.groups.create(name, base);
    const said = (group: string | undefined, session: string) =>
      chunk([entry(`e-${session}`, 'the gauge is rusty', { session })], { key: `${session}.jsonl`, group });
    await store.transcripts.commit([said('tide', 't'), said('reef', 'r'), said(undefined, 'mine')], rules);
    const query = parseKeywords('rusty gauge');
    for (const text of ['rusty gauge', '"rusty"']) {
      const hits = await store.search.keywords(parseKeywords(text), { group: 'reef', limit: 10 });
      expect(hits.map(({ entry: { id } }) => id)).toEqual(['e-r']);
    }
    const ids = (hits: readonly { entry: { id: string } }[]) => hits.map((hit) => hit.entry.id);
    // Without a name, entries of groups are left out. Only an explicit option shows all.
    expect(ids(await store.search.keywords(query, { limit: 10 }))).toEqual(['e-mine']);
    expect(ids(await store.entries.at((await store.search.rankKeywords(query, { limit: 10 })).rows))).toEqual([
      'e-mine',
    ]);
    expect(await store.search.keywords(query, { group: everyone, limit: 10 })).toHaveLength(3);
    expect((await store.sessions.list({})).map(({ id }) => id)).toEqual(['mine']);
    expect(await store.sessions.list({ group: everyone })).toHaveLength(3);
    expect(await store.sessions.groupedRows()).toHaveLength(2);
    const { rows } = await store.search.rankKeywords(query, { group: 'tide', limit: 10 });
    expect((await store.entries.at(rows)).map(({ entry: { id } }) => id)).toEqual(['e-t']);
    expect(await store.sessions.rows({ group: 'tide' })).toHaveLength(1);
    expect(await store.sessions.rows({ group: 'none' })).toEqual([]);
    expect((await store.sessions.list({ group: 'reef' })).map(({ id }) => id)).toEqual(['r']);
    expect(
      (await store.entries.timeline({ group: 'reef', end: 'newest', limit: 9 })).map(({ entry: { id } }) => id),
    ).toEqual(['e-r']);
  });

  it('removes a group with its pointer and bookmarks; its sessions stay apart from the person’s', async () => {
    const { store } = open();
    await store.groups.create('tide', base);
    await store.groups.setPointer('tide', s('s1'), { at: base });
    await store.transcripts.commit([chunk([entry('own', 'the gauge is rusty')], { group: 'tide' })], rules);
    await store.groups.addBookmark('tide', leaving('s1', 'Gauge'), base);
    expect(await store.groups.remove('tide')).toBe(true);
    expect(await store.groups.list()).toEqual([]);
    expect(await store.groups.bookmarks('tide')).toEqual([]);
    expect(await store.groups.of(s('s1'))).toBe('tide:removed');
    expect(await store.sessions.list({})).toEqual([]);
    expect(await store.entries.transcript(agent, 's1')).toHaveLength(1);
    await store.groups.create('tide', base);
    expect(await store.sessions.list({ group: 'tide' })).toEqual([]);
  });
}
