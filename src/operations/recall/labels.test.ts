import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../../test/demo-memory.ts';
import { renderSessions } from '../../surfaces/cli/render/sessions.ts';
import { styles } from '../../surfaces/cli/style.ts';
import { exportAll } from '../data/export.ts';
import { forget } from '../data/forget.ts';
import { importAll } from '../data/import.ts';
import { ingest } from '../data/ingest.ts';
import { nameSession, starSession, tagSession } from './labels.ts';
import { search } from './search.ts';
import { sessions } from './sessions.ts';
import { timeline } from './timeline.ts';

async function harbour(): Promise<Memory> {
  const memory = await emptyMemory();
  for (const [id, text] of [
    ['lamp-1', 'Mend the lamp of the lighthouse'],
    ['gull-1', 'Count the gulls on the lighthouse'],
  ] as const)
    await tell(memory, id, `/srv/${id}`, '2026-11-02T09:00:00.000Z', [
      { by: 'user', text },
      { by: 'assistant', text: 'Done at the lighthouse.' },
    ]);
  return memory;
}

const listed = async ({ context }: Memory, filter: { starred?: boolean; tag?: string } = {}) =>
  (await sessions.run(context, filter)).sessions.map(({ id, title }) => `${id} ${title}`).sort();

describe('a label on a session', () => {
  it('is its name in every list and hit, until it is removed', async () => {
    const memory = await harbour();
    const named = await nameSession.run(memory.context, { id: 'lamp', title: 'The winter lamp' });
    expect(named).toMatchObject({ session: 'lamp-1', title: 'The winter lamp' });
    expect(await listed(memory)).toContain('lamp-1 The winter lamp');
    const find = { ...search.input.parse({ query: 'mend lamp' }) };
    expect((await search.run(memory.context, find)).hits[0]?.title).toBe('The winter lamp');
    await nameSession.run(memory.context, { id: 'lamp', title: '' });
    expect(await listed(memory)).toContain('lamp-1 Mend the lamp of the lighthouse');
  });

  it('is a star and tags, which filter lists, search and timeline', async () => {
    const memory = await harbour();
    await starSession.run(memory.context, { id: 'gull-1', remove: false });
    const tagged = { id: 'gull-1', tags: ['birds', 'roof'], remove: false };
    expect((await tagSession.run(memory.context, tagged)).tags).toEqual(['birds', 'roof']);
    expect(await listed(memory, { starred: true })).toHaveLength(1);
    expect(await listed(memory, { tag: 'Birds' })).toHaveLength(1);
    expect(await listed(memory, { tag: 'fish' })).toHaveLength(0);
    const query = search.input.parse({ query: 'lighthouse', tag: 'birds' });
    const hits = (await search.run(memory.context, query)).hits;
    expect(new Set(hits.map(({ session }) => session))).toEqual(new Set(['gull-1']));
    const { items } = await timeline.run(memory.context, { starred: true, limit: 30 });
    expect(new Set(items.map(({ session }) => session))).toEqual(new Set(['gull-1']));
    const view = { style: styles(false), width: 120, now: 0, timeZone: 'UTC' };
    expect(renderSessions(await sessions.run(memory.context, { tag: 'roof' }), view)).toContain(
      '★ Count the gulls on the lighthouse #birds #roof',
    );
    await tagSession.run(memory.context, { ...tagged, tags: ['birds'], remove: true });
    await starSession.run(memory.context, { id: 'gull-1', remove: true });
    expect(await listed(memory, { starred: true })).toEqual([]);
    expect((await sessions.run(memory.context, { tag: 'roof' })).sessions[0]?.tags).toEqual(['roof']);
  });

  it('survives a reimport, export and import; a local label wins', async () => {
    const memory = await harbour();
    await nameSession.run(memory.context, { id: 'lamp', title: 'The winter lamp' });
    await tagSession.run(memory.context, { id: 'lamp', tags: ['winter'], remove: false });
    await ingest.run(memory.context, ingest.input.parse({ reimport: true }));
    expect(await listed(memory, { tag: 'winter' })).toEqual(['lamp-1 The winter lamp']);
    const file = `${memory.home}/all.jsonl`;
    await exportAll.run(memory.context, { file });
    const other = await emptyMemory();
    await importAll.run(other.context, { file });
    expect(await listed(other, { tag: 'winter' })).toEqual(['lamp-1 The winter lamp']);
    await nameSession.run(other.context, { id: 'lamp', title: 'Mine' });
    await importAll.run(other.context, { file });
    expect(await listed(other, { tag: 'winter' })).toEqual(['lamp-1 Mine']);
  });

  it('is deleted with a forgotten session', async () => {
    const memory = await harbour();
    await nameSession.run(memory.context, { id: 'lamp', title: 'The winter lamp' });
    await forget.run(memory.context, forget.input.parse({ id: 'lamp-1', yes: true }));
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(memory.context.config.databasePath, { readonly: true });
    expect(db.prepare('SELECT count(*) FROM session_labels').pluck().get()).toBe(0);
    db.close();
  });

  it('contains no secret, and is refused if it is not a tag or too long', async () => {
    const memory = await harbour();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}aBcDeF`;
    expect((await nameSession.run(memory.context, { id: 'lamp', title: `with ${secret}` })).title).not.toContain(
      secret,
    );
    expect(tagSession.input.safeParse({ id: 'x', tags: ['a b'] }).success).toBe(false);
    expect(tagSession.input.safeParse({ id: 'x', tags: ['-x'] }).success).toBe(false);
    const many = Array.from({ length: 15 }, (_, i) => `tag${i}`);
    await tagSession.run(memory.context, { id: 'lamp', tags: many, remove: false });
    const more = { id: 'lamp', tags: many.map((tag) => `${tag}x`), remove: false };
    await expect(tagSession.run(memory.context, more)).rejects.toThrow('at most 20 tags');
    await expect(starSession.run(memory.context, { id: 'lamp-1-e0', remove: false })).rejects.toThrow('is an entry');
  });
});
