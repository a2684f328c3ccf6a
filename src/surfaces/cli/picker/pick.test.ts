import { describe, expect, it } from 'vitest';
import type { Session } from '../../../schema/session.ts';
import { HoldfastError } from '../../../system/errors.ts';
import { Left } from '../person.ts';
import { styles } from '../style.ts';
import { type Choice, ofSession } from './choice.ts';
import { pick } from './pick.ts';
import type { Source } from './source.ts';
import type { Listener } from './terminal.ts';

const plainSession = (id: string): Session => ({
  id,
  agent: 'pi',
  project: 'lighthouse',
  projectPath: '/srv/lighthouse',
  cwd: '/srv/lighthouse',
  title: `Session ${id}`,
  startedAt: '2026-03-10T08:00:00.000Z',
  endedAt: '2026-03-10T09:00:00.000Z',
  entries: 1,
  subagentEntries: 0,
  toolUses: 0,
  resume: `pi --session ${id}`,
});

const session = (id: string) => ofSession(plainSession(id));

/** A terminal that records what it shows, and a library whose answers the test gives by hand. */
function stand(signal?: AbortSignal) {
  const asked: { words: string; answer(hits: readonly Choice[]): void; fail(error: Error): void }[] = [];
  const waiting: (() => void)[] = [];
  let screen = '';
  let listener: Listener | undefined;
  const log: string[] = [];
  const source: Source = {
    search: (words) =>
      new Promise((answer, fail) => {
        asked.push({ words, answer, fail });
        for (const wake of waiting.splice(0)) wake();
      }),
    preview: async () => [],
    close: async () => {},
  };
  const picked = pick({
    source,
    choices: [session('one')],
    look: { style: styles(false), now: 0, label: 'Resume', help: 'Esc leaves' },
    signal,
    pauseMs: 1,
    open: (heard) => {
      listener = heard;
      return {
        size: () => ({ columns: 80, rows: 10 }),
        draw: ({ lines }) => {
          screen = lines.join('\n');
        },
        forget: () => log.push('redrawn'),
        suspend: () => log.push('suspended'),
        close: () => log.push('closed'),
      };
    },
  });
  picked.catch(() => {});
  return {
    picked,
    asked,
    log,
    screen: () => screen,
    type: (text: string) => {
      for (const sequence of text) listener?.key({ sequence, name: sequence });
    },
    key: (name: string, ctrl = false) => listener?.key({ name, ctrl }),
    hangUp: () => listener?.hungUp(),
    async question(count: number): Promise<void> {
      while (asked.length < count) await new Promise<void>((wake) => waiting.push(wake));
    },
  };
}

const settled = () => new Promise((done) => setTimeout(done, 20));

describe('picking', () => {
  it('searches once for what was typed at once, and accepts typing while it waits for the answer', async () => {
    const at = stand();
    at.type('gul');
    await at.question(1);
    at.type('l');
    at.type('s');
    expect(at.screen()).toContain('gulls');
    await settled();
    expect(at.asked.map(({ words }) => words)).toEqual(['gul']);
    at.asked[0]?.answer([session('stale')]);
    await at.question(2);
    expect(at.asked.map(({ words }) => words)).toEqual(['gul', 'gulls']);
    expect(at.screen()).not.toContain('stale');
    at.asked[1]?.answer([session('fresh')]);
    await settled();
    expect(at.screen()).toContain('Session fresh');
    at.key('return');
    expect(await at.picked).toMatchObject({ id: 'fresh' });
    expect(at.log).toEqual(['closed']);
  });

  it('shows that a search failed, and searches again for other words', async () => {
    const at = stand();
    at.type('x');
    await at.question(1);
    at.asked[0]?.fail(new HoldfastError('STORE_BUSY', 'The store is held by another process'));
    await settled();
    expect(at.screen()).toContain('held by another process');
    at.type('y');
    await at.question(2);
  });

  it('restores the terminal when the person leaves or hangs up, or the process is told to end', async () => {
    const stop = new AbortController();
    const ways = [
      [stand(), (at: ReturnType<typeof stand>) => at.key('escape')],
      [stand(), (at: ReturnType<typeof stand>) => at.key('c', true)],
      [stand(), (at: ReturnType<typeof stand>) => at.hangUp()],
      [stand(stop.signal), () => stop.abort()],
    ] as const;
    for (const [at, leave] of ways) {
      leave(at);
      await expect(at.picked).rejects.toBeInstanceOf(Left);
      expect(at.log).toEqual(['closed']);
    }
  });

  it('hands the terminal to the shell on Ctrl+Z, and redraws on Ctrl+L', () => {
    const at = stand();
    at.key('z', true);
    at.key('l', true);
    expect(at.log).toEqual(['suspended', 'redrawn']);
    at.key('escape');
  });
});
