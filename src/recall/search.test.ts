// Recall through the public path: a real import and the search operation.
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyMemory, type Memory, tell } from '../../test/demo-memory.ts';
import { search } from '../operations/recall/search.ts';
import { hasWords } from '../schema/hit-text.ts';
import { openMeaning } from './vectors/index.ts';

type Fields = Partial<ReturnType<typeof search.input.parse>>;

const find = (memory: Memory, query: string, fields: Fields = {}) =>
  search.run(memory.context, search.input.parse({ query, ...fields }));
const ids = async (memory: Memory, query: string, fields: Fields = {}) =>
  (await find(memory, query, fields)).hits.map(({ id }) => id);

/** Two projects, a year of small talk around one decision. */
async function aYear(env: NodeJS.ProcessEnv = {}): Promise<Memory> {
  const memory = await emptyMemory(env);
  await tell(memory, 'batches', '/home/dev/courier', '2026-03-10T09:00:00Z', [
    { by: 'user', text: 'The partner complains about double deliveries again.' },
    { by: 'assistant', text: 'Every failed batch goes out a second time after a minute, even when it had arrived.' },
    { by: 'user', text: "let's stop re-sending failed batches" },
    { by: 'assistant', text: 'Done: the sender writes them into a table and leaves them there.' },
  ]);
  await tell(memory, 'colours', '/home/dev/courier', '2026-05-12T09:00:00Z', [
    { by: 'user', text: 'The chart on the dashboard should use the colours of the brand.' },
    { by: 'assistant', text: 'The palette is in theme.ts now: green for delivered, grey for pending.' },
  ]);
  await tell(memory, 'tabs', '/home/dev/turnstile', '2026-08-02T09:00:00Z', [
    { by: 'user', text: 'Users with two tabs are logged out at random.' },
    {
      by: 'assistant',
      text: 'Both tabs refresh the token at once, and the second refresh is refused. A lock solves it.',
    },
    { by: 'user', text: 'Which colour should the login button have?' },
    { by: 'assistant', text: 'Blue, as all the others on that page.' },
  ]);
  await tell(memory, 'budget', '/home/dev/turnstile', '2026-10-20T09:00:00Z', [
    { by: 'user', text: 'Write a letter to the landlord about the heating.' },
    { by: 'assistant', text: 'Dear Sir or Madam, since Monday the radiators in our flat have stayed cold.' },
  ]);
  return memory;
}

