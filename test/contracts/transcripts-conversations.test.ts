// Statements 21–27 of the promise to transcripts: stretches between silences, their statuses, and what a rebuild may not touch.
import { describe, expect, it } from 'vitest';
import { type Conversation, ConversationStatus, conversationMoves } from '../../src/schema/conversation.ts';
import { answer, type Bench, later, minute, prompt, prompts, start, workbench } from './transcript-builder.ts';

const key = 'p/s1.jsonl';
const gapMs = 60 * minute;

/** Conversations of all files, oldest first. */
const talks = async (bench: Bench): Promise<Conversation[]> =>
  [...(await bench.store.conversations({}))].sort((a, b) => a.firstAt.localeCompare(b.firstAt) || a.id - b.id);
const sizes = async (bench: Bench): Promise<number[]> => (await talks(bench)).map((talk) => talk.entries);

/** Moves a conversation along the table to where it is wanted. */
async function bring(bench: Bench, id: number, to: ConversationStatus): Promise<void> {
  const ways: Record<ConversationStatus, ConversationStatus[]> = {
    active: [],
    ready: ['ready'],
    skipped: ['ready', 'skipped'],
    queued: ['ready', 'queued'],
    processing: ['ready', 'queued', 'processing'],
    archived: ['ready', 'queued', 'processing', 'archived'],
  };
  const { status } = (await bench.store.conversations({})).find((talk) => talk.id === id) as Conversation;
  for (const next of ways[to].slice(status === 'ready' ? 1 : 0))
    await bench.store.moveConversation(id, next, next === 'processing' ? { leaseUntil: later } : {});
}

describe('splitting', () => {
  it('21. a gap strictly greater than the threshold splits; an equal gap does not', async () => {
    const bench = await workbench();
    const more = 60 + 1 / minute;
    bench.write(key, [
      prompt('a', 'x', 0),
      prompt('b', 'x', 60),
      prompt('c', 'x', 60 + more),
      prompt('d', 'x', 120 + more),
    ]);
    await bench.ingest();
    expect(await sizes(bench)).toEqual([2, 2]);
    const shorter = await workbench({ HOLDFAST_CONVERSATION_GAP_MINUTES: '59' });
    shorter.write(key, [prompt('a', 'x', 0), prompt('b', 'x', 60), prompt('c', 'x', 119)]);
    await shorter.ingest();
    expect(await sizes(shorter)).toEqual([1, 2]);
  });

  it('22. conversations never cross files, even in one session and at one time', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', prompts('a', 3));
    bench.write('q/s1.jsonl', prompts('b', 4));
    await bench.ingest();
    expect((await talks(bench)).map((talk) => [talk.file, talk.entries]).sort()).toEqual([
      ['p/s1.jsonl', 3],
      ['q/s1.jsonl', 4],
    ]);
  });

  it('22. very long ones also split, by entry count and by size, the same when read in pieces', async () => {
    const env = { HOLDFAST_CONVERSATION_MAX_ENTRIES: '5', HOLDFAST_CONVERSATION_MAX_CHARS: '1000' };
    const bench = await workbench(env);
    const lines = [
      ...prompts('a', 12),
      ...[400, 400, 300, 1500, 10].map((n, i) => prompt(`c${i}`, 'x'.repeat(n), 12 + i)),
    ];
    for (const line of lines) {
      bench.append(key, line);
      await bench.take(key);
    }
    // 5 and 5 by count, then 2 short ones and 800 characters, 300 alone beside 1,500, and the rest.
    expect(await sizes(bench)).toEqual([5, 5, 4, 1, 1, 1]);
    const whole = await workbench(env);
    whole.write(key, lines);
    await whole.ingest();
    expect(await sizes(whole)).toEqual(await sizes(bench));
    expect(await whole.store.conversationEntries((await talks(whole))[0]?.id ?? 0)).toHaveLength(5);
  });
});

