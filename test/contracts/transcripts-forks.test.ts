// Statement 18 of the promise to transcripts: history that stands in several files, and abandoned branches.
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answer, type Bench, bytesOf, type Json, prompt, prompts, toolUse, workbench } from './transcript-builder.ts';

/** The lines as a fork copies them: everything the same except the session. */
const as = (session: string, lines: readonly Json[]): Json[] => lines.map((line) => ({ ...line, sessionId: session }));

const origin = as('origin', [...prompts('o', 4), answer('o4', [toolUse('t', 'Read')], 4), prompt('o5', 'own end', 5)]);
const fork = as('fork', [...origin.slice(0, 4), ...prompts('f', 3, 10)]);
const forkOfFork = as('third', [...fork.slice(0, 6), ...prompts('g', 2, 20)]);
const files: Readonly<Record<string, readonly Json[]>> = {
  'p/origin.jsonl': origin,
  'p/fork.jsonl': fork,
  'p/third.jsonl': forkOfFork,
};

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

async function owners(bench: Bench): Promise<Record<string, string>> {
  const ids = [...origin, ...fork, ...forkOfFork].map((line) => String(line.uuid));
  const found = await Promise.all([...new Set(ids)].map((id) => bench.store.entries.find(id)));
  return Object.fromEntries(found.flat().map((entry) => [entry.id, entry.session]));
}

describe('forks', () => {
  const orders = permutations(Object.keys(files));
  it.each(orders.map((order) => [order.join(', '), order] as const))(
    '18. a fork does not double its history, and the earliest session owns it: %s',
    async (_, order) => {
      const bench = await workbench();
      for (const key of order) {
        bench.write(key, files[key] ?? []);
        await bench.ingest();
      }
      expect(await bench.store.entries.counts()).toMatchObject({ entries: 11, sessions: 3, toolUses: 1 });
      expect(await owners(bench)).toEqual(
        Object.fromEntries([
          ...['o0', 'o1', 'o2', 'o3', 'o4', 'o5'].map((id) => [id, 'origin']),
          ...['f0', 'f1', 'f2'].map((id) => [id, 'fork']),
          ...['g0', 'g1'].map((id) => [id, 'third']),
        ]),
      );
      for (const [session, lines] of [
        ['origin', origin],
        ['fork', fork],
        ['third', forkOfFork],
      ] as const) {
        const transcript = await bench.store.entries.transcript('claude-code', session);
        expect(transcript.map((entry) => entry.id)).toEqual(lines.map((line) => line.uuid));
        expect((await bench.store.sessions.find(session))[0]).toMatchObject({
          entries: lines.length,
          title: 'o number 0',
        });
      }
      const talks = await bench.store.conversations.list({});
      expect(talks.reduce((sum, talk) => sum + talk.entries, 0)).toBe(11);
      expect(await bench.store.admin.integrity()).toEqual([]);
    },
  );

  it('18. what a fork holds outlives its origin’s replacement, and goes to the earliest remaining file', async () => {
    const bench = await workbench();
    for (const [key, lines] of Object.entries(files)) bench.write(key, lines);
    await bench.ingest();
    bench.write('p/origin.jsonl', as('origin', prompts('z', 2)));
    await bench.ingest();
    expect(await owners(bench)).toMatchObject({ o0: 'fork', o3: 'fork', f0: 'fork', g0: 'third' });
    expect((await bench.store.entries.find('o5')).map(({ gone }) => gone)).toEqual([true]);
    expect((await bench.texts('third')).slice(0, 2)).toEqual(['o number 0', 'o number 1']);
    bench.write('p/origin.jsonl', origin);
    await bench.ingest();
    expect(await owners(bench)).toMatchObject({ o0: 'origin', o5: 'origin', f0: 'fork' });
    expect(await bench.store.admin.integrity()).toEqual([]);
  });

  it('18. a resumed session that continues under the same id in a second file is one session', async () => {
    const bench = await workbench();
    bench.write('p/s1.jsonl', prompts('a', 3));
    bench.write('q/s1.jsonl', [...prompts('a', 3), ...prompts('b', 2, 10)]);
    await bench.ingest();
    expect(await bench.store.entries.counts()).toMatchObject({ entries: 5, sessions: 1 });
    expect((await bench.store.sessions.list({}))[0]).toMatchObject({ entries: 5 });
    expect(await bench.texts()).toHaveLength(5);
  });
});

