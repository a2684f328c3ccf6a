// Tests the proposals in questions.md, and what a person's mark does to them.
import { describe, expect, it } from 'vitest';
import { emptyMemory, tell } from '../../../test/demo-memory.ts';
import { apply, change, conversation, fact, filesOf, folderOf, read } from '../../../test/memory-stand.ts';
import type { Extraction } from '../../schema/extraction.ts';
import type { Store } from '../../store/store.ts';
import { historyOf } from './history.ts';
import { bringInLine } from './librarian.ts';

const day = (n: number, session = `s${n}`) =>
  conversation(session, new Date(Date.parse('2026-09-01T08:00:00.000Z') + n * 86_400_000).toISOString());
const facts = 'core/facts.md';
const questions = 'questions.md';
const note = (key: string, text: string): Partial<Extraction> => ({
  facts: [{ key, text, about: 'world', change: 'note', saidBy: 'agent' }],
});
const retire = (key: string, text: string): Partial<Extraction> => ({
  facts: [{ key, text, about: 'world', change: 'retire', saidBy: 'agent' }],
});

async function contradicted() {
  const memory = await emptyMemory();
  await apply(memory, day(1), fact('package manager', 'npm'));
  change(memory, facts, 'npm', 'bun, always');
  await bringInLine(memory.context);
  await apply(memory, conversation('later', '2099-01-01T00:00:00.000Z'), fact('package manager', 'deno'));
  expect(read(memory, questions)).toMatch(/^- \[ \] 2099-01-01: a conversation said “package manager: deno”/m);
  return memory;
}

describe('a mark in questions.md', () => {
  it('of a minus sign rejects a statement for good: it leaves the rows, and no other session brings it back', async () => {
    const memory = await contradicted();
    change(memory, questions, '- [ ] 2099', '- [-] 2099');
    await bringInLine(memory.context);
    expect(filesOf(folderOf(memory))[questions] ?? '').not.toContain('deno');
    expect(read(memory, facts)).toContain('- **package manager:** bun, always\n');
    expect(JSON.stringify(await memory.store.memory.extractions())).not.toContain('deno');
    await apply(memory, conversation('later-2', '2099-02-01T00:00:00.000Z'), fact('package manager', 'deno'));
    expect(filesOf(folderOf(memory))[questions] ?? '').not.toContain('deno');
    await apply(memory, conversation('later-3', '2099-03-01T00:00:00.000Z'), fact('package manager', 'yarn'));
    expect(read(memory, questions), 'another claim is asked').toContain('“package manager: yarn”');
    expect(await bringInLine(memory.context)).toEqual({ pages: [] });
  });

  it('of an x keeps a statement as the person’s own word', async () => {
    const memory = await contradicted();
    change(memory, questions, '- [ ] 2099', '- [x] 2099');
    await bringInLine(memory.context);
    expect(read(memory, facts)).toContain('- **package manager:** deno\n');
    expect(filesOf(folderOf(memory))[questions] ?? '').not.toContain('deno');
    const [kept] = await memory.store.memory.list({ page: facts });
    expect(kept).toMatchObject({ source: 'promoted', saidBy: 'person', session: 'later' });
    expect(await bringInLine(memory.context)).toEqual({ pages: [] });
  });

  it('of any other kind changes nothing, nor does a box in the person’s own line', async () => {
    const memory = await contradicted();
    const before = read(memory, facts);
    change(memory, questions, '- [ ] 2099', '- [?] 2099');
    change(memory, questions, /$/, '\n- [-] package manager: deno\n');
    await bringInLine(memory.context);
    expect(read(memory, facts)).toBe(before);
    expect(JSON.stringify(await memory.store.memory.extractions())).toContain('deno');
  });

  it('is carried out exactly once, at whatever step it was interrupted', async () => {
    for (const mark of ['-', 'x'] as const) {
      const whole = await contradicted();
      change(whole, questions, '- [ ] 2099', `- [${mark}] 2099`);
      await bringInLine(whole.context);
      const expected = filesOf(folderOf(whole));
      let steps = 0;
      for (let step = 0; step === steps; step++) {
        const memory = await contradicted();
        change(memory, questions, '- [ ] 2099', `- [${mark}] 2099`);
        try {
          await bringInLine({ ...memory.context, store: breaking(memory.store, step) });
        } catch (error) {
          expect((error as Error).message).toBe('broken off');
          steps++;
        }
        await bringInLine(memory.context);
        expect(filesOf(folderOf(memory)), `${mark}, step ${step}`).toEqual(expected);
        expect(await bringInLine(memory.context), `${mark}, step ${step}`).toEqual({ pages: [] });
      }
      expect(steps).toBeGreaterThan(5);
    }
  }, 120_000);
});