describe('statuses', () => {
  it('23. every move of the table is made, and any other is refused', async () => {
    const bench = await workbench();
    const pairs = ConversationStatus.options.flatMap((from) =>
      ConversationStatus.options.map((to) => [from, to] as const),
    );
    bench.write(key, prompts('a', pairs.length, 0, 61));
    await bench.take(key);
    const rows = await talks(bench);
    for (const [i, [from, to]] of pairs.entries()) {
      const id = rows[i]?.id ?? 0;
      await bring(bench, id, from);
      const move = bench.store.moveConversation(id, to, { leaseUntil: later });
      if (conversationMoves[from].includes(to)) expect((await move).status).toBe(to);
      else await expect(move, `${from} → ${to}`).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    await expect(bench.store.moveConversation(987_654, 'ready')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('23. a poll marks ready what has been silent for longer than the gap', async () => {
    const bench = await workbench({ HOLDFAST_POLL_INTERVAL_MS: '100' });
    bench.write(key, prompts('a', 6));
    const last = start + 5 * minute;
    await bench.take(key);
    const rules = { gapMs, minEntries: 5 };
    expect(await bench.store.markReady(last + gapMs, rules)).toBe(0);
    let now = last + gapMs;
    const stop = new AbortController();
    const running = bench.work(stop.signal, () => now);
    try {
      await expect.poll(() => statusOf(bench)).toBe('active');
      now++;
      await expect.poll(() => statusOf(bench), { timeout: 3000 }).toBe('ready');
    } finally {
      stop.abort();
      await running;
    }
  });

  it('25. a conversation of fewer than five entries is skipped, with the reason; new entries wake it', async () => {
    const bench = await workbench();
    bench.write(key, [...prompts('a', 4), ...prompts('b', 5, 200)]);
    await bench.ingest();
    const [short, long] = await talks(bench);
    expect(short).toMatchObject({ status: 'skipped', reason: 'fewer than 5 entries', entries: 4 });
    expect(long).toMatchObject({ status: 'ready', entries: 5 });
    const other = await workbench({ HOLDFAST_MIN_CONVERSATION_MESSAGES: '6' });
    other.write(key, prompts('b', 5));
    await other.ingest();
    expect((await talks(other))[0]).toMatchObject({ status: 'skipped', reason: 'fewer than 6 entries' });
    other.append(key, prompt('more', 'one more', 5));
    await other.take(key);
    expect((await talks(other))[0]).toMatchObject({ status: 'active', entries: 6 });
    expect((await talks(other))[0]?.reason).toBeUndefined();
    await other.ingest();
    expect((await talks(other))[0]?.status).toBe('ready');
  });

  it('26. rows whose lease has expired go back to the queue, a bounded number of times, then are shown', async () => {
    const bench = await workbench();
    bench.write(key, prompts('a', 6));
    await bench.ingest();
    const id = (await talks(bench))[0]?.id ?? 0;
    const rules = { gapMs };
    await bench.store.planJobs(later, rules);
    expect((await talks(bench))[0]?.status).toBe('queued');
    await expect(bench.store.moveConversation(id, 'processing')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    const turns = await bench.store.jobs({ kind: 'observe' });
    await bench.store.cancelJobs(
      turns.map((job) => job.id),
      later,
    );
    const claim = { claimant: 'x', leaseMs: 10, maxAttempts: 3, limit: 1, kind: 'remember' } as const;
    for (let attempt = 1; attempt <= 3; attempt++) {
      const now = later + attempt * 10;
      expect(await bench.store.claimJobs({ ...claim, now })).toMatchObject([{ subject: id, attempts: attempt }]);
      expect((await talks(bench))[0]).toMatchObject({ status: 'processing', attempts: attempt });
      expect(await bench.store.claimJobs({ ...claim, now: now + 9 })).toEqual([]);
    }
    expect(await bench.store.claimJobs({ ...claim, now: later + 40 })).toEqual([]);
    const [shown] = await bench.store.jobs({ statuses: ['failed'] });
    expect(shown).toMatchObject({
      kind: 'remember',
      subject: String(id),
      error: '3 attempts ended with their process',
    });
    expect((await talks(bench))[0]).toMatchObject({ status: 'queued', reason: `given up: ${shown?.error}` });
  });
});

describe('rebuilds', () => {
  it.each(['queued', 'processing', 'archived'] as const)(
    '24. a rebuild and a reimport leave a %s row as it is; late entries start a new conversation',
    async (status) => {
      const bench = await workbench();
      bench.write(key, [...prompts('a', 6), ...prompts('b', 6, 200)]);
      await bench.ingest();
      const [first, second] = (await talks(bench)) as [Conversation, Conversation];
      await bring(bench, first.id, status);
      await bring(bench, second.id, status);
      const frozen = (await talks(bench)).slice(0, 2);
      // Within the gap of the last entry, so that it would belong to the second row.
      bench.append(key, prompt('late', 'late', 206));
      await bench.ingest();
      await bench.ingest({ reimport: true });
      const rows = await talks(bench);
      expect(rows.slice(0, 2)).toEqual(frozen);
      expect(rows.slice(2)).toMatchObject([{ entries: 1 }]);
      expect(await bench.store.conversationEntries(first.id)).toHaveLength(6);
      expect((await bench.store.conversationEntries(rows[2]?.id ?? 0)).map((entry) => entry.id)).toEqual(['late']);
      bench.append(key, prompt('later', 'later', 207));
      await bench.ingest();
      expect(await sizes(bench)).toEqual([6, 6, 2]);
    },
  );

  it('24. a file that shrank below an archived row still gets conversations for what it gains', async () => {
    const bench = await workbench();
    bench.write(key, [...prompts('a', 20), ...prompts('b', 20, 200)]);
    await bench.ingest();
    const [, old] = (await talks(bench)) as [Conversation, Conversation];
    await bring(bench, old.id, 'archived');
    bench.write(key, prompts('n', 2, 500));
    await bench.ingest();
    bench.append(key, ...prompts('m', 3, 505));
    await bench.ingest();
    const [kept, fresh, ...others] = await talks(bench);
    expect(kept).toMatchObject({ id: old.id, status: 'archived' });
    expect(fresh).toMatchObject({ entries: 5, status: 'ready' });
    expect(others).toEqual([]);
    expect(await bench.store.conversationEntries(fresh?.id ?? 0)).toHaveLength(5);
  });

  it('24. an archived row of a fork keeps its entries when the origin is imported later', async () => {
    const bench = await workbench();
    const shared = prompts('a', 6, 0, 1, { sessionId: 'fork' });
    bench.write('p/fork.jsonl', [...shared, prompt('own', 'own', 6, { sessionId: 'fork' })]);
    await bench.ingest();
    const [row] = (await talks(bench)) as [Conversation];
    await bring(bench, row.id, 'archived');
    bench.write(key, [...prompts('a', 6), answer('b', 'the origin went on', 5.5)]);
    await bench.ingest();
    expect((await bench.store.findEntries('a0'))[0]?.session).toBe('s1');
    const rows = await talks(bench);
    expect(rows.find((talk) => talk.id === row.id)).toMatchObject({ status: 'archived', entries: 7 });
    expect(await bench.store.conversationEntries(row.id)).toHaveLength(7);
    expect(rows.filter((talk) => talk.id !== row.id).map((talk) => talk.entries)).toEqual([1]);
  });

  it('27. a re-import is idempotent: all rows, and the ids of conversations', async () => {
    const bench = await workbench();
    bench.write(key, [
      ...prompts('a', 6),
      'malformed\n',
      ...prompts('b', 3, 200),
      prompt('z', 'back', 300, { parentUuid: 'a2' }),
    ]);
    bench.write('p/fork.jsonl', [
      ...prompts('a', 6, 0, 1, { sessionId: 'fork' }),
      prompt('f', 'own', 900, { sessionId: 'fork' }),
    ]);
    bench.write('p/s1/subagents/agent-x.jsonl', prompts('sub', 3, 0, 1, { isSidechain: true }));
    await bench.ingest();
    await bring(bench, (await talks(bench))[0]?.id ?? 0, 'archived');
    const before = [bench.rows(), await bench.store.conversations({})];
    for (let round = 0; round < 2; round++) {
      expect((await bench.ingest({ reimport: true })).entries.added).toBe(0);
      expect([bench.rows(), await bench.store.conversations({})]).toEqual(before);
    }
    expect(await bench.store.integrity()).toEqual([]);
  });
});

const statusOf = async (bench: Bench): Promise<string | undefined> => (await talks(bench))[0]?.status;