describe('branches', () => {
  const turn = (id: string, parent: string | null, minutes: number): Json[] => [
    prompt(id, `ask ${id}`, minutes, { parentUuid: parent }),
    { type: 'system', uuid: `${id}-sys`, parentUuid: id, timestamp: '2026-03-02T09:00:00Z' },
    answer(`${id}!`, `say ${id}`, minutes, { parentUuid: `${id}-sys` }),
  ];
  const left = async (lines: readonly Json[], cuts: boolean): Promise<string[]> => {
    const bench = await workbench();
    if (cuts) {
      const bytes = bytesOf(lines);
      const file = bench.write('p/s1.jsonl', []);
      for (let at = 0; at < bytes.length; at += 211) {
        fs.appendFileSync(file, bytes.subarray(at, at + 211));
        await bench.take('p/s1.jsonl');
      }
    } else {
      bench.write('p/s1.jsonl', lines);
      await bench.ingest();
    }
    const entries = await bench.store.entries.transcript('claude-code', 's1');
    expect(entries).toHaveLength(lines.filter((line) => line.type !== 'system').length);
    return entries.filter((entry) => entry.abandoned).map((entry) => entry.id);
  };
  const a = turn('a', null, 0);
  const b = turn('b', 'a!', 1);
  const c = turn('c', 'b!', 2);
  it.each([
    ['a straight line has none', [...a, ...b, ...c], []],
    ['resumed at an earlier answer', [...a, ...b, ...c, ...turn('d', 'a!', 3)], ['b', 'b!', 'c', 'c!']],
    ['rewound twice', [...a, ...b, ...turn('d', 'a!', 3), ...turn('e', 'a!', 4)], ['b', 'b!', 'd', 'd!']],
    ['back on the first branch', [...a, ...b, ...turn('d', 'a!', 3), ...turn('e', 'b!', 4)], ['d', 'd!']],
    [
      'a branch of a branch, left as a whole',
      [...a, ...b, ...turn('d', 'a!', 3), ...turn('e', 'd!', 4), ...turn('f', 'd!', 5), ...turn('g', 'b!', 6)],
      ['d', 'd!', 'e', 'e!', 'f', 'f!'],
    ],
    ['a prompt that was never answered', [...a, b[0] as Json, ...turn('d', 'a!', 3)], ['b']],
    ['a parent that the file does not hold', [...a, ...turn('d', 'elsewhere', 3)], []],
  ])('18. abandoned branches are kept but marked: %s', async (_, lines, abandoned) => {
    expect(await left(lines, false)).toEqual(abandoned);
    expect(await left(lines, true)).toEqual(abandoned);
  });

  it('18. text that quotes a uuid is not mistaken for the line that has it', async () => {
    const quote = answer('q', 'the log says "uuid":"a!" there', 3, { parentUuid: 'c!', leafUuid: 'a!' });
    const lines = [...a, ...b, ...c, quote, ...turn('d', 'a!', 4)];
    expect(await left(lines, false)).toEqual(['b', 'b!', 'c', 'c!', 'q']);
  });

  it('18. a fork from an abandoned branch of its origin owns what it added, and the owner’s marks count', async () => {
    const bench = await workbench();
    const lines = [...a, ...b, ...turn('d', 'a!', 3)];
    bench.write('p/s1.jsonl', lines);
    bench.write('p/kept.jsonl', as('kept', [...a, ...b, ...turn('k', 'b!', 9)]));
    await bench.ingest();
    const marks = async (session: string) =>
      (await bench.store.entries.transcript('claude-code', session)).map(
        (entry) => `${entry.id}${entry.abandoned ? ' left' : ''}`,
      );
    expect(await marks('s1')).toEqual(['a', 'a!', 'b left', 'b! left', 'd', 'd!']);
    expect(await marks('kept')).toEqual(['a', 'a!', 'b left', 'b! left', 'k', 'k!']);
  });
});