describe('a note', () => {
  it('waits in questions.md, and becomes a fact when another session says it too', async () => {
    const memory = await emptyMemory();
    await apply(memory, day(1), note('staging port', 'staging listens on port 8443'));
    expect(filesOf(folderOf(memory))[facts]).toBeUndefined();
    expect(read(memory, questions)).toContain(
      '- [ ] 2026-09-01: “staging port: staging listens on port 8443” was said in one session. Is it so?'.replace(
        '09-01',
        '09-02',
      ),
    );
    await apply(
      memory,
      conversation('s1', '2026-09-02T20:00:00.000Z', { firstPos: 9 }),
      note('staging port', 'port 8443'),
    );
    expect(filesOf(folderOf(memory))[facts], 'the same session again').toBeUndefined();
    await apply(memory, day(3), note('Staging port', 'it listens on port 9000 now'));
    expect(filesOf(folderOf(memory))[facts], 'another claim under the key').toBeUndefined();
    await apply(memory, day(5), note('staging port', 'staging listens on port 8443, behind the proxy'));
    expect(read(memory, facts)).toContain('- **staging port:** staging listens on port 8443, behind the proxy');
    expect(filesOf(folderOf(memory))[questions] ?? '').not.toContain('8443');
    const [one] = await memory.store.memory.list({ page: facts });
    const [{ versions } = { versions: [] }] = await historyOf(memory.context, one?.id ?? '');
    expect(versions.map(({ session, current }) => [session, current])).toEqual([
      ['s1', false],
      ['s1', false],
      ['s3', false],
      ['s5', true],
    ]);
  });

  it('does not replace a fact before it is proven', async () => {
    const memory = await emptyMemory();
    await apply(memory, day(1), { facts: [{ key: 'port', text: 'port 80', about: 'world', saidBy: 'agent' }] });
    await apply(memory, day(2), note('port', 'port 8080'));
    expect(read(memory, facts)).toContain('- **port:** port 80');
    await apply(memory, day(3), note('port', 'port 8080'));
    expect(read(memory, facts)).toContain('- **port:** port 8080');
  });

  it('fades if no session repeats it: after three half-lives questions.md no longer asks about it', async () => {
    const memory = await emptyMemory({ HOLDFAST_MEMORY_HALF_LIFE_DAYS: '10' });
    await apply(memory, day(1), note('staging port', '8443'));
    await apply(memory, day(30), fact('a', '1'));
    expect(read(memory, questions)).toContain('8443');
    await apply(memory, day(32), fact('b', '2'));
    expect(filesOf(folderOf(memory))[questions] ?? '').not.toContain('8443');
  });

  it('can be kept by a mark, or rejected together with its key', async () => {
    const memory = await emptyMemory();
    await apply(memory, day(1), note('staging port', '8443'));
    await apply(memory, day(1, 'other'), note('deploy day', 'Friday'));
    change(memory, questions, /- \[ \] (.*8443)/, '- [x] $1');
    change(memory, questions, /- \[ \] (.*Friday)/, '- [ - ] $1');
    await bringInLine(memory.context);
    expect(read(memory, facts)).toContain('- **staging port:** 8443\n');
    await apply(memory, day(4), note('deploy day', 'on a Friday'));
    await apply(memory, day(5), note('deploy day', 'on a Friday'));
    expect(read(memory, facts)).not.toContain('Friday');
    expect(filesOf(folderOf(memory))[questions] ?? '').not.toContain('Friday');
  });
});

describe('retiring a statement', () => {
  it('removes it from its page and notes the reason in its history; a later statement brings it back', async () => {
    const memory = await emptyMemory();
    await apply(memory, day(1), {
      facts: [...(fact('queue', 'Redis').facts ?? []), ...(fact('port', '80').facts ?? [])].map((one) => ({
        ...one,
        saidBy: 'agent' as const,
      })),
    });
    const one = (await memory.store.memory.list({ page: facts })).find(({ text }) => text.includes('Redis'));
    await apply(memory, day(2), retire('queue', 'the queue was removed'));
    expect(read(memory, facts)).not.toContain('Redis');
    expect(read(memory, facts)).toContain('- **port:** 80');
    const [{ versions } = { versions: [] }] = await historyOf(memory.context, `${facts.replace('.md', '')}`);
    expect(versions.length).toBeGreaterThan(0);
    const all = await historyOf(memory.context, facts);
    expect(all.find(({ id }) => id === one?.id)?.versions.at(-1)).toMatchObject({
      text: '',
      why: 'the queue was removed',
      session: 's2',
    });
    await apply(memory, day(3), { facts: [{ key: 'queue', text: 'NATS', about: 'world', saidBy: 'agent' }] });
    expect(read(memory, facts)).toContain('- **queue:** NATS');
    await apply(memory, day(1, 'older'), retire('queue', 'said before, read later'));
    expect(read(memory, facts), 'the order of reading says nothing').toContain('- **queue:** NATS');
  });

  it('removes its page if nothing else is on it', async () => {
    const memory = await emptyMemory();
    await apply(memory, day(1), { facts: [{ key: 'queue', text: 'Redis', about: 'world', saidBy: 'agent' }] });
    await apply(memory, day(2), retire('queue', 'gone'));
    expect(filesOf(folderOf(memory))).toEqual({});
    expect(await memory.store.memory.list({})).toEqual([]);
  });

  it('does not work on what the person said; if they wrote it by hand, questions.md asks them', async () => {
    const memory = await emptyMemory();
    await apply(memory, day(1), {
      facts: [{ key: 'tests', text: 'always run them', about: 'world', saidBy: 'person' }],
    });
    await apply(memory, day(2), retire('tests', 'nobody runs them'));
    expect(read(memory, facts)).toContain('always run them');
    change(memory, facts, 'always run them', 'always run them twice');
    await bringInLine(memory.context);
    await apply(memory, conversation('later', '2099-01-01T00:00:00.000Z'), retire('tests', 'they are gone'));
    expect(read(memory, facts)).toContain('always run them twice');
    expect(read(memory, questions)).toContain('a conversation said that “tests” no longer holds (they are gone)');
    change(memory, questions, '- [ ] 2099', '- [x] 2099');
    await bringInLine(memory.context);
    expect(filesOf(folderOf(memory))[facts] ?? '').not.toContain('always run them');
  });
});

