import { describe, expect, it } from 'vitest';
import { demoMemory, emptyMemory, tell } from '../../../test/demo-memory.ts';
import { briefing, giveBriefing, recallFor } from './briefing.ts';
import { mute, pin, pins } from './pins.ts';
import { timeline } from './timeline.ts';

describe('briefing', () => {
  it('says its size', async () => {
    const { context } = await demoMemory();
    const answer = await briefing.run(context, { project: 'courier' });
    expect(answer).toMatchObject({ project: 'courier', characters: answer.text.length });
    expect(answer.tokens).toBeGreaterThan(answer.characters / 5);
    expect(briefing.output.safeParse(answer).success).toBe(true);
  });

  it('shows exactly what a session was given', async () => {
    const memory = await demoMemory();
    const to = {
      agent: 'claude-code',
      session: 'new-session',
      project: '/home/dev/courier/src',
      source: 'startup',
    } as const;
    const text = await giveBriefing(memory.context, to);
    expect(text).toContain('Dead letters in the dashboard');
    await mute.run(memory.context, { id: '019a1f6e', remove: false });
    const { given } = await briefing.run(memory.context, { given: 'new' });
    expect(given).toMatchObject([{ session: 'new-session', source: 'startup', project: 'courier', text }]);
    await expect(briefing.run(memory.context, { given: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is not recorded if it is empty', async () => {
    const { context } = await emptyMemory();
    const to = { agent: 'claude-code', session: 's', project: '/nowhere', source: 'startup' } as const;
    expect(await giveBriefing(context, to)).toBe('');
    expect(await context.store.briefings.list({ limit: 1 })).toEqual([]);
  });
});

describe('recall for a prompt', () => {
  it('looks in the project of the folder, and only when the person wants it', async () => {
    const prompt = 'why do users with two tabs get logged out at random?';
    const on = await demoMemory({ HOLDFAST_RECALL_ON_PROMPT: 'true' });
    expect(await recallFor(on.context, prompt, 's', '/home/dev/turnstile/src')).toContain('logged out at random');
    expect(await recallFor(on.context, prompt, 's', '/home/dev/courier')).toBeUndefined();
    expect(await recallFor(on.context, prompt, 's', undefined)).toBeUndefined();
    expect(await recallFor((await demoMemory()).context, prompt, 's', '/home/dev/turnstile')).toBeUndefined();
  });
});

describe('pin and mute', () => {
  it('mark a session, an entry or a project, and remove the mark again', async () => {
    const { context, store } = await demoMemory();
    const [entry] = await store.entries.transcript('claude-code', '67096c2b-dd0a-4251-9e62-a74f249013d6');
    expect(await pin.run(context, { id: '67096c2b', remove: false })).toMatchObject({
      kind: 'session',
      mark: 'pinned',
    });
    expect(await mute.run(context, { id: entry?.id ?? '', remove: false })).toMatchObject({
      kind: 'entry',
      mark: 'muted',
    });
    expect(await pin.run(context, { id: 'courier', remove: false })).toMatchObject({
      kind: 'project',
      id: '/home/dev/courier',
    });
    expect((await pins.run(context, {})).pins.map(({ kind, text }) => [kind, text.slice(0, 14)])).toEqual([
      ['entry', 'Users with two'],
      ['project', 'courier'],
      ['session', 'Random logouts'],
    ]);
    for (const id of ['67096c2b', 'courier']) await pin.run(context, { id, remove: true });
    expect((await pins.run(context, {})).pins).toHaveLength(1);
    await expect(pin.run(context, { id: 'courier', remove: true })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(pin.run(context, { id: 'zzz', remove: false })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('timeline', () => {
  const limit = 5;

  it('shows the latest entries, in order of time', async () => {
    const { context } = await demoMemory();
    const { items } = await timeline.run(context, { limit });
    expect(items).toHaveLength(limit);
    expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).sort());
    expect(items.at(-1)).toMatchObject({ project: 'courier', agent: 'pi', kind: 'entry', role: 'assistant' });
    expect(items.at(-1)?.text).toContain('Support can now open');
  });

  it('shows the surroundings of an entry or a session, and marks it', async () => {
    const { context, store } = await demoMemory();
    const all = (await timeline.run(context, { limit: 1000 })).items;
    const middle = all[Math.floor(all.length / 2)];
    const { items, focus } = await timeline.run(context, { around: middle?.id ?? '', limit });
    expect(focus).toBe(middle?.id);
    expect(items).toHaveLength(limit);
    expect(items.findIndex(({ id }) => id === focus)).toBe(2);
    const first = all[0];
    expect((await timeline.run(context, { around: first?.id ?? '', limit })).items).toEqual(all.slice(0, limit));
    expect((await timeline.run(context, { around: all.at(-1)?.id ?? '', limit })).items).toEqual(all.slice(-limit));
    const session = (await store.sessions.find('67096c2b'))[0];
    expect(
      (await timeline.run(context, { around: '67096c2b', limit })).items.some((one) => one.session === session?.id),
    ).toBe(true);
  });

  it('obeys project and dates, and leaves out subagents, the machine and abandoned branches', async () => {
    const { context } = await demoMemory();
    const { items } = await timeline.run(context, { project: 'turnstile', since: '2026-10-06', limit: 100 });
    expect(new Set(items.map(({ session }) => session.slice(0, 8)))).toEqual(new Set(['3f7fa8be', '045916cf']));
    expect((await timeline.run(context, { since: '2026-10-06', limit: 2 })).items).toEqual(items.slice(0, 2));
    expect((await timeline.run(context, { until: '2026-10-05', project: 'turnstile', limit: 100 })).items).toHaveLength(
      15,
    );
    const texts = (await timeline.run(context, { limit: 1000 })).items.map(({ text }) => text).join('\n');
    expect(texts).not.toMatch(/charts per customer|company registry/);
  });

  it('says what an entry without text did', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's1', '/srv/shop', '2026-11-01T10:00:00Z', [
      { by: 'user', text: 'Test it.' },
      { by: 'assistant', uses: [{ name: 'Bash', input: { command: 'npm test' }, failed: 'no' }] },
    ]);
    expect((await timeline.run(memory.context, { limit })).items.map(({ text }) => text)).toEqual([
      'Test it.',
      'Bash npm test (failed)',
    ]);
  });
});
