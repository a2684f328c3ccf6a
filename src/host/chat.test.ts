import { describe, expect, it, onTestFinished } from 'vitest';
import { groupStand } from '../../test/group-stand.ts';
import { fakeAgents, until } from '../../test/host-stand.ts';
import { hostOf } from '../processes/host-holder.ts';
import { HoldfastError } from '../system/errors.ts';
import { type ChatOptions, chat } from './chat.ts';
import { openHostOf } from './open.ts';

/** A host, and a person who types what the test says. */
async function talking(options: Partial<ChatOptions> & { typed?: boolean } = {}) {
  const stand = await groupStand();
  onTestFinished(() => stand.end());
  await stand.group('tide');
  const { context, store, config } = stand.holdfast;
  const { start, last } = fakeAgents();
  const log: string[] = [];
  const host = await openHostOf(context, { log: (line) => log.push(line), warn: () => {}, start });
  if (!('host' in host)) throw new Error('There is another host');
  onTestFinished(() => host.stop(0));
  const open = ({ typed = true, ...given }: typeof options = {}) => {
    const terminal = terminalOf(typed);
    const { signal } = new AbortController();
    const told = { group: 'tide', log: (line: string) => log.push(line), signal, start, ...given };
    return { ...terminal, ended: chat(context, terminal, told) };
  };
  return { store, config, last, host, log, open, ...open(options) };
}

function terminalOf(isTyped: boolean) {
  const shown: string[] = [];
  const waiting: string[] = [];
  let [over, typed] = [false, () => {}];
  async function* lines() {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (over) return;
      else
        await new Promise<void>((resolve) => {
          typed = resolve;
        });
    }
  }
  return {
    ...{ isTyped, lines: lines(), ready: () => {} },
    show: (text: string) => void shown.push(text),
    note: (text: string) => void shown.push(`${text}\n`),
    close() {
      over = true;
      typed();
    },
    type(text: string) {
      waiting.push(text);
      typed();
    },
    shown: () => shown.join(''),
  };
}

describe('a chat', () => {
  it('shows the answer even if the store was unreadable for a moment', async () => {
    const { type, last, store, shown, close, ended, log } = await talking();
    type('hello');
    await until(() => last('tide')?.sent.length === 1);
    const { outgoing } = store.messages;
    let failures = 0;
    Object.assign(store.messages, {
      async outgoing(...args: Parameters<typeof outgoing>) {
        if (failures++ < 2) throw new HoldfastError('STORE_BUSY', 'busy');
        return outgoing(...args);
      },
    });
    last('tide')?.answer('good day');
    await until(() => shown().includes('good day'));
    close();
    expect(await ended).toMatchObject({ said: [{ text: 'good day' }], open: [] });
    expect(log).toContain('busy');
  });

  it('that becomes the host just as the person leaves stops being one', async () => {
    const { config, store, host, close, ended, shown } = await talking();
    await until(() => shown().includes('You are chatting'));
    const { open } = store.runs;
    let goOn: (() => void) | undefined;
    Object.assign(store.runs, {
      async open() {
        Object.assign(store.runs, { open });
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        return open();
      },
    });
    await host.stop(0);
    await until(() => goOn !== undefined, 'the chat becomes the host');
    close();
    setTimeout(() => goOn?.(), 50);
    await ended;
    await new Promise((done) => setTimeout(done, 200));
    expect(await hostOf(config)).toBeUndefined();
    expect(shown()).not.toContain('runs the agent itself');
  });

  it('shows what was said since the last chat, once: an answer that came in between is not lost', async () => {
    const first = await talking();
    const { last, open } = first;
    first.type('hello');
    await until(() => last('tide')?.sent.length === 1);
    first.close();
    await first.ended;
    expect(first.shown()).toContain('the answer waits for your next chat');
    last('tide')?.answer('good day');
    await until(async () => (await first.store.messages.unanswered('tide')).length === 0);
    // A person who pipes in a message wants only the answer to it.
    const piped = open({ typed: false, message: 'and now?' });
    await until(() => last('tide')?.sent.length === 2);
    last('tide')?.answer('still here');
    await piped.ended;
    expect(piped.shown()).toBe('still here\n');
    const second = open();
    await until(() => second.shown().includes('You are chatting'));
    second.close();
    expect((await second.ended).said.map(({ text }) => text)).toEqual(['good day', 'still here']);
    expect(second.shown()).toMatch(/good day\nstill here\n.*You are chatting/s);
    const third = open();
    await until(() => third.shown().includes('You are chatting'));
    third.close();
    await third.ended;
    expect(third.shown()).not.toMatch(/good day|still here/);
  });

  it('after a long time shows the last messages, and how many came before', async () => {
    const { store, open, close, ended, shown } = await talking();
    await until(() => shown().includes('You are chatting'));
    close();
    await ended;
    for (let i = 1; i <= 130; i++) await store.messages.putOut({ group: 'tide', kind: 'message', text: `<${i}>` }, i);
    const next = open();
    await until(() => next.shown().includes('You are chatting'));
    next.close();
    await next.ended;
    expect(next.shown()).toMatch(/Since your last chat \(110 earlier ones are not shown\):\n<111>\n.*<130>\n/s);
    expect(next.shown()).not.toContain('<110>');
  });

  it('refuses a message that no agent can take, and says where to put it', async () => {
    const { store, ended } = await talking({ typed: false, message: 'x'.repeat(2_000_001) });
    await expect(ended).rejects.toMatchObject({ code: 'TOO_LARGE', hint: expect.stringContaining('groups/tide') });
    expect(await store.messages.waiting('tide')).toEqual([]);
  });

  it('says so when the group is gone, and keeps no message to itself', async () => {
    const { store, type, ended, shown } = await talking();
    await until(() => shown().includes('You are chatting'));
    await store.groups.remove('tide');
    type('hello?');
    await expect(ended).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
