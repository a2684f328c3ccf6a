// Recall of observations, summaries and memories through the public path.
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, now, tell } from '../../test/demo-memory.ts';
import { distillAll } from '../../test/distilled.ts';
import { apply, conversation, type extraction, fact, write } from '../../test/memory-stand.ts';
import { embedPending } from '../embedding/pending.ts';
import { get } from '../operations/recall/get.ts';
import { search } from '../operations/recall/search.ts';
import { Hit } from '../schema/hit.ts';
import { renderGet } from '../surfaces/cli/render/get.ts';
import { renderSearch } from '../surfaces/cli/render/search.ts';
import { styles } from '../surfaces/cli/style.ts';
import { textOf } from '../surfaces/mcp/text.ts';
import { toolsOf } from '../surfaces/mcp/tools.ts';

type Fields = Partial<ReturnType<typeof search.input.parse>>;

const find = (memory: Memory, query: string, fields: Fields) =>
  search.run(memory.context, search.input.parse({ query, ...fields }));
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();
const view = { style: styles(false), width: 100, now, timeZone: 'UTC' };
const kinds = ['observation', 'summary'] as const;

/** Two projects, three sessions with work in them, distilled. */
async function distilled(env: NodeJS.ProcessEnv = {}): Promise<Memory> {
  const memory = await emptyMemory(env);
  const edit = (file: string) => [{ name: 'Edit', input: { file_path: file, old_string: 'a', new_string: 'b' } }];
  await tell(memory, 'batches', '/home/dev/courier', '2026-03-10T09:00:00Z', [
    { by: 'user', text: "Let's stop re-sending failed batches to the partner." },
    { by: 'assistant', text: 'I change the sender.', uses: edit('/home/dev/courier/src/sender.ts') },
    { by: 'assistant', text: 'Failed batches are written into a table and are not sent again.' },
  ]);
  await tell(memory, 'colours', '/home/dev/courier', '2026-05-12T09:00:00Z', [
    { by: 'user', text: 'The chart on the dashboard should use the colours of the brand.' },
    { by: 'assistant', text: 'I set the palette.', uses: edit('/home/dev/courier/src/theme.ts') },
    { by: 'assistant', text: 'The chart uses the green of the brand for what was delivered.' },
  ]);
  await tell(memory, 'tabs', '/home/dev/turnstile', '2026-08-02T09:00:00Z', [
    { by: 'user', text: 'Users with two tabs are logged out at random. Fix it.' },
    { by: 'assistant', text: 'A lock solves it.', uses: edit('/home/dev/turnstile/src/refresh.ts') },
    { by: 'assistant', text: 'Fixed: only one tab refreshes the token, the others wait for the lock.' },
  ]);
  await distillAll(memory.store);
  await embedPending({ store: memory.store, config: memory.config });
  return memory;
}

