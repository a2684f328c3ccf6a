// The pages are the same for every order of conversations, after an interruption at any step, and with a person's edits in between.
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emptyMemory, type Memory } from '../../../test/demo-memory.ts';
import {
  applyExtraction,
  conversation,
  deleteDerived,
  extraction,
  filesOf,
  folderOf,
  read,
  type Told,
  write,
} from '../../../test/memory-stand.ts';
import type { Extraction } from '../../schema/extraction.ts';
import { bringInLine } from './librarian.ts';
import { datedTarget } from './place.ts';

type Dice = (below: number) => number;

function dice(seed: number): Dice {
  let state = seed * 2 + 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

interface Said {
  readonly told: Told;
  readonly gave: Extraction;
}

const words = ['queue', 'port', 'package manager', 'the package manager used', 'Deploys', 'branch'];

function conversations(roll: Dice, count: number): Said[] {
  return Array.from({ length: count }, (_, i) => {
    const start = Date.parse('2026-09-14T00:00:00.000Z') + roll(60) * 3_600_000 + i;
    const told = conversation(`s${i}`, new Date(start).toISOString(), {
      project: ['courier', 'shop', ''][roll(3)] ?? '',
    });
    const at = () => new Date(start + roll(3_600_000)).toISOString();
    const some = <T>(most: number, make: (n: number) => T): T[] =>
      Array.from({ length: roll(most + 1) }, (_, n) => make(n));
    const changes = ['add', 'add', 'replace', 'retire', 'note'] as const;
    const keyed = () => ({
      ...{ key: words[roll(words.length)] as string, text: `value ${roll(5)}`, why: `reason ${i}` },
      change: changes[roll(changes.length)] ?? 'add',
      saidBy: (['person', 'agent'] as const)[roll(2)] ?? 'agent',
    });
    const dated = (kind: string) => ({
      at: at(),
      title: `${kind} ${roll(4)}`,
      text: `Text ${roll(4)}.\n\n- one\n- two ${i}`,
    });
    const gave = extraction({
      episodes: some(2, () => dated('Episode')),
      projects: some(1, () => ({ name: ['courier', 'Shop'][roll(2)] as string, statements: some(3, keyed) })),
      people: some(1, () => ({ name: 'Ana', statements: some(2, keyed) })),
      milestones: some(1, () => dated('Milestone')),
      insights: some(2, () => {
        const earlier = dated('Insight');
        const target = datedTarget('insight', earlier.text);
        const revises = { at: earlier.at, title: earlier.title, target };
        return (
          [earlier, { ...dated('Insight'), revises }, { ...dated('Insight'), revises, retires: true }][roll(3)] ??
          earlier
        );
      }),
      facts: some(3, () => ({ ...keyed(), about: (['user', 'procedure', 'world'] as const)[roll(3)] ?? 'world' })),
      questions: some(1, () => ({ text: `Question ${roll(6)}?` })),
    });
    return { told, gave };
  });
}

function shuffled<T>(list: readonly T[], roll: Dice): T[] {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i--) {
    const j = roll(i + 1);
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

type Opened = Memory['context']['store'];

const apply = (memory: Pick<Memory, 'context'>, { told, gave }: Said, store: Opened = memory.context.store) =>
  applyExtraction({ ...memory.context, store }, told, gave, 'offline');

/** Changes, removes, adds and moves lines of pages as a person would. */
function scribble(memory: Memory, roll: Dice): void {
  for (const page of Object.keys(filesOf(folderOf(memory)))) {
    if (roll(2) === 0) continue;
    const lines = read(memory, page).split('\n');
    for (let n = roll(3); n >= 0; n--) {
      const at = roll(lines.length);
      const kind = roll(4);
      if (kind === 0) lines.splice(at, 0, `Mine ${roll(1000)}.`);
      else if (kind === 1) lines.splice(at, 0, `- my item ${roll(1000)}`);
      else if (kind === 2) lines.splice(at, 1);
      else if (lines[at] !== '' && !lines[at]?.startsWith('---')) lines[at] += ` edited ${roll(1000)}`;
    }
    const text = lines.join('\n');
    write(memory, page, text);
    // Fixed file times make two runs note the same edits.
    fs.utimesSync(`${folderOf(memory)}/${page}`, 1_790_000_000, 1_790_000_000);
  }
}

describe('processing', () => {
  it('31, 34. in any order gives the same pages, and so does a rebuild after deleting everything derived', async () => {
    for (let seed = 1; seed <= 3; seed++) {
      const said = conversations(dice(seed), 8);
      let first: Record<string, string> | undefined;
      for (let order = 0; order < 3; order++) {
        const memory = await emptyMemory();
        for (const each of shuffled(said, dice(seed * 100 + order))) await apply(memory, each);
        first ??= filesOf(folderOf(memory));
        expect(filesOf(folderOf(memory)), `seed ${seed}, order ${order}`).toEqual(first);
        if (order > 0) continue;
        await deleteDerived(memory.context);
        expect(filesOf(folderOf(memory))).toEqual({});
        for (const each of shuffled(said, dice(seed * 100 + 77))) await apply(memory, each);
        expect(filesOf(folderOf(memory)), `seed ${seed}, again`).toEqual(first);
      }
    }
  }, 120_000);

  it('keeps what each of several conversations with the same times gave; for a shared key, the last in the transcript wins', async () => {
    const at = '2026-09-14T08:00:00.000Z';
    const said = [3, 20, 100, 1000].map(
      (firstPos): Said => ({
        told: conversation('s1', at, { firstPos }),
        gave: extraction({
          episodes: [{ at, title: `Episode ${firstPos}`, text: `From ${firstPos}.` }],
          facts: [
            { key: 'port', text: `value ${firstPos}`, about: 'world' },
            { key: `own ${firstPos}`, text: 'kept', about: 'world' },
          ],
        }),
      }),
    );
    let first: Record<string, string> | undefined;
    for (let order = 0; order < 4; order++) {
      const memory = await emptyMemory();
      for (const each of shuffled(said, dice(order))) await apply(memory, each);
      const facts = read(memory, 'core/facts.md');
      for (const { told } of said) expect(facts).toContain(`- **own ${told.firstPos}:** kept`);
      expect(facts).toContain('- **port:** value 1000\n');
      const titles = read(memory, 'episodes/2026-09/2026-09-14.md').match(/Episode \d+/g);
      expect(titles).toEqual(said.map(({ told }) => `Episode ${told.firstPos}`));
      first ??= filesOf(folderOf(memory));
      expect(filesOf(folderOf(memory)), `order ${order}`).toEqual(first);
    }
  });

  it("33. in any order after a person's edits gives the same pages, with the edits in them", async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const said = conversations(dice(seed), 9);
      const [before, after] = [said.slice(0, 5), said.slice(5)];
      let first: Record<string, string> | undefined;
      for (let order = 0; order < 2; order++) {
        const note = `seed ${seed}, order ${order}`;
        const memory = await emptyMemory();
        for (const each of before) await apply(memory, each);
        const roll = dice(seed * 31);
        for (let round = 0; round < 2; round++) {
          scribble(memory, roll);
          const written = filesOf(folderOf(memory));
          expect(await bringInLine(memory.context), note).toEqual({ pages: expect.any(Array) });
          const left = filesOf(folderOf(memory));
          for (const [page, text] of Object.entries(written)) {
            if (text.trim() === '') continue;
            // A removed line takes its earlier versions with it.
            const lines = (whole: string | undefined) =>
              (whole ?? '').split('\n').filter((line) => !/^\s*$|^## Revisions|_\(\d.*\)_/.test(line));
            expect(lines(left[page]), `${note}: ${page}`).toEqual(lines(text));
          }
        }
        const edited = filesOf(folderOf(memory));
        for (const each of shuffled(after, dice(seed * 100 + order))) await apply(memory, each);
        const now = filesOf(folderOf(memory));
        first ??= now;
        expect(now, note).toEqual(first);
        for (const [page, text] of Object.entries(edited))
          for (const mine of text.match(/^.*(Mine \d+\.|my item \d+|edited \d+).*$/gm) ?? [])
            expect(now[page], `${note}: ${page}`).toContain(mine);
        expect(await bringInLine(memory.context), note).toEqual({ pages: [] });
      }
    }
  }, 240_000);

  it('34. interrupted at any step, also between a file and its row, leaves whole files, and the next run ends like an uninterrupted one', async () => {
    // The last conversation changes lines of existing pages, adds lines to them, and makes new pages.
    const keyed = (...texts: string[]) =>
      texts.map((text, i) => ({ key: words[i] as string, text, about: 'world' as const }));
    const said = conversations(dice(5), 3).map(({ told, gave }, i) => ({
      told: {
        ...told,
        project: 'courier',
        lastAt: new Date(Date.parse(told.firstAt) + (i + 1) * 86_400_000).toISOString(),
      },
      gave: { ...gave, facts: i < 2 ? keyed('one', 'two') : keyed('three', 'two', 'four') },
    }));
    const whole = await emptyMemory();
    for (const each of said) await apply(whole, each);
    const expected = filesOf(folderOf(whole));
    const states = new Set<string>();
    let steps = 0;
    for (let step = 0; step === steps; step++) {
      const memory = await emptyMemory();
      for (const each of said.slice(0, 2)) await apply(memory, each);
      const before = filesOf(folderOf(memory));
      const fragile = breaking(memory.store, step);
      try {
        await apply(memory, said[2] as Said, fragile);
      } catch (error) {
        expect((error as Error).message).toContain('broken off');
        steps++;
      }
      for (const [page, text] of Object.entries(filesOf(folderOf(memory)))) {
        expect([before[page], expected[page]], `step ${step}: ${page}`).toContain(text);
        states.add(`${page}\0${text}`);
      }
      if (step % 2 === 0) await bringInLine(memory.context);
      else await apply(memory, said[2] as Said);
      if (step % 2 === 0) await apply(memory, said[2] as Said);
      expect(filesOf(folderOf(memory)), `step ${step}`).toEqual(expected);
      expect(await bringInLine(memory.context), `step ${step}`).toEqual({ pages: [] });
      for (const { page } of await memory.store.pages.list())
        expect((await memory.store.pages.get(page)).edits).toEqual([]);
    }
    expect(steps).toBeGreaterThan(20);
  }, 240_000);
});

/** A store that fails at the given step: before a call, after it, or inside `settle` when the file is written but the row is not. */
function breaking(store: Opened, step: number): Opened {
  let count = 0;
  const pass = () => {
    if (count++ === step) throw new Error('broken off');
  };
  const watched = ['saveExtractions', 'prepare', 'settle', 'get', 'list'];
  const failing = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const method = target[name as keyof T] as (...args: unknown[]) => Promise<unknown>;
        if (!watched.includes(String(name))) return method;
        return async (...args: unknown[]) => {
          pass();
          if (name === 'settle') {
            const put = args[2] as () => unknown;
            args[2] = () => {
              const done = put();
              pass();
              return done;
            };
          }
          const result = await method.apply(target, args);
          pass();
          return result;
        };
      },
    });
  return {
    ...store,
    pages: failing(store.pages),
    memory: { ...store.memory, saveExtractions: failing(store.memory).saveExtractions },
  };
}
