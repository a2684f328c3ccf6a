import { describe, expect, it } from 'vitest';
import { demoMemory } from '../../../test/demo-memory.ts';
import { distillAll } from '../../../test/distilled.ts';
import { renderObservations, renderSummaries } from '../../surfaces/cli/render/distilled.ts';
import { styles } from '../../surfaces/cli/style.ts';
import { get } from './get.ts';
import { observations } from './observations.ts';
import { summaries } from './summaries.ts';

const view = { style: styles(false), width: 100, now: 0, timeZone: 'UTC' };

async function distilled() {
  const memory = await demoMemory();
  await distillAll(memory.store);
  return memory;
}

describe('observations', () => {
  it('say what to do if there are none', async () => {
    const { context } = await demoMemory();
    const answer = await observations.run(context, { limit: 20 });
    expect(answer).toMatchObject({ observations: [], note: expect.stringContaining('holdfast process') });
    expect(renderObservations(answer, view)).toContain('holdfast process');
    expect(await summaries.run(context, { limit: 20, past: false })).toMatchObject({
      summaries: [],
      note: expect.any(String),
    });
  });

  it('are found by project, session, type, file and time', async () => {
    const { context } = await distilled();
    const all = (await observations.run(context, { limit: 1000 })).observations;
    expect(observations.output.safeParse({ observations: all }).error).toBeUndefined();
    expect(all.length).toBeGreaterThan(8);
    const count = async (filter: object) =>
      (await observations.run(context, { limit: 1000, ...filter })).observations.length;
    const [one] = all;
    expect(await count({ project: 'courier' })).toBe(all.filter(({ project }) => project === 'courier').length);
    expect(await count({ session: one?.session.slice(0, 8) })).toBe(
      all.filter(({ session }) => session === one?.session).length,
    );
    expect(await count({ type: 'bugfix' })).toBe(all.filter(({ type }) => type === 'bugfix').length);
    expect(await count({ file: 'retry-queue.ts' })).toBeGreaterThan(0);
    expect(await count({ until: '2026-01-01' })).toBe(0);
    await expect(observations.run(context, { since: 'never', limit: 5 })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('show a title, facts and where they come from', async () => {
    const { context } = await distilled();
    const text = renderObservations(await observations.run(context, { project: 'courier', limit: 20 }), view);
    expect(text).toMatch(/^courier {2}\S+ {2}holdfast show \S+\n {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}\w+ +\S/);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
  });
});

describe('summaries', () => {
  it('cover every session of the sample with work in it, in parts', async () => {
    const { context, store } = await distilled();
    const { summaries: found } = await summaries.run(context, { limit: 50, past: false });
    expect(summaries.output.safeParse({ summaries: found }).error).toBeUndefined();
    const worked = (await store.sessions.list({})).filter(({ toolUses }) => toolUses > 0).map(({ id }) => id);
    expect(found.map(({ session }) => session)).toEqual(expect.arrayContaining(worked));
    const text = renderSummaries({ summaries: found }, view);
    expect(text).toContain('Request');
    expect(text).toContain('Completed');
  });

  it('and observations can be read in full by their id, or its beginning', async () => {
    const { context, store } = await distilled();
    const [observation] = await store.distilled.observations({ limit: 1 });
    const [summary] = await store.distilled.summaries({ limit: 1 });
    const ids = [observation?.id.slice(0, 9) ?? '', summary?.id ?? ''];
    const { items } = await get.run(context, { ids, maxChars: 12_000, from: 0 });
    expect(get.output.safeParse({ items }).error).toBeUndefined();
    expect(items).toMatchObject([
      {
        kind: 'observation',
        id: observation?.id,
        session: observation?.session,
        text: expect.stringContaining(observation?.title ?? '-'),
      },
      { kind: 'summary', id: summary?.id, text: expect.stringContaining(`Request: ${summary?.request}`) },
    ]);
    await expect(get.run(context, { ids: ['onone'], maxChars: 500, from: 0 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