describe('a search among tool uses', () => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await emptyMemory();
    const bash = (command: string, failed?: string) => ({
      name: 'Bash',
      input: { command },
      ...(failed === undefined ? {} : { failed }),
    });
    await tell(memory, 'image', '/home/dev/harbour', '2026-09-01T09:00:00Z', [
      { by: 'user', text: 'Publish the container of the harbour service' },
      { by: 'assistant', text: 'Let me build the container first.' },
      {
        by: 'assistant',
        uses: [bash('docker build -t harbour .', 'step 4\nwrite /var/lib: no space left on device')],
      },
      { by: 'assistant', uses: [bash('docker system prune --all --force')] },
      { by: 'assistant', uses: [{ name: 'Edit', input: { file_path: '/home/dev/harbour/Dockerfile' } }] },
      { by: 'assistant', text: 'The disk was full of old layers. After pruning them the container was published.' },
    ]);
    await tell(memory, 'boat', '/home/dev/boat', '2026-09-02T09:00:00Z', [
      { by: 'user', text: 'Paint the boat' },
      { by: 'assistant', text: 'Painted it green.', uses: [bash('paint --green')] },
    ]);
  });

  it('shows the command as it was run, its outcome, the matching line and the prompt behind it', async () => {
    const { hits } = await find(memory, 'docker build space left on device');
    expect(hits[0]).toMatchObject({
      id: 'image-e2',
      kind: 'entry',
      use: {
        tool: 'Bash',
        did: 'docker build -t harbour .',
        outcome: 'error',
        line: 'write /var/lib: no space left on device',
      },
      turn: { id: 'image-e0', asked: 'Publish the container of the harbour service' },
    });
  });

  it('says which words a tool use contains, and names none if it was found by meaning alone', async () => {
    const [found] = (await find(memory, 'docker prune')).hits;
    expect(found).toMatchObject({ id: 'image-e3', why: expect.arrayContaining(['words: docker, prune']) });
    const { hits } = await find(memory, 'boat in the colour of grass');
    const similar = hits.filter(({ use }) => use?.did === 'paint --green');
    expect(similar).toHaveLength(1);
    expect(similar.some(hasWords)).toBe(false);
  });

  it('shows hits of other sessions before the many of one session, on request', async () => {
    const talk = Array.from({ length: 60 }, (_, i) => [
      { by: 'user' as const, text: `Unpack the tar archive number ${i}` },
      { by: 'assistant' as const, text: `The tar archive number ${i} is unpacked.` },
    ]);
    await tell(memory, 'tar', '/home/dev/harbour', '2026-09-06T09:00:00Z', talk.flat());
    for (const [i, session] of ['pitch', 'resin', 'rope'].entries())
      await tell(memory, session, '/home/dev/boat', `2026-09-0${i + 1}T09:00:00Z`, [
        { by: 'user', text: `Where did we put the ${session}?` },
        { by: 'assistant', text: `The ${session} is in the locker, beside the old archive of charts.` },
      ]);
    const sessionsOf = async (fields: Fields) =>
      (await find(memory, 'tar archive', { limit: 30, ...fields })).hits.map(({ session }) => session);
    expect(new Set(await sessionsOf({}))).toEqual(new Set(['tar']));
    const spread = await sessionsOf({ perSession: 5 });
    expect(spread).toHaveLength(30);
    expect(spread.slice(0, 5)).toEqual(Array(5).fill('tar'));
    expect(spread).toEqual(expect.arrayContaining(['pitch', 'resin', 'rope']));
  });

  it('respects a tool, an outcome and a kind of use', async () => {
    expect(await ids(memory, 'docker', { tool: 'edit' })).toEqual(['image-e4']);
    expect(await ids(memory, 'docker', { outcome: 'error' })).toEqual(['image-e2']);
    expect(await ids(memory, 'docker', { kind: 'error' })).toEqual(['image-e2']);
    expect((await ids(memory, 'docker', { kind: 'command' })).sort()).toEqual(['image-e2', 'image-e3']);
    expect(await ids(memory, 'docker', { kind: 'edit' })).toEqual(['image-e4']);
    expect(await find(memory, 'docker', { tool: 'Telescope' })).toEqual({
      hits: [],
      note: 'No tool called Telescope was used. Tools: Bash, Edit',
    });
  });

  it('refuses filters that contradict each other', async () => {
    await expect(find(memory, 'x', { kind: 'memory', tool: 'Bash' })).rejects.toThrow('--tool cannot be combined');
    await expect(find(memory, 'x', { kind: 'error', outcome: 'ok' })).rejects.toThrow('--kind error cannot');
    await expect(find(memory, '', { file: 'a.ts', outcome: 'ok' })).rejects.toThrow('--outcome cannot');
  });

  it('puts a finding before its announcement', async () => {
    const found = await ids(memory, 'why was the container not built');
    expect(found.indexOf('image-e5')).toBeLessThan(found.indexOf('image-e1'));
  });

  it('takes two commands for repetitions only if they are the same, not because one tool ran both', async () => {
    const run = (command: string) => ({ by: 'assistant' as const, uses: [{ name: 'Bash', input: { command } }] });
    await tell(memory, 'keys', '/home/dev/harbour', '2026-09-03T09:00:00Z', [
      { by: 'user', text: 'Rotate the keys' },
      run('vault rotate signing-keys --all'),
      run('vault list signing-keys'),
      { by: 'assistant', text: 'All keys are new.' },
    ]);
    const [first, second] = (await find(memory, 'vault signing-keys')).hits;
    expect([first?.id, second?.id].sort()).toEqual(['keys-e1', 'keys-e2']);
    // A repetition would count half.
    expect(second?.score).toBeGreaterThan(0.6 * (first?.score ?? 0));
  });

  it('puts the entry that has all of a question before one that repeats a word of it', async () => {
    await tell(memory, 'crane', '/home/dev/harbour', '2026-09-05T09:00:00Z', [
      { by: 'user', text: 'What about the crane?' },
      {
        by: 'assistant',
        uses: [{ name: 'Bash', input: { command: 'crane list; crane lift; crane lower; crane list' } }],
      },
      { by: 'user', text: 'And now?' },
      { by: 'assistant', uses: [{ name: 'Bash', input: { command: 'crane inspect --cable --brake' } }] },
    ]);
    const found = await ids(memory, 'brake and cable of the crane');
    expect(found.indexOf('crane-e3')).toBeLessThan(found.indexOf('crane-e1'));
    const [hit] = (await find(memory, 'brake and cable of the crane', { explain: true })).hits;
    expect(hit).toMatchObject({ id: 'crane-e3', features: { covered: 1, turnCovered: 1 } });
  });

  it('ranks sessions by all of their turns, and shows the features when asked to explain', async () => {
    const [hit] = (await find(memory, 'Publish the harbour container', { kind: 'session', explain: true })).hits;
    expect(hit?.id).toBe('image');
    expect(hit?.features).toMatchObject({ covered: expect.any(Number), meanings: expect.any(Number) });
    expect(hit?.score).toBeGreaterThan(0);
  });

  it('finds the session by what was run in it', async () => {
    expect(await ids(memory, 'docker prune', { kind: 'session' })).toEqual(['image']);
  });

  it('finds a quoted phrase in the output of a tool', async () => {
    expect(await ids(memory, '"no space left"')).toEqual(['image-e2']);
  });

  it('lists, when asked to explain, the features that made the score', async () => {
    const [hit] = (await find(memory, 'docker build', { explain: true })).hits;
    expect(hit?.features).toMatchObject({ uses: expect.any(Number), turnWords: expect.any(Number) });
    expect((await find(memory, 'docker build')).hits[0]?.features).toBeUndefined();
  });
});