describe.each(kinds)('search for results of sessions: %s', (kind) => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await distilled();
  });
  const sessions = async (query: string, fields: Fields = {}) =>
    (await find(memory, query, { kind, ...fields })).hits.map(({ session }) => session);

  it('finds by word, says why, and leads to the whole', async () => {
    const { hits, note } = await find(memory, 'colours of the brand', { kind });
    expect(note).toBeUndefined();
    const [hit] = hits;
    expect(Hit.safeParse(hit).error).toBeUndefined();
    expect(hit).toMatchObject({ kind, session: 'colours', project: 'courier', agent: 'claude-code' });
    expect(hit?.why?.[0]).toMatch(/^words: .*brand/);
    expect(hit?.snippet).toContain('«');
    const { items } = await get.run(memory.context, { ids: [hit?.id ?? ''], maxChars: 5000, from: 0 });
    expect(items[0]).toMatchObject({ kind, id: hit?.id, title: hit?.title });
    expect(renderSearch({ hits }, view)).toContain(`holdfast get ${hit?.id}`);
  });

  it('finds by meaning', async () => {
    const { hits } = await find(memory, 'retry queue dropped', { kind });
    expect(hits[0]).toMatchObject({ session: 'batches' });
    expect(hits[0]?.why).toContain('similar in meaning');
  });

  it('respects the filters', async () => {
    expect(await sessions('failed batches', { project: 'courier' })).toContain('batches');
    expect(await sessions('failed batches', { project: '/home/dev/courier' })).toContain('batches');
    expect(await sessions('failed batches', { project: 'turnstile' })).not.toContain('batches');
    expect(await sessions('failed batches', { since: '2026-04-01' })).not.toContain('batches');
    expect(await sessions('failed batches', { until: '2026-03-10' })).toEqual(['batches']);
    expect(await sessions('failed batches', { agent: 'pi' })).toEqual([]);
    await expect(find(memory, 'failed batches', { kind, role: 'user' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('finds those that touched a file, with words or newest first', async () => {
    expect(await sessions('', { file: 'src/theme.ts' })).toEqual(['colours']);
    expect(await sessions('', { file: '/home/dev/courier/src/theme.ts' })).toEqual(['colours']);
    expect(await sessions('', { file: '/home/dev/turnstile/src/theme.ts' })).toEqual([]);
    expect(await sessions('failed batches', { file: 'sender.ts' })).toEqual(['batches']);
    expect((await find(memory, '', { kind, file: 'theme.ts' })).hits[0]?.why).toEqual(['touched theme.ts']);
  });

  it('requires quoted text, and takes times as a hint', async () => {
    expect(await sessions('"failed batches" brand')).toEqual(['batches']);
    expect(await sessions('"retry queue"')).toEqual([]);
    const { hits } = await find(memory, 'chart or batches in March', { kind });
    expect(hits.find(({ session }) => session === 'batches')?.why).toContain('from the time asked for: in March');
  });
});

it('says what to do while nothing is distilled', async () => {
  const memory = await emptyMemory();
  for (const kind of kinds)
    expect(await find(memory, 'batches', { kind })).toMatchObject({
      hits: [],
      note: expect.stringContaining('holdfast process'),
    });
});

it('uses keywords alone if search by meaning is switched off, and says so', async () => {
  const memory = await distilled({ HOLDFAST_EMBEDDING_KIND: 'none' });
  const { hits, note } = await find(memory, 'failed batches', { kind: 'summary' });
  expect(hits[0]).toMatchObject({ session: 'batches' });
  expect(note).toContain('switched off');
  expect((await find(memory, 'retry queue dropped', { kind: 'summary' })).hits).toEqual([]);
});

describe('search for memories', () => {
  const found = async (memory: Memory, query: string, fields: Fields = {}) =>
    (await find(memory, query, { kind: 'memory', ...fields })).hits;
  const episode = (at: string, title: string, text: string) => ({ episodes: [{ at, title, text }] });

  it('finds by word and by meaning, says why, and leads to the page', async () => {
    const memory = await emptyMemory();
    await apply(memory, conversation('s1', daysAgo(3)), fact('package manager', 'We use pnpm to install packages.'));
    await apply(memory, conversation('s2', daysAgo(3)), fact('login button', 'The login button is blue.'));
    const [byWord] = await found(memory, 'pnpm');
    expect(Hit.safeParse(byWord).error).toBeUndefined();
    expect(byWord).toMatchObject({ kind: 'memory', snippet: expect.stringContaining('«pnpm»') });
    expect(byWord?.why?.[0]).toBe('words: pnpm');
    await embedPending({ store: memory.store, config: memory.config });
    const [byMeaning] = await found(memory, 'dependencies');
    expect(byMeaning).toMatchObject({ id: byWord?.id });
    expect(byMeaning?.why).toContain('similar in meaning');

    const { items } = await get.run(memory.context, { ids: [byWord?.id.slice(0, 8) ?? ''], maxChars: 5000, from: 0 });
    expect(get.output.safeParse({ items }).error).toBeUndefined();
    expect(items[0]).toMatchObject({ kind: 'memory', id: byWord?.id, page: 'core/facts.md', session: 's1' });
    expect(items[0]?.text).toContain('pnpm');
    expect(renderGet({ items }, view)).toContain('core/facts.md');
    const say = (name: string, output: unknown) => {
      const tool = toolsOf().find((one) => one.name === name);
      return tool === undefined ? '' : textOf(tool, output, 'UTC');
    };
    expect(say('search', { hits: [byWord] })).toMatch(/^- m[0-9a-f]{12} \S+ \S+: .*«pnpm»/m);
    expect(say('get', { items })).toContain('page core/facts.md');
  });

  it('36. halves dated memories with each half-life, which a person sets in days, and leaves evergreen ones alone', async () => {
    const scoreAfter = async (
      days: number,
      some: Parameters<typeof extraction>[0],
      env: Record<string, string> = {},
    ) => {
      const memory = await emptyMemory(env);
      await apply(memory, conversation('s1', daysAgo(days)), some ?? {});
      return (await found(memory, 'webhooks')).find(({ snippet }) => snippet.includes('«webhooks»'))?.score ?? 0;
    };
    const dated = (days: number, env?: Record<string, string>) =>
      scoreAfter(days, episode(daysAgo(days), 'Queue', 'Deploys lose webhooks.'), env);
    const fresh = await dated(0);
    expect((await dated(30)) / fresh).toBeCloseTo(0.5, 2);
    expect((await dated(90)) / fresh).toBeCloseTo(0.125, 2);
    expect((await dated(90, { HOLDFAST_MEMORY_HALF_LIFE_DAYS: '90' })) / fresh).toBeCloseTo(0.5, 2);
    expect(await dated(3000), 'old, and alone with the word').toBeGreaterThan(0);
    const evergreen = (days: number) => scoreAfter(days, fact('webhooks', 'Deploys lose webhooks.'));
    expect(await evergreen(3000)).toBe(await evergreen(0));
  });

  it('puts the newer of two dated ones first', async () => {
    const memory = await emptyMemory();
    for (const [session, days] of [
      ['old', 200],
      ['new', 2],
    ] as const)
      await apply(
        memory,
        conversation(session, daysAgo(days)),
        episode(daysAgo(days), `Deploy ${session}`, 'The deploy of the webhooks failed.'),
      );
    const order = (await found(memory, 'webhooks deploy')).map(({ session }) => session);
    expect(order.slice(0, 2)).toEqual(['new', 'old']);
  });

  it('respects project, agent and time, and refuses a file', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's1', '/home/dev/courier', daysAgo(5), [{ by: 'user', text: 'Hello.' }]);
    await apply(
      memory,
      conversation('s1', daysAgo(5)),
      episode(daysAgo(5), 'Queue', 'Deploys of the courier lose webhooks.'),
    );
    const count = async (fields: Fields) => (await found(memory, 'webhooks', fields)).length;
    const all = await count({});
    expect(all).toBeGreaterThan(0);
    expect(await count({ project: 'Courier' })).toBe(all);
    expect(await count({ project: '/home/dev/courier' })).toBe(all);
    expect(await count({ project: 'turnstile' })).toBe(0);
    expect(await count({ agent: 'claude-code' })).toBe(all);
    expect(await count({ agent: 'pi' })).toBe(0);
    expect(await count({ since: '2d' })).toBe(0);
    expect(await count({ until: '2026-01-01' })).toBe(0);
    await expect(found(memory, '', { file: 'a.ts' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('finds what a person has just written into a file, by word and by meaning', async () => {
    const memory = await emptyMemory();
    write(memory, 'own.md', '# Own\n\nThe landlord repairs the heating on Mondays.\n');
    expect((await found(memory, 'landlord'))[0]).toMatchObject({ session: '', project: '' });
    expect((await found(memory, 'rent of the tenant'))[0]?.why).toContain('similar in meaning');
  });

  it('says everything else before it repeats itself', async () => {
    const memory = await emptyMemory();
    for (const day of [1, 2, 3])
      await apply(
        memory,
        conversation(`s${day}`, daysAgo(day)),
        episode(daysAgo(day), 'Deploy', 'The deploy lost webhooks of the partner again.'),
      );
    await apply(memory, conversation('other', daysAgo(1)), fact('retries', 'Webhooks are sent three times.'));
    await embedPending({ store: memory.store, config: memory.config });
    const hits = await found(memory, 'webhooks deploy');
    expect(hits[0]?.session).toBe('s1');
    const again = hits.filter(({ session }) => session === 's2' || session === 's3');
    expect(again.map(({ session }) => session).sort()).toEqual(['s2', 's3']);
    for (const hit of again) expect(hit.score).toBeLessThan(0.7 * (hits[0]?.score ?? 0));
  });
});
