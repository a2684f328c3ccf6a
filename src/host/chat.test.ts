import { describe, expect, it, onTestFinished } from 'vitest';
import { groupStand } from '../../test/group-stand.ts';
import { fakeAgents, until } from '../../test/host-stand.ts';
import { HoldfastError } from '../errors.ts';
import { type ChatOptions, chat } from './chat.ts';
import { hostOf } from './holder.ts';
import { openHostOf } from './open.ts';

/** A person who types what the test says. */
async function talking(options: Partial<ChatOptions> & { typed?: boolean; host?: boolean } = {}) {
  const stand = await groupStand();
  onTestFinished(() => stand.end());
  await stand.group('tide');
  const { context, store, config } = stand.holdfast;
  const agents = fakeAgents();
  const log: string[] = [];
  const open = async () => {
    const opened = await openHostOf(context, { log: (line) => log.push(line), warn: () => {}, start: agents.start });
    if (!('host' in opened)) throw new Error('There is another host');
    return opened;
  };
  const host = options.host === false ? undefined : await open();
  onTestFinished(() => host?.stop(0));

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
  const terminal = {
    ...{ isTyped: options.typed ?? true, lines: lines(), ready: () => {} },
    show: (text: string) => void shown.push(text),
    note: (text: string) => void shown.push(text),
    close() {
      over = true;
      typed();
    },
  };
  const ended = chat(context, terminal, {
    ...{ group: 'tide', log: (line: string) => log.push(line), signal: new AbortController().signal },
    ...{ start: agents.start, ...options },
  });
  return {
    ...{ store, config, agents, host, log, ended, open },
    type(text: string) {
      waiting.push(text);
      typed();
    },
    leave: terminal.close,
    shown: () => shown.join(''),
  };
}

describe('a chat', () => {
  it('shows the answer also when the store could not be read for a moment', async () => {
    const { type, agents, store, shown, leave, ended, log } = await talking();
    type('hello');
    await until(() => agents.last('tide')?.sent.length === 1);
    const { outgoing } = store;
    let failures = 0;
    Object.assign(store, {
      async outgoing(...args: Parameters<typeof outgoing>) {
        if (failures++ < 2) throw new HoldfastError('STORE_BUSY', 'busy');
        return outgoing(...args);
      },
    });
    agents.last('tide')?.answer('good day');
    await until(() => shown().includes('good day'));
    leave();
    expect(await ended).toMatchObject({ said: [{ text: 'good day' }], open: [] });
    expect(log).toContain('busy');
  });

  it('that becomes the host at the moment when the person leaves is none afterwards', async () => {
    const { config, store, host, leave, ended, shown } = await talking();
    await until(() => shown().includes('You are chatting'));
    const { openRuns } = store;
    let goOn: (() => void) | undefined;
    Object.assign(store, {
      async openRuns() {
        Object.assign(store, { openRuns });
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        return openRuns();
      },
    });
    await host?.stop(0);
    await until(() => goOn !== undefined, 'the chat becomes the host');
    leave();
    setTimeout(() => goOn?.(), 50);
    await ended;
    await new Promise((done) => setTimeout(done, 200));
    expect(await hostOf(config)).toBeUndefined();
    expect(shown()).not.toContain('runs the agent itself');
  });

  it('refuses what no agent can be handed, and says where to put it', async () => {
    const { store, ended } = await talking({ typed: false, message: 'x'.repeat(2_000_001) });
    await expect(ended).rejects.toMatchObject({ code: 'TOO_LARGE', hint: expect.stringContaining('groups/tide') });
    expect(await store.waitingMessages('tide')).toEqual([]);
  });

  it('says so when the group is gone, and keeps no message to itself', async () => {
    const { store, type, ended, shown } = await talking();
    await until(() => shown().includes('You are chatting'));
    await store.removeGroup('tide');
    type('hello?');
    await expect(ended).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