describe('a search', () => {
  let memory: Memory;
  beforeEach(async () => {
    memory = await aYear();
  });

  it('finds by meaning what was said in other words, and says why', async () => {
    const { hits, note } = await find(memory, 'Where did we decide to drop the retry queue?');
    expect(hits[0]).toMatchObject({ id: 'batches-e2', snippet: expect.stringContaining('re-sending failed batches') });
    expect(hits[0]?.why).toContain('similar in meaning');
    expect(note).toBeUndefined();
  });

  it('names the matched words, and the answer to a matching question', async () => {
    const { hits } = await find(memory, 'colour of the login button');
    expect(hits.slice(0, 2).map(({ id }) => id)).toEqual(['tabs-e2', 'tabs-e3']);
    expect(hits[0]?.why?.[0]).toBe('words: colour, login, button');
    expect(hits[1]?.why).toContain('answers a question that matches');
  });

  it('respects the filters, by words and by meaning', async () => {
    const query = 'Where did we decide to drop the retry queue?';
    expect(await ids(memory, query, { project: 'turnstile' })).not.toContain('batches-e2');
    expect(await ids(memory, query, { project: 'courier' })).toContain('batches-e2');
    expect(await ids(memory, query, { since: '2026-04-01' })).not.toContain('batches-e2');
    expect(await ids(memory, query, { until: '2026-03-10' })).toContain('batches-e2');
    expect(await ids(memory, query, { role: 'assistant' })).not.toContain('batches-e2');
    expect(await ids(memory, query, { agent: 'pi' })).toEqual([]);
    for (const role of ['user', 'assistant'] as const)
      for (const hit of (await find(memory, 'failed batches', { role })).hits) expect(hit.role).toBe(role);
  });

  it('requires quoted text', async () => {
    expect(await ids(memory, '"re-sending failed" double deliveries')).toEqual(['batches-e2']);
    expect(await ids(memory, '"retry queue"')).toEqual([]);
  });

  it('drops a quote in a sentence if it occurs nowhere, and says so', async () => {
    const { hits, note } = await find(memory, 'who wrote the letter to the "landlord of the flat"?');
    expect(hits[0]?.id).toBe('budget-e0');
    expect(note).toContain('without the quotes');
    expect(await find(memory, 'zebra "quagga herd"')).toEqual({ hits: [] });
    expect((await find(memory, 'double deliveries "re-sending failed"')).note).toBeUndefined();
  });

  it('takes times as a hint, not as a filter', async () => {
    const said = await find(memory, 'colours in May');
    expect(said.hits[0]).toMatchObject({ session: 'colours' });
    expect(said.hits[0]?.why).toContain('from the time asked for: in May');
    expect(await ids(memory, 'login button in May')).toContain('tabs-e2');
  });

  it('finds sessions and conversations by the same scores', async () => {
    for (const kind of ['session', 'conversation'] as const) {
      const { hits } = await find(memory, 'drop the retry queue', { kind });
      expect(hits[0]).toMatchObject({ kind, session: 'batches', project: 'courier' });
      expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
    }
    const [hit] = (await find(memory, 'drop the retry queue', { kind: 'conversation' })).hits;
    const [entry] = await memory.store.conversations.entries(Number(hit?.id));
    expect(entry?.session).toBe('batches');
    await expect(find(memory, '', { kind: 'conversation', file: 'theme.ts' })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });

  it.each(['***', '???', '( ) : ^ +', '"', '“ ”', '…', '═══', '->', '\0', '\u200d\ufe0f'])(
    'refuses %j: it has nothing to search for',
    async (query) => {
      for (const kind of ['entry', 'session', 'conversation', 'observation', 'memory'] as const)
        await expect(find(memory, query, { kind })).rejects.toMatchObject({
          code: 'BAD_INPUT',
          message: expect.stringContaining('nothing to search for'),
          hint: expect.stringContaining('a word'),
        });
      await expect(find(memory, query, { file: 'theme.ts' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
    },
  );

  it('finds what is hardly a word: c++, #42, a digit, a Chinese character', async () => {
    await tell(memory, 'signs', '/home/dev/courier', '2026-11-01T09:00:00Z', [
      { by: 'user', text: 'Port the c++ sender, see #42.' },
      { by: 'assistant', text: '七 senders are ported 🚀' },
    ]);
    expect((await ids(memory, 'c++'))[0]).toBe('signs-e0');
    expect((await ids(memory, '#42'))[0]).toBe('signs-e0');
    expect((await ids(memory, '42'))[0]).toBe('signs-e0');
    expect((await ids(memory, '七'))[0]).toBe('signs-e1');
  });

  it('says that a query of pictures needs search by meaning if the model knows none', async () => {
    expect(await find(memory, '🚀 🇩🇪')).toEqual({ hits: [], note: expect.stringContaining('no word') });
  });

  it('answers the same question in the same way, also after a restart', async () => {
    const query = 'refresh of tokens in two tabs';
    const once = await find(memory, query);
    expect(await find(memory, query)).toEqual(once);
    expect(
      (await search.run({ ...memory.context, meaning: undefined }, search.input.parse({ query }))).hits[0]?.id,
    ).toBe(once.hits[0]?.id);
  });

  it('sees what was imported since the last search', async () => {
    await find(memory, 'retry queue');
    await tell(memory, 'later', '/home/dev/courier', '2026-11-01T09:00:00Z', [
      { by: 'user', text: 'The retry queue is back, with a limit of three attempts.' },
    ]);
    expect((await ids(memory, 'retry queue'))[0]).toBe('later-e0');
  });
});

it('uses keywords alone if search by meaning is switched off, and says so', async () => {
  const memory = await aYear({ HOLDFAST_EMBEDDING_KIND: 'none' });
  const { hits, note } = await find(memory, 'failed batches');
  expect(hits[0]?.id).toBe('batches-e2');
  expect(note).toContain('switched off');
  expect((await find(memory, 'drop the retry queue')).hits.map(({ id }) => id)).not.toContain('batches-e2');
});

it('reads its best candidates closely first, or leaves that to the background if there is one', async () => {
  const memory = await aYear();
  const { store, meaning } = memory.context;
  const { rough } = await store.vectors.counts();
  expect(rough).toBeGreaterThan(0);
  meaning?.leaveReading();
  await find(memory, 'why were customers signed out');
  expect((await store.vectors.counts()).rough).toBe(rough);
  const other = openMeaning({ store, config: memory.context.config, closelyMs: () => 60_000 });
  const context = { ...memory.context, meaning: other };
  await search.run(context, search.input.parse({ query: 'why were customers signed out' }));
  expect((await store.vectors.counts()).rough).toBeLessThan(rough);
  await other.close();
});

it('uses keywords alone if the embedder fails, and says so', async () => {
  const memory = await aYear();
  const { meaning } = memory.context;
  const broken = {
    ready: async () => {
      const state = await (meaning as NonNullable<typeof meaning>).ready();
      const embed = async () => Promise.reject(new Error('no route to the model'));
      return { ...state, search: state.search && { ...state.search, embed } };
    },
    leaveReading() {},
    close: async () => {},
  };
  const context = { ...memory.context, meaning: broken };
  const { hits, note } = await search.run(context, search.input.parse({ query: 'failed batches' }));
  expect(hits[0]?.id).toBe('batches-e2');
  expect(note).toMatch(/^Found by words alone: .*no route to the model/);
});

it('shows the nearest sentence of a long text without a word of the query', async () => {
  const memory = await emptyMemory();
  await tell(memory, 'long', '/home/dev/courier', '2026-03-10T09:00:00Z', [
    {
      by: 'user',
      text: 'Jobs that failed wait for a person now. We stop re-sending failed batches. A second attempt helps nobody, when the first one had arrived at the partner and was only slow to answer.',
    },
  ]);
  const { hits } = await find(memory, 'drop the retry queue');
  expect(hits[0]?.snippet).toBe('We stop re-sending failed batches.');
});
