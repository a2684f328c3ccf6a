// Statements 21–27 of the promise to transcripts: stretches between silences, their statuses, and what a rebuild may not touch.
import { describe, expect, it } from 'vitest';
import type { Conversation, ConversationStatus } from '../../src/schema/conversation.ts';
import { planningWith, threeAttempts } from '../job-rules.ts';
import { chunk, entry } from './chunks.ts';
import { random, randomTranscripts } from './random-transcripts.ts';
import {
  answer,
  type Bench,
  bytesOf,
  comparable,
  later,
  minute,
  prompt,
  prompts,
  start,
  workbench,
} from './transcript-builder.ts';

const key = 'p/s1.jsonl';
const gapMs = 60 * minute;

/** Conversations of all files, oldest first. */
const talks = async (bench: Bench): Promise<Conversation[]> =>
  [...(await bench.store.conversations.list({}))].sort((a, b) => a.firstAt.localeCompare(b.firstAt) || a.id - b.id);
const sizes = async (bench: Bench): Promise<number[]> => (await talks(bench)).map((talk) => talk.entries);

const claim = {
  claimant: 'x',
  now: later,
  leaseMs: gapMs,
  ...threeAttempts,
  limit: 9,
  kind: 'remember',
  mixed: true,
} as const;
const memories = async ({ store }: Bench) =>
  (await store.jobs.list({ kind: 'remember' })).map(
    ({ id }) => ({ id, kind: 'remember', by: 'offline', tokens: 0 }) as const,
  );

/** Memories are made after the turns have been observed. */
async function claimMemories({ store }: Bench, now: number) {
  const turns = await store.jobs.list({ kind: 'observe' });
  await store.jobs.cancel(
    turns.map(({ id }) => id),
    now,
  );
  return store.jobs.claim({ ...claim, now });
}

/** Everything that ever moves a conversation. */
const moves: Readonly<Record<string, (bench: Bench) => Promise<unknown>>> = {
  silence: ({ store }) => store.conversations.markReady(later, { gapMs, minEntries: 5 }),
  planning: ({ store }) => store.jobs.plan(later, planningWith(gapMs)),
  claiming: (bench) => claimMemories(bench, later),
  finishing: async (bench) => bench.store.jobs.finish('x', await memories(bench), later),
  releasing: ({ store }) => store.jobs.release('x', later),
};

/** Moves conversations that are long enough to a status, by the regular steps. */
async function bring(bench: Bench, to: ConversationStatus): Promise<void> {
  const ways: Readonly<Record<ConversationStatus, readonly string[]>> = {
    active: [],
    ready: ['silence'],
    skipped: ['silence'],
    queued: ['silence', 'planning'],
    processing: ['silence', 'planning', 'claiming'],
    archived: ['silence', 'planning', 'claiming', 'finishing'],
  };
  for (const way of ways[to]) await moves[way]?.(bench);
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
    expect(await whole.store.conversations.entries((await talks(whole))[0]?.id ?? 0)).toHaveLength(5);
  });
});