describe('an insight', () => {
  const at = '2026-09-02T08:30:00.000Z';
  it('is updated in place when it is revised, whatever the time zone, and can be retired', async () => {
    const memory = await emptyMemory();
    const insights = (text: string, more: object = {}): Partial<Extraction> => ({
      insights: [{ at, title: 'Lost webhooks', text, ...more }],
    });
    await apply(memory, day(1), insights('The queue loses webhooks at a deploy.'));
    const [first] = await memory.store.memory.list({ page: 'insights/2026-09-02-lost-webhooks.md' });
    const revises = { at, title: 'Lost webhooks', target: first?.target ?? '' };
    const later = {
      at: '2026-09-05T08:30:00.000Z',
      title: 'Webhooks and SIGTERM',
      text: 'The worker ignores SIGTERM.',
    };
    await apply(memory, day(4), { insights: [{ ...later, revises }] });
    const pages = Object.keys(filesOf(folderOf(memory)));
    expect(pages).toEqual(['insights/2026-09-02-lost-webhooks.md']);
    const page = read(memory, 'insights/2026-09-02-lost-webhooks.md');
    expect(page).toContain('# Webhooks and SIGTERM');
    expect(page).toContain('The worker ignores SIGTERM.');
    expect(page).not.toContain('The queue loses');
    await apply(memory, day(6), { insights: [{ ...later, text: 'It was fixed upstream.', revises, retires: true }] });
    expect(filesOf(folderOf(memory))).toEqual({});
  });
});

/** A store that fails at the given step, before or after a write. */
function breaking(store: Store, step: number): Store {
  let count = 0;
  const pass = () => {
    if (count++ === step) throw new Error('broken off');
  };
  const watched = ['prepare', 'settle', 'saveStatement', 'addEdit', 'forgetTarget', 'scrub'];
  const failing = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const method = target[name as keyof T] as (...args: unknown[]) => Promise<unknown>;
        if (!watched.includes(String(name))) return method;
        return async (...args: unknown[]) => {
          pass();
          const result = await method.apply(target, args);
          pass();
          return result;
        };
      },
    });
  return { ...store, pages: failing(store.pages), memory: failing(store.memory), admin: failing(store.admin) };
}

describe('a question of the person', () => {
  const asked = { by: 'user', text: 'How many berths does the pier have?' } as const;
  const answer = { by: 'assistant', text: 'It has twelve berths.' } as const;
  const begun = '2026-09-14T08:00:00.000Z';
  const page = (memory: Parameters<typeof folderOf>[0]) => filesOf(folderOf(memory))[questions] ?? '';

  it('is open until its session goes on', async () => {
    const memory = await emptyMemory();
    await tell(memory, 's1', '/srv/tide', begun, [asked]);
    await tell(memory, 's2', '/srv/tide', begun, [asked]);
    for (const one of await memory.store.conversations.list({}))
      await apply(memory, one, { questions: [{ text: one.session === 's1' ? asked.text : 'Who repairs the lamp?' }] });
    expect(page(memory)).toContain(asked.text);
    await tell(memory, 's1', '/srv/tide', begun, [asked, answer]);
    await bringInLine(memory.context);
    expect(page(memory)).not.toContain(asked.text);
    expect(page(memory)).toContain('Who repairs the lamp?');
    await tell(memory, 's2', '/srv/tide', begun, [asked, answer]);
    await bringInLine(memory.context);
    expect(page(memory)).toBe('');
  });
});
