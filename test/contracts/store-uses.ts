// What every engine must do to make tool uses searchable.
import { expect, it } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import type { KeywordFilter } from '../../src/store/search/port.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewToolUse } from '../../src/store/transcripts/port.ts';
import { base, chunk, entry, rules } from './chunks.ts';

const use = (id: string, tool: string, input: unknown): NewToolUse => ({
  id,
  tool,
  input: JSON.stringify(input),
  files: [],
});
const does = (uuid: string, ...toolUses: NewToolUse[]) =>
  entry(uuid, '', { role: 'assistant', author: 'model', tools: ['x'], toolUses });
const result = (id: string, output: string, outcome: 'ok' | 'error' = 'ok') => ({ id, pos: 1e9, outcome, output });

export function describeUses(open: () => { store: Store }): void {
  const found = async (query: string, filter: Partial<KeywordFilter> = {}) => {
    const { store } = open();
    const { rows } = await store.search.rankToolUses(parseKeywords(query), { limit: 50, ...filter });
    return (await store.entries.at(rows)).map((one) => one.entry.id);
  };
  const build = use('u1', 'Bash', { command: 'docker build -t harbour .', description: 'Build the image' });
  const edit = use('u2', 'Edit', { file_path: '/w/gate.ts', old_string: 'open()', new_string: 'useTideGauge()' });

  it('finds an entry by the command that it ran, by its change and by its result', async () => {
    const { store } = open();
    await store.transcripts.commit(
      [chunk([does('a', build), does('b', edit)], { results: [result('u1', 'no space left on device', 'error')] })],
      rules,
    );
    expect(await found('docker build')).toEqual(['a']);
    expect(await found('space left')).toEqual(['a']);
    expect(await found('gauge')).toEqual(['b']);
    expect(await store.search.rankKeywords(parseKeywords('docker'), { limit: 9 })).toMatchObject({ rows: [] });
  });

  it('walks the uses of a session in order, also where history was copied, and counts them', async () => {
    const { store } = open();
    const gate = { ...edit, files: ['/w/gate.ts', '/w/lock.ts'] };
    const failed = { ...build, result: { id: 'u1', pos: 5, outcome: 'error', output: 'no' } } as const;
    await store.transcripts.commit([chunk([entry('p', 'Build it'), does('a', failed, gate)])], rules);
    const walked = async () => {
      const rows = await store.entries.order('claude-code', 's1', { subagents: true });
      const uses = await store.entries.usesAt(rows);
      const tools = ['Bash', 'Edit', 'Read'];
      const inSession = await store.entries.usesIn('claude-code', 's1', { tools });
      expect(inSession).toEqual(uses.filter(({ outcome }) => outcome !== 'error'));
      expect(await store.entries.usesIn('claude-code', 's1', { tools: ['Edit'], input: 'tidegauge' })).toMatchObject([
        { tool: 'Edit' },
      ]);
      expect(await store.entries.toolUsesAt(uses.map((one) => one.use))).toMatchObject(
        uses.map(({ tool, outcome }) => ({ tool, ...(outcome === undefined ? {} : { outcome }) })),
      );
      return uses.map(({ tool, outcome, file }) => [tool, outcome, file]);
    };
    const expected = [
      ['Bash', 'error', undefined],
      ['Edit', undefined, '/w/gate.ts'],
    ];
    expect(await walked()).toEqual(expected);
    expect((await store.sessions.find('s1'))[0]?.toolUses).toBe(2);
    await store.transcripts.commit(
      [
        chunk([does('a', failed, gate), does('d', use('u4', 'Read', {}))], {
          key: 'p/s1-fork.jsonl',
          bornAt: base + 1,
        }),
      ],
      rules,
    );
    expect(await walked()).toEqual([...expected, ['Read', undefined, undefined]]);
    expect((await store.sessions.find('s1'))[0]?.toolUses).toBe(3);
  });

  it('finds the result of a use that arrives later, and asks for another vector', async () => {
    const { store } = open();
    await store.vectors.wantModel('m');
    await store.transcripts.commit([chunk([does('a', build)])], rules);
    const [first] = await store.vectors.pending(1);
    expect(first?.text).toContain('docker build -t harbour .');
    await store.vectors.save('m', [{ kind: 'entry', id: first?.id ?? 0, stamp: first?.stamp ?? 0, vectors: [] }]);
    await store.transcripts.commit([chunk([], { from: 10, results: [result('u1', 'Successfully tagged')] })], rules);
    expect(await found('tagged')).toEqual(['a']);
    expect((await store.vectors.pending(1))[0]?.text).toContain('Successfully tagged');
  });

  it('stores a result that comes with its use, also when the entry was there before', async () => {
    const { store } = open();
    const withResult = (output: string, pos: number): NewToolUse => ({
      ...build,
      result: { id: 'u1', pos, outcome: 'error', output },
    });
    const prepared = { usesIndexed: { input: 'Bash docker build', output: 'quota exceeded' } };
    await store.transcripts.commit(
      [chunk([{ ...does('a', withResult('quota exceeded', 5)), ...prepared }, does('b', edit)])],
      rules,
    );
    expect(await found('quota')).toEqual(['a']);
    expect(await store.entries.toolUses(['a'])).toMatchObject([{ outcome: 'error', output: 'quota exceeded' }]);
    // The same line again, with another result; and a fork that copies it.
    await store.transcripts.commit([chunk([does('a', withResult('disk is full', 25))], { from: 20, to: 30 })], rules);
    expect(await store.entries.toolUses(['a'])).toMatchObject([{ output: 'disk is full' }]);
    expect(await found('quota')).toEqual([]);
    const fork = { key: 'p/s2.jsonl', bornAt: base + 1 };
    await store.transcripts.commit([chunk([does('a', withResult('moon is down', 5))], fork)], rules);
    expect(await found('moon')).toEqual(['a']);
    expect(await found('disk')).toEqual([]);
  });

  it('stores a vector that comes with its entry, and asks for one if a result arrives for it', async () => {
    const { store } = open();
    const numbers = Int8Array.from({ length: 8 }, (_, i) => i);
    const vectors = { model: 'm', rough: true, dimensions: 4, numbers };
    const entries = [
      { ...does('a', build), usesIndexed: { input: 'docker', output: '' }, vector: 1 },
      { ...entry('b', 'tide'), vector: 0 },
      { ...entry('c', '…'), vector: -1 },
    ];
    await store.vectors.wantModel('m');
    await store.transcripts.commit([chunk(entries, { vectors })], rules);
    expect(await store.vectors.pending(9)).toEqual([]);
    const { vectors: stored } = await store.vectors.after(0, { kind: 'entry', model: 'm', limit: 9 });
    expect([...stored]).toEqual([4, 5, 6, 7, 0, 1, 2, 3]);
    expect(await store.vectors.counts()).toMatchObject({ embedded: 2, rough: 2 });
    await store.transcripts.commit([chunk([], { from: 30, results: [result('u1', 'Successfully tagged')] })], rules);
    expect((await store.vectors.pending(9)).map(({ text }) => text)).toEqual([
      expect.stringContaining('Successfully tagged'),
    ]);
  });

  it('asks for a vector if the one that comes with an entry is of another model or has other dimensions', async () => {
    const { store } = open();
    const vectors = { model: 'other', rough: true, dimensions: 4, numbers: new Int8Array(4).fill(9) };
    const commit = (uuid: string, from: number, model: string, dimensions: number) =>
      store.transcripts.commit(
        [
          chunk([{ ...entry(uuid, uuid), vector: 0 }], {
            from,
            vectors: { ...vectors, model, dimensions, numbers: new Int8Array(dimensions).fill(9) },
          }),
        ],
        rules,
      );
    await store.vectors.wantModel('m');
    await commit('a', 0, 'other', 4);
    await commit('b', 10, 'm', 4);
    await commit('c', 20, 'm', 8);
    expect((await store.vectors.pending(9)).map(({ text }) => text).sort()).toEqual(['a', 'c']);
  });

  it('lists the entries that contain each term, in texts and tool uses, until there is no room left', async () => {
    const { store } = open();
    const said = entry('c', 'The docker image is built.', { role: 'assistant', author: 'model' });
    await store.transcripts.commit([chunk([does('a', build), does('b', edit), said])], rules);
    const term = (word: string, prefix = false) => ({ words: [word], prefix });
    const listed = async (most: number, ...terms: ReturnType<typeof term>[][]) => {
      const rows = await store.search.termRows(terms, most);
      return Promise.all(
        rows.map(async (some) => some && (await store.entries.at(some)).map((one) => one.entry.id).sort()),
      );
    };
    expect(await listed(9, [term('docker')], [term('tide'), term('buil', true)], [term('nowhere')], [])).toEqual([
      ['a', 'c'],
      ['a', 'b', 'c'],
      [],
      undefined,
    ]);
    // A term with too many leaves the room to the next.
    expect(await listed(1, [term('docker')], [term('harbour')], [term('gate')])).toEqual([undefined, ['a'], undefined]);
    expect(await listed(0, [term('docker')])).toEqual([undefined]);
  });

  it('filters by tool and outcome', async () => {
    const { store } = open();
    const again = use('u3', 'Bash', { command: 'docker build --no-cache .' });
    await store.transcripts.commit(
      [
        chunk([does('a', build), does('b', edit), does('c', again)], {
          results: [result('u1', 'failed', 'error'), result('u3', 'done')],
        }),
      ],
      rules,
    );
    expect((await found('docker')).sort()).toEqual(['a', 'c']);
    expect(await found('docker', { use: { outcome: 'error' } })).toEqual(['a']);
    expect(await found('docker', { use: { tools: ['Edit'] } })).toEqual([]);
    expect(await found('docker', { use: { tools: ['Bash'], outcome: 'ok' } })).toEqual(['c']);
    expect(await store.search.toolNames()).toEqual(['Bash', 'Edit']);
    expect((await store.search.toolUsers({ tools: ['Bash'] })).length).toBe(2);
  });

  it('finds nothing of a deleted session, nor of a redacted text', async () => {
    const { store } = open();
    await store.transcripts.commit(
      [
        chunk([does('a', build)]),
        chunk([{ ...does('x', use('u9', 'Bash', { command: 'echo hunter2' })), session: 's2' }], { key: 'p/s2.jsonl' }),
      ],
      rules,
    );
    await store.removal.deleteSessions([{ agent: 'claude-code', session: 's1' }], rules);
    expect(await found('docker')).toEqual([]);
    expect(await found('hunter2')).toEqual(['x']);
    const change = (text: string) => text.replaceAll('hunter2', '[redacted]');
    while (!(await store.removal.rewriteTexts(99, { text: change, json: change }, 10)).outside);
    expect(await found('hunter2')).toEqual([]);
    expect(await found('redacted')).toEqual(['x']);
  });

  it('takes any input and output, keeps all uses, and indexes a bounded part of them', async () => {
    const { store } = open();
    const many = Array.from({ length: 10_000 }, (_, i) => use(`m${i}`, 'Bash', { command: `step ${i}` }));
    const line = `lonelyword ${'x'.repeat(5_000_000)}`;
    const binary = Array.from({ length: 4000 }, (_, i) => String.fromCharCode(i % 256)).join('');
    const odd = { id: 'o', tool: 'Bash', input: '{"command":"cut in the mid', files: [] };
    await store.transcripts.commit(
      [
        chunk([does('many', ...many), does('long', use('l', 'Bash', {})), does('odd', odd, use('b', 'Bash', null))], {
          results: [result('l', line), result('o', '\u001b[31mredfailure\u001b[0m'), result('b', binary)],
        }),
      ],
      rules,
    );
    expect((await store.entries.toolUses(['many'])).length).toBe(10_000);
    expect(await found('lonelyword')).toEqual(['long']);
    expect(await found('redfailure')).toEqual(['odd']);
    expect(await found('middle mid')).toEqual(['odd']);
    const texts = await store.vectors.pending(10);
    expect(Math.max(...texts.map(({ text }) => text.length))).toBeLessThan(5000);
  });
}