describe('statuses', () => {
  it.each([
    ['active', { silence: 'ready' }],
    ['ready', { planning: 'queued' }],
    ['skipped', {}],
    ['queued', { claiming: 'processing' }],
    ['processing', { finishing: 'archived', releasing: 'queued' }],
    ['archived', {}],
  ] as const)('23. a %s conversation makes its allowed moves, and nothing else moves it', async (from, ways) => {
    for (const way of Object.keys(moves)) {
      const bench = await workbench();
      bench.write(key, prompts('a', from === 'skipped' ? 4 : 6));
      await bench.take(key);
      await bring(bench, from);
      expect(await statusOf(bench)).toBe(from);
      await moves[way]?.(bench);
      expect(await statusOf(bench), `${way} of what is ${from}`).toBe((ways as Record<string, string>)[way] ?? from);
    }
  });

  it('23. a poll marks as ready what has been silent for longer than the gap', async () => {
    const bench = await workbench({ HOLDFAST_POLL_INTERVAL_MS: '100' });
    bench.write(key, prompts('a', 6));
    const last = start + 5 * minute;
    await bench.take(key);
    const rules = { gapMs, minEntries: 5 };
    expect(await bench.store.conversations.markReady(last + gapMs, rules)).toBe(0);
    let now = last + gapMs;
    const stop = new AbortController();
    const running = bench.work(stop.signal, () => now);
    try {
      await expect.poll(() => statusOf(bench)).toBe('active');
      now++;
      await expect.poll(() => statusOf(bench)).toBe('ready');
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

  it('26. rows with an expired lease go back to the queue, a bounded number of times, then are reported', async () => {
    const bench = await workbench();
    bench.write(key, prompts('a', 6));
    await bench.ingest();
    const id = (await talks(bench))[0]?.id ?? 0;
    const rules = planningWith(gapMs);
    await bench.store.jobs.plan(later, rules);
    expect((await talks(bench))[0]?.status).toBe('queued');
    const turns = await bench.store.jobs.list({ kind: 'observe' });
    await bench.store.jobs.cancel(
      turns.map((job) => job.id),
      later,
    );
    const brief = { ...claim, leaseMs: 10, limit: 1 };
    for (let attempt = 1; attempt <= 3; attempt++) {
      const now = later + attempt * 10;
      expect(await bench.store.jobs.claim({ ...brief, now })).toMatchObject([{ subject: id, attempts: attempt }]);
      expect((await talks(bench))[0]).toMatchObject({ status: 'processing', attempts: attempt });
      expect(await bench.store.jobs.claim({ ...brief, now: now + 9 })).toEqual([]);
    }
    expect(await bench.store.jobs.claim({ ...brief, now: later + 40 })).toEqual([]);
    const [shown] = await bench.store.jobs.list({ statuses: ['failed'] });
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
    '24. a rebuild and a reimport leave a %s row unchanged; entries after a silence start a new conversation',
    async (status) => {
      const bench = await workbench();
      bench.write(key, [...prompts('a', 6), ...prompts('b', 6, 200)]);
      await bench.ingest();
      const [first] = (await talks(bench)) as [Conversation];
      await bring(bench, status);
      const frozen = (await talks(bench)).slice(0, 2);
      bench.append(key, prompt('late', 'late', 206 + 61));
      await bench.ingest();
      await bench.ingest({ reimport: true });
      const rows = await talks(bench);
      expect(rows.slice(0, 2)).toEqual(frozen);
      expect(rows.slice(2)).toMatchObject([{ entries: 1 }]);
      expect(await bench.store.conversations.entries(first.id)).toHaveLength(6);
      expect((await bench.store.conversations.entries(rows[2]?.id ?? 0)).map((entry) => entry.id)).toEqual(['late']);
      bench.append(key, prompt('later', 'later', 207 + 61));
      await bench.ingest();
      expect(await sizes(bench)).toEqual([6, 6, 2]);
    },
  );

  it.each(['queued', 'processing', 'archived'] as const)(
    '24. a %s row that continues without a silence is one conversation again, and is distilled again',
    async (status) => {
      const bench = await workbench();
      bench.write(key, [...prompts('a', 6), ...prompts('b', 6, 200)]);
      await bench.ingest();
      await bring(bench, status);
      const [first, second] = (await talks(bench)) as [Conversation, Conversation];
      bench.append(key, prompt('late', 'late', 206));
      await bench.take(key);
      expect(await talks(bench)).toMatchObject([first, { id: second.id, status: 'active', entries: 7, attempts: 0 }]);
      // First its holder finishes, then the whole conversation is done.
      await moves.finishing?.(bench);
      await moves.silence?.(bench);
      await moves.planning?.(bench);
      expect(await claimMemories(bench, later + 60_000)).toContainEqual(
        expect.objectContaining({ kind: 'remember', subject: second.id }),
      );
      await moves.finishing?.(bench);
      expect((await talks(bench))[1]).toMatchObject({ id: second.id, status: 'archived', entries: 7 });
    },
  );

  it('9. conversations do not depend on where a file was cut, even when each piece was distilled at once', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { below, chance } = random(seed);
      // The first one copies nothing. An entry in several files may change its owner while a row that holds it stays.
      const files = new Map([...randomTranscripts(seed)].slice(0, 1).map(([name, parts]) => [name, bytesOf(parts)]));
      const env = { HOLDFAST_CONVERSATION_MAX_ENTRIES: '4', HOLDFAST_MIN_CONVERSATION_MESSAGES: '1' };
      const whole = await workbench(env);
      for (const [name, bytes] of files) whole.write(name, [bytes]);
      await whole.ingest();
      const pieces = await workbench(env);
      for (const [name, bytes] of files)
        for (let from = 0; from < bytes.length; ) {
          const to = Math.min(bytes.length, from + 1 + below(900));
          pieces.append(name, bytes.subarray(from, to));
          from = to;
          await pieces.take(name);
          if (chance(0.3)) continue;
          await pieces.store.conversations.markReady(later, { gapMs, minEntries: 1 });
          await moves.planning?.(pieces);
          if (chance(0.8)) await claimMemories(pieces, later + 60_000);
          if (chance(0.8)) await moves.finishing?.(pieces);
        }
      await pieces.ingest();
      const shape = async (bench: Bench) =>
        (await bench.store.conversations.list({}))
          .map(({ file, firstPos, firstAt, lastAt, entries }) => ({ file, firstPos, firstAt, lastAt, entries }))
          .sort((a, b) => a.file.localeCompare(b.file) || a.firstPos - b.firstPos);
      expect(await shape(pieces), `seed ${seed}`).toEqual(await shape(whole));
      await whole.dispose();
      await pieces.dispose();
    }
  });

  it('24. a file that shrank below an archived row still gets conversations for new entries', async () => {
    const bench = await workbench();
    // Twenty conversations that are too short, and one that is not.
    bench.write(key, [...prompts('a', 20, 0, 61), ...prompts('b', 20, 1400)]);
    await bench.ingest();
    const old = (await talks(bench)).at(-1) as Conversation;
    await bring(bench, 'archived');
    bench.write(key, prompts('n', 2, 2000));
    await bench.ingest();
    bench.append(key, ...prompts('m', 3, 2005));
    await bench.ingest();
    const rows = await talks(bench);
    expect(rows.find(({ id }) => id === old.id)).toMatchObject({ status: 'archived', entries: 20 });
    // The short ones stay, before everything that the file holds now.
    expect(rows.filter(({ firstPos }) => firstPos < 0)).toHaveLength(20);
    const [fresh, ...others] = rows.filter(({ firstPos, id }) => firstPos >= 0 && id !== old.id);
    expect(fresh).toMatchObject({ entries: 5, status: 'ready' });
    expect(others).toEqual([]);
    expect(await bench.store.conversations.entries(fresh?.id ?? 0)).toHaveLength(5);
  });

  it('24. an archived row of a fork keeps its entries when the origin is imported later', async () => {
    const bench = await workbench();
    const shared = prompts('a', 6, 0, 1, { sessionId: 'fork' });
    bench.write('p/fork.jsonl', [...shared, prompt('own', 'own', 6, { sessionId: 'fork' })]);
    await bench.ingest();
    const [row] = (await talks(bench)) as [Conversation];
    await bring(bench, 'archived');
    bench.write(key, [...prompts('a', 6), answer('b', 'the origin went on', 5.5)]);
    await bench.ingest();
    expect((await bench.store.entries.find('a0'))[0]?.session).toBe('s1');
    const rows = await talks(bench);
    expect(rows.find((talk) => talk.id === row.id)).toMatchObject({ status: 'archived', entries: 7 });
    expect(await bench.store.conversations.entries(row.id)).toHaveLength(7);
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
    await bring(bench, 'archived');
    expect(await statusOf(bench)).toBe('archived');
    const before = [bench.rows(), await bench.store.conversations.list({})];
    for (let round = 0; round < 2; round++) {
      expect((await bench.ingest({ reimport: true })).entries.added).toBe(0);
      expect([bench.rows(), await bench.store.conversations.list({})]).toEqual(before);
    }
    expect(await bench.store.admin.integrity()).toEqual([]);
  });
});

const statusOf = async (bench: Bench): Promise<string | undefined> => (await talks(bench))[0]?.status;

it('a file that is stored at once has the same conversations, uses and results as one that is stored entry by entry', async () => {
  const said = ['', 'short', '😀😀😀', 'a'.repeat(25), 'b\0c', '東京', 'half \ud83d', `${'x'.repeat(28)}😀`];
  const tight = { gapMs, maxEntries: 4, maxChars: 60 };
  const [atOnce, stepwise] = [await workbench(), await workbench()];
  for (let seed = 1; seed <= 40; seed++) {
    const { below } = random(seed);
    const file = { key: `p/s${seed}.jsonl` };
    let at = start;
    const entries = Array.from({ length: 1 + below(12) }, (_, i) => {
      at += below(5) === 0 ? 2 * gapMs : minute;
      const tools = below(3) === 0 ? ['Bash', '😀'] : [];
      // Some models number their calls from the beginning again.
      const toolUses = tools.map((tool) => ({ id: `use${below(4)}${tool}`, tool, input: '{}', files: [] }));
      const text = said[below(said.length)] as string;
      return entry(`${seed}-${i}`, text, { session: `s${seed}`, at, tools, toolUses });
    });
    const results = Array.from({ length: below(8) }, (_, i) => ({
      ...{ id: `use${below(4)}Bash`, pos: 10 * below(entries.length), outcome: 'ok' as const, output: `result ${i}` },
    })).sort((a, b) => a.pos - b.pos);
    await atOnce.store.transcripts.commit([chunk(entries, { ...file, results })], tight);
    for (const [i, one] of entries.entries()) {
      const own = results.filter(({ pos }) => pos === 10 * i);
      await stepwise.store.transcripts.commit([chunk([one], { ...file, from: 10 * i, results: own })], tight);
    }
  }
  const [actual, expected] = [atOnce, stepwise].map(({ config }) => comparable(config.databasePath));
  for (const table of ['conversations', 'entries', 'tool_uses'])
    expect(actual?.[table], table).toEqual(expected?.[table]);
});
