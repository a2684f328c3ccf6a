// What every engine must do with files that tools touched, and with data that older versions derived.
import { expect, it } from 'vitest';
import { parseKeywords } from '../../src/recall/question/keywords.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewToolUse } from '../../src/store/transcripts/port.ts';
import { base, chunk, entry, rules } from './chunks.ts';

const use = (id: string, tool: string, ...files: string[]): NewToolUse => ({ id, tool, input: '{}', files });
const does = (uuid: string, minutes: number, ...toolUses: NewToolUse[]) =>
  entry(uuid, '', {
    role: 'assistant',
    author: 'model',
    at: base + minutes * 60_000,
    tools: toolUses.map(({ tool }) => tool),
    toolUses,
  });

export function describeTouches(open: () => { store: Store }): void {
  const fill = (store: Store) =>
    store.transcripts.commit(
      [
        chunk(
          [
            entry('p1', 'Make the gauge read twice'),
            does('e1', 1, use('u1', 'Read', '/w/tide/src/gauge.ts')),
            does('e2', 2, use('u2', 'Edit', '/w/tide/src/gauge.ts', '/w/tide/src/other.ts')),
            entry('p2', 'Now the chart', { at: base + 180_000 }),
            does('e3', 4, use('u3', 'Write', '/w/tide/lib/gauge.ts')),
          ],
          { results: [{ id: 'u2', pos: 25, outcome: 'error', output: 'no' }] },
        ),
        chunk(
          [does('x1', 9, use('u1', 'read', 'src/gauge.ts'))].map((one) => ({ ...one, session: 's2' })),
          {
            key: 'p/s2.jsonl',
            agent: 'pi',
            sessions: [{ session: 's2', cwd: '/w/reef', projectPath: '/w/reef', title: 'Other' }],
          },
        ),
      ],
      rules,
    );
  const touched = async (store: Store, paths: string[], filter = {}) =>
    (await store.search.fileTouches(paths, { limit: 20, ...filter })).map(({ entry: { id }, tool }) => `${id} ${tool}`);

  it('knows all paths that end in a name', async () => {
    const { store } = open();
    await fill(store);
    expect([...(await store.search.touchedFiles('gauge.ts'))].sort()).toEqual([
      '/w/tide/lib/gauge.ts',
      '/w/tide/src/gauge.ts',
      'src/gauge.ts',
    ]);
    expect(await store.search.touchedFiles('auge.ts')).toEqual([]);
  });

  it('lists which tools touched files, newest first, with the prompt before and the outcome', async () => {
    const { store } = open();
    await fill(store);
    const all = ['/w/tide/src/gauge.ts', '/w/tide/lib/gauge.ts', 'src/gauge.ts'];
    expect(await touched(store, all)).toEqual(['x1 read', 'e3 Write', 'e2 Edit', 'e1 Read']);
    expect(await touched(store, all, { limit: 2 })).toEqual(['x1 read', 'e3 Write']);
    expect(await touched(store, all, { agent: 'pi' })).toEqual(['x1 read']);
    expect(await touched(store, all, { project: { name: 'tide' } })).toEqual(['e3 Write', 'e2 Edit', 'e1 Read']);
    expect(await touched(store, all, { until: base + 120_000 })).toEqual(['e1 Read']);
    expect(await touched(store, [])).toEqual([]);
    const [edit, read] = await store.search.fileTouches(['/w/tide/src/gauge.ts'], { limit: 9 });
    expect(edit).toMatchObject({ failed: true, prompt: 'p1', project: 'tide', cwd: '/w/tide/src' });
    expect(read).toMatchObject({ failed: false, prompt: 'p1', file: '/w/tide/src/gauge.ts' });
    const [alone] = await store.search.fileTouches(['src/gauge.ts'], { limit: 9 });
    expect(alone?.prompt).toBeUndefined();
  });

  it('finds words in the turn around an entry, and not beyond it', async () => {
    const { store } = open();
    await fill(store);
    const found = async (query: string, at: string) =>
      (await store.search.turnMatches(parseKeywords(query), at)).map(({ id }) => id);
    expect(await found('gauge twice', 'e1')).toEqual(['p1']);
    expect(await found('gauge twice', 'e2')).toEqual(['p1']);
    expect(await found('gauge twice', 'e3')).toEqual([]);
    expect(await found('chart', 'p2')).toEqual(['p2']);
    expect(await found('gauge', 'x1')).toEqual([]);
    expect(await found('', 'e1')).toEqual([]);
    expect(await found('gauge', 'none')).toEqual([]);
  });

  it('forgets a touch with its entry, and a path with its last touch', async () => {
    const { store } = open();
    await fill(store);
    await store.removal.deleteSessions([{ agent: 'claude-code', session: 's1' }], rules);
    expect(await store.search.touchedFiles('gauge.ts')).toEqual(['src/gauge.ts']);
    expect(await store.search.touchedFiles('other.ts')).toEqual([]);
    expect(await store.admin.integrity()).toEqual([]);
  });

  it('follows a transcript that was read again', async () => {
    const { store } = open();
    await fill(store);
    await store.transcripts.commit(
      [
        chunk([entry('p1', 'Make it'), does('e1', 7, use('u1', 'Read', '/w/tide/src/moved.ts'))], {
          restart: true,
          prune: true,
        }),
      ],
      rules,
    );
    expect(await touched(store, ['/w/tide/src/gauge.ts', '/w/tide/lib/gauge.ts'])).toEqual([]);
    expect(await store.search.touchedFiles('gauge.ts')).toEqual(['src/gauge.ts']);
    expect(await touched(store, ['/w/tide/src/moved.ts'], { since: base + 420_000 })).toEqual(['e1 Read']);
  });

  it('has nothing to renew in what it wrote itself', async () => {
    const { store } = open();
    expect(await store.admin.renewDerived(1)).toEqual({ done: true });
    await fill(store);
    expect(await store.admin.renewDerived(1)).toEqual({ done: true });
  });
}
