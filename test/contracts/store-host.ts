// What every engine must do for the host of agents: no message is lost, none is handed out twice after output, and each step is one
// transaction.
import { expect, it } from 'vitest';
import type { RunEnd } from '../../src/store/runs/port.ts';
import type { Store } from '../../src/store/store.ts';
import { base, chunk, entry, rules } from './chunks.ts';
import type { OpenStore } from './store.ts';

const backoff = [5000, 10_000];
const mostAttempts = 12;
const notices = {
  unanswered: 'no answer: it broke',
  cutOff: 'cut off: it broke',
  taskFailed: 'the task failed: it broke',
};
const ok: RunEnd = { how: 'ok', notices, mostAttempts, backoff };
const failed = (error = 'it broke'): RunEnd => ({ how: 'failed', error, notices, mostAttempts, backoff });

export function describeHost(open: () => OpenStore): void {
  async function begun(store: Store, ...texts: string[]) {
    await store.groups.create('tide', base);
    const ids: number[] = [];
    for (const text of texts) ids.push((await store.messages.add('tide', { text, mostAttempts }, base))?.id as number);
    const run = await store.runs.begin({ group: 'tide', epoch: 1 }, base);
    return { ids, run };
  }
  const states = async (store: Store, ids: readonly number[]) =>
    Promise.all(ids.map(async (id) => (await store.messages.get('tide', id))?.state));

  it('keeps messages in order for their group alone, and takes none for an unknown group', async () => {
    const { store, reopen } = open();
    expect(await store.messages.add('reef', { text: 'lost?' }, base)).toBeUndefined();
    const { ids } = await begun(store, 'one', 'two');
    await store.groups.create('reef', base);
    await store.messages.add('reef', { text: 'other', from: 'Ada' }, base);
    const again = await reopen();
    expect((await again.messages.waiting('tide')).map(({ text }) => text)).toEqual(['one', 'two']);
    expect((await again.messages.waiting('reef')).map(({ text, from }) => [text, from])).toEqual([['other', 'Ada']]);
    expect(await again.messages.get('reef', ids[0] as number)).toBeUndefined();
  });

  it('lists messages without an answer: waiting, being answered, or given up', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'one', 'two', 'three');
    await store.groups.create('reef', base);
    await store.messages.add('reef', { text: 'other' }, base);
    await store.messages.hand(run, ids.slice(0, 2));
    await store.messages.putOut(
      { group: 'tide', kind: 'answer', text: 'done', answers: [ids[0] as number], run },
      base,
    );
    const left = await store.messages.unanswered('tide');
    expect(left.map(({ text, state }) => [text, state])).toEqual([
      ['two', 'handed'],
      ['three', 'waiting'],
    ]);
    await store.runs.end(run, { how: 'failed', error: 'it broke', notices, mostAttempts, backoff: [] }, base);
    expect((await store.messages.unanswered('tide')).map(({ state }) => state)).toEqual(['given-up', 'given-up']);
  });

  it('hands out a message once, and only to a living run of its own group', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'one');
    await store.groups.create('reef', base);
    const foreign = await store.runs.begin({ group: 'reef', epoch: 2 }, base);
    const task = await store.runs.begin({ group: 'tide', task: 7, epoch: 2 }, base);
    expect(await store.messages.hand(foreign, ids)).toEqual([]);
    expect(await store.messages.hand(task, ids)).toEqual([]);
    expect(await store.messages.hand(run, [...ids, 999])).toEqual(ids);
    expect(await store.messages.hand(run, ids)).toEqual([]);
    await store.messages.release(foreign, ids);
    expect(await states(store, ids)).toEqual(['handed']);
    await store.messages.release(run, ids);
    expect(await states(store, ids)).toEqual(['waiting']);
    await store.runs.end(run, ok, base);
    expect(await store.messages.hand(run, ids)).toEqual([]);
  });

  it('ends a message and stores its answer in one step, and deletes its text', async () => {
    const { store, reopen } = open();
    const { ids, run } = await begun(store, 'one', 'two', 'three');
    await store.messages.hand(run, ids.slice(0, 2));
    const out = await store.messages.putOut(
      { group: 'tide', kind: 'answer', text: 'both', answers: ids.slice(0, 2), run, session: 's' },
      base + 1,
    );
    const again = await reopen();
    expect(await states(again, ids)).toEqual(['answered', 'answered', 'waiting']);
    expect((await again.messages.get('tide', ids[0] as number))?.text).toBe('');
    expect(await again.messages.outgoing('tide', 0, 10)).toEqual([
      {
        id: out.id,
        group: 'tide',
        kind: 'answer',
        text: 'both',
        answers: ids.slice(0, 2),
        at: '2026-05-01T12:00:00.001Z',
      },
    ]);
    expect(await again.messages.outgoing('tide', out.id, 10)).toEqual([]);
    expect(await again.messages.lastOutgoing()).toBe(out.id);
  });

  it('host.md 5: an answer moves the resume position in the same step, for the active session alone', async () => {
    const { store } = open();
    const { run } = await begun(store);
    await store.groups.setPointer('tide', { agent: 'claude-code', session: 's' }, { at: base });
    const epoch = (await store.groups.pointer('tide'))?.epoch as number;
    const answer = { group: 'tide', kind: 'answer', text: 'a', run } as const;
    await store.messages.putOut({ ...answer, session: 's', position: { epoch, at: 'p1' } }, base);
    expect((await store.groups.pointer('tide'))?.resumeAt).toBe('p1');
    await store.messages.putOut({ ...answer, session: 'other', position: { epoch, at: 'p2' } }, base);
    await store.messages.putOut({ ...answer, session: 's', position: { epoch: epoch - 1, at: 'p3' } }, base);
    expect((await store.groups.pointer('tide'))?.resumeAt).toBe('p1');
  });

  it('host.md 9: after an error before any output the message waits again; after output it does not', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'one', 'two');
    const [first = 0, second = 0] = ids;
    await store.messages.hand(run, [first]);
    await store.messages.putOut({ group: 'tide', kind: 'message', text: 'on my way', run }, base);
    await store.messages.hand(run, [second]);
    const { retryAt, notice } = await store.runs.end(run, failed(), base);
    expect(await states(store, ids)).toEqual(['answered', 'waiting']);
    expect(retryAt).toBe(base + 5000);
    expect(notice).toMatchObject({ kind: 'notice', answers: [first], text: expect.stringContaining('it broke') });
    expect((await store.messages.get('tide', second))?.attempts).toBe(1);
    // Ending it again, as after a kill in between, changes nothing.
    expect(await store.runs.end(run, failed('other'), base + 1)).toEqual({
      retryAt: undefined,
      gaveUp: false,
      notice: undefined,
    });
    expect((await store.runs.lastErrors()).map(({ error }) => error)).toEqual(['it broke']);
  });

  it('knows what the person has seen in a chat, for each existing group', async () => {
    const { store, reopen } = open();
    for (const group of ['tide', 'reef']) await store.groups.create(group, base);
    expect(await store.messages.seenInChat('tide')).toBeUndefined();
    for (const id of [7, 3]) await store.messages.noteSeen('tide', id);
    await store.messages.noteSeen('nobody', 7);
    const again = await reopen();
    expect([await again.messages.seenInChat('tide'), await again.messages.seenInChat('reef')]).toEqual([7, undefined]);
    expect(await again.messages.seenInChat('nobody')).toBeUndefined();
    await again.groups.remove('tide');
    await again.groups.create('tide', base);
    expect(await again.messages.seenInChat('tide')).toBeUndefined();
  });

  it('host.md 9: an answer counts as output only for the messages it answers; all others wait again', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'one', 'two', 'three');
    const [first = 0, second = 0, third = 0] = ids;
    await store.messages.hand(run, ids);
    await store.messages.putOut({ group: 'tide', kind: 'message', text: 'on my way', run }, base);
    await store.messages.release(run, [third]);
    expect(await states(store, ids)).toEqual(['handed', 'handed', 'waiting']);
    await store.messages.putOut({ group: 'tide', kind: 'answer', text: 'a', answers: [first], run }, base);
    expect(await store.runs.end(run, failed(), base)).toMatchObject({ retryAt: base + 5000, notice: undefined });
    expect(await states(store, ids)).toEqual(['answered', 'waiting', 'waiting']);
    expect((await store.messages.get('tide', second))?.attempts).toBe(1);
  });

  it('host.md 10: waits longer after each failure, gives up after the last, and tries again with the next message', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'one');
    await store.messages.hand(run, ids);
    let now = base;
    expect(await store.runs.end(run, failed(), now)).toMatchObject({ retryAt: now + 5000, gaveUp: false });
    expect(await store.runs.dueGroups(now + 4999)).toEqual([]);
    expect(await store.runs.nextDue(now)).toBe(now + 5000);
    now += 5000;
    expect(await store.runs.dueGroups(now)).toEqual(['tide']);
    const fail = async () => {
      const next = await store.runs.begin({ group: 'tide', epoch: 1 }, now);
      await store.messages.hand(next, ids);
      return store.runs.end(next, failed(), now);
    };
    // Another message during the wait neither shortens it nor overtakes.
    const other = (await store.messages.add('tide', { text: 'two', mostAttempts }, now))?.id as number;
    expect(await fail()).toMatchObject({ retryAt: now + 10_000, gaveUp: false });
    expect(await store.runs.dueGroups(now)).toEqual([]);
    now += 10_000;
    const last = await fail();
    expect(last).toMatchObject({ retryAt: undefined, gaveUp: true, notice: { answers: [...ids, other] } });
    expect(await states(store, [...ids, other])).toEqual(['given-up', 'given-up']);
    expect(await store.runs.dueGroups(now + 1e9)).toEqual([]);
    expect(await store.runs.nextDue(now)).toBeUndefined();
    await store.messages.add('tide', { text: 'three', mostAttempts }, now);
    expect((await store.messages.waiting('tide')).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await store.runs.dueGroups(now)).toEqual(['tide']);
  });

  it('forgets failures after output, and does not retry forever what always fails', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'poison');
    await store.messages.hand(run, ids);
    await store.runs.end(run, failed(), base);
    const good = await store.runs.begin({ group: 'tide', epoch: 1 }, base);
    await store.messages.putOut({ group: 'tide', kind: 'message', text: 'hm', run: good }, base);
    expect((await store.runs.queues())[0]).toMatchObject({ group: 'tide', waiting: 1, failures: 0 });
    await store.runs.end(good, ok, base);
    for (let i = 0; i < 11; i++) {
      const next = await store.runs.begin({ group: 'tide', epoch: 1 }, base);
      await store.messages.hand(next, ids);
      await store.runs.end(next, { how: 'again', error: 'the host ended', notices, mostAttempts, backoff }, base);
    }
    expect(await states(store, ids)).toEqual(['given-up']);
    await store.messages.add('tide', { text: 'hello?', mostAttempts }, base);
    expect((await store.messages.waiting('tide')).map(({ text }) => text)).toEqual(['hello?']);
  });

  it('a run that ends in order returns its unanswered messages, at no cost', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'one');
    await store.messages.hand(run, ids);
    await store.runs.end(run, ok, base);
    expect(await store.messages.get('tide', ids[0] as number)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await store.runs.dueGroups(base)).toEqual(['tide']);
    expect(await store.runs.open()).toEqual([]);
  });

  it('host.md 11: the group that waits longest is first', async () => {
    const { store } = open();
    for (const [i, group] of ['c', 'a', 'b'].entries()) {
      await store.groups.create(group, base);
      await store.messages.add(group, { text: group }, base + i);
    }
    await store.messages.add('c', { text: 'more' }, base + 9);
    expect(await store.runs.dueGroups(base + 10)).toEqual(['c', 'a', 'b']);
    const run = await store.runs.begin({ group: 'c', epoch: 1 }, base);
    await store.runs.end(run, failed(), base + 5);
    expect(await store.runs.dueGroups(base + 10_000)).toEqual(['a', 'b', 'c']);
  });

  it('knows which tasks are due, and that a run is working on one', async () => {
    const { store } = open();
    await store.groups.create('tide', base);
    const task = {
      group: 'tide',
      prompt: 'look',
      kind: 'interval',
      when: '60000',
      timeZone: 'UTC',
      context: 'group',
    } as const;
    expect(await store.tasks.add({ ...task, group: 'reef', next: base }, base)).toBeUndefined();
    const late = await store.tasks.add({ ...task, next: base + 20 }, base);
    const soon = await store.tasks.add({ ...task, next: base + 10 }, base);
    const [a, b] = [soon?.id as number, late?.id as number];
    expect(await store.runs.nextDue(base)).toBe(base + 10);
    expect((await store.tasks.due(base + 30)).map(({ id }) => id)).toEqual([a, b]);
    const run = await store.runs.begin({ group: 'tide', task: a, epoch: 1 }, base + 30);
    expect((await store.tasks.due(base + 30)).map(({ id }) => id)).toEqual([b]);
    // Killed before any output: due as before. Done: due at its next time.
    await store.runs.end(run, { how: 'again', notices, mostAttempts, backoff, next: base + 99 }, base + 31);
    expect((await store.tasks.due(base + 31)).map(({ id }) => id)).toEqual([a, b]);
    const second = await store.runs.begin({ group: 'tide', task: a, epoch: 1 }, base + 31);
    await store.runs.end(
      second,
      { how: 'ok', notices, mostAttempts, backoff, next: base + 60_010, result: 'calm' },
      base + 32,
    );
    expect(await store.tasks.get(a)).toMatchObject({
      lastResult: 'calm',
      nextAt: '2026-05-01T12:01:00.010Z',
      state: 'active',
    });
    expect((await store.tasks.runs(a, 5)).map(({ result }) => result)).toEqual(['calm', undefined]);
    expect(await store.tasks.setState(b, 'paused', undefined)).toBe(true);
    expect(await store.tasks.due(base + 40)).toEqual([]);
    expect(await store.tasks.setState(b, 'active', base + 70)).toBe(true);
    expect((await store.tasks.get(b))?.nextAt).toBe('2026-05-01T12:00:00.070Z');
    expect(await store.tasks.remove(b)).toBe(true);
    expect(await store.tasks.remove(b)).toBe(false);
    expect((await store.tasks.list('tide')).map(({ id }) => id)).toEqual([a]);
  });

  it('a task that fails before output is retried, then left to its next time; without one it is done', async () => {
    const { store } = open();
    await store.groups.create('tide', base);
    const added = await store.tasks.add(
      { group: 'tide', prompt: 'x', kind: 'once', when: '', timeZone: 'UTC', context: 'isolated', next: base },
      base,
    );
    const task = added?.id as number;
    const fail = async () => {
      const run = await store.runs.begin({ group: 'tide', task, epoch: 1 }, base);
      return store.runs.end(run, failed(), base);
    };
    expect(await fail()).toMatchObject({ retryAt: base + 5000, gaveUp: false });
    expect(await fail()).toMatchObject({ retryAt: base + 10_000 });
    expect(await fail()).toMatchObject({ gaveUp: true, notice: { task, text: expect.stringContaining('it broke') } });
    expect(await store.tasks.get(task)).toMatchObject({ state: 'done', lastError: 'it broke' });
    expect(await store.tasks.setState(task, 'active', base)).toBe(false);
  });

  it('output is deleted with its session, by forget and by delete, from the log of tasks too', async () => {
    const { store } = open();
    const { run } = await begun(store);
    for (const session of ['s1', 's2', 's3']) {
      const uuid = `e-${session}`;
      const sessions = [{ session, cwd: undefined, projectPath: undefined, title: undefined }];
      await store.transcripts.commit(
        [chunk([entry(uuid, 'said', { session, at: base })], { key: session, sessions })],
        rules,
      );
      await store.messages.putOut({ group: 'tide', kind: 'message', text: `early ${session}`, session, run }, base - 1);
      await store.messages.putOut(
        { group: 'tide', kind: 'answer', text: `told in ${session}`, session, run },
        base + 1,
      );
    }
    const task = {
      group: 'tide',
      prompt: 'x',
      kind: 'interval',
      when: '60000',
      timeZone: 'UTC',
      context: 'group',
    } as const;
    const id = (await store.tasks.add({ ...task, next: base }, base))?.id as number;
    const at = await store.runs.begin({ group: 'tide', task: id, epoch: 1 }, base);
    await store.runs.end(at, { how: 'ok', notices, mostAttempts, backoff, next: base + 1, result: 'told in s1' }, base);
    const left = async () => (await store.messages.outgoing('tide', 0, 99)).map(({ text }) => text);
    await store.removal.forget({ kind: 'session', agent: 'claude-code', id: 's1' }, { rules, now: base });
    expect(await left()).toEqual(['early s2', 'told in s2', 'early s3', 'told in s3']);
    expect([(await store.tasks.get(id))?.lastResult, (await store.tasks.runs(id, 9))[0]?.result]).toEqual([
      undefined,
      undefined,
    ]);
    await store.removal.forget({ kind: 'entry', agent: 'claude-code', id: 'e-s2' }, { rules, now: base });
    expect(await left()).toEqual(['early s2', 'early s3', 'told in s3']);
    await store.removal.deleteSessions([{ agent: 'claude-code', session: 's3' }], rules);
    expect(await left()).toEqual(['early s2']);
  });

  it('deletes everything of a group with it, and drops old rows', async () => {
    const { store } = open();
    const { ids, run } = await begun(store, 'one', 'two');
    await store.messages.hand(run, ids.slice(0, 1));
    await store.messages.putOut({ group: 'tide', kind: 'answer', text: 'a', answers: ids.slice(0, 1), run }, base);
    await store.runs.end(run, ok, base);
    expect(await store.messages.dropOld(base)).toBe(0);
    expect(await store.messages.dropOld(base + 1)).toBe(3);
    const last = await store.messages.lastOutgoing();
    await store.groups.remove('tide');
    await store.groups.create('tide', base);
    expect(await store.messages.waiting('tide')).toEqual([]);
    expect(await store.messages.lastOutgoing()).toBe(last);
    expect((await store.messages.putOut({ group: 'tide', kind: 'notice', text: 'n' }, base)).id).toBeGreaterThan(last);
  });
}
