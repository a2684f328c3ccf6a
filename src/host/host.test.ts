import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../../test/e2e/holdfast.ts';
import { fakeAgents, hostStand, minute, settle, until } from '../../test/host-stand.ts';
import { loadConfig } from '../config/config.ts';
import { processStart } from '../processes/claim.ts';
import { groupFolders } from '../sessions/groups/group-folders.ts';
import { openGroup } from '../sessions/groups/groups.ts';
import { HoldfastError } from '../system/errors.ts';

describe('sessions', () => {
  it('host.md 2: the session is stored the moment the agent reports it, so a crash in mid-turn keeps it', async () => {
    const { say, agents, store } = await hostStand(['tide']);
    await say('tide', 'hello');
    agents.last('tide')?.run.events.session?.('s-1');
    await settle(2);
    expect((await store.groups.pointer('tide'))?.session).toBe('s-1');
    agents.last('tide')?.exit('died');
    await settle();
    expect((await store.groups.pointer('tide'))?.session).toBe('s-1');
  });

  it('host.md 3: the next process resumes it, two hours later and after a restart of the host', async () => {
    const stand = await hostStand(['tide']);
    const { agents, clock } = stand;
    await stand.say('tide', 'write the document');
    expect(agents.last('tide')?.run.session).toBeUndefined();
    agents.last('tide')?.answer('written', 's-1', 'place-1');
    await clock.pass(120 * minute);
    expect(agents.agents.map(({ isOver }) => isOver)).toEqual([true]);
    await stand.restart();
    await stand.say('tide', 'go on with it');
    expect(agents.last('tide')?.run).toMatchObject({ session: 's-1', resumeAt: 'place-1' });
  });

  it('host.md 5: the resume position advances with each answer, and no failed turn moves it', async () => {
    const { say, agents, store } = await hostStand(['tide']);
    await say('tide', 'one');
    const agent = agents.last('tide');
    agent?.answer('1', 's', 'p1');
    await say('tide', 'two');
    agent?.answer('2', 's', 'p2');
    await settle();
    expect(await store.groups.pointer('tide')).toMatchObject({ session: 's', resumeAt: 'p2' });
    await say('tide', 'three');
    agent?.fail('overloaded');
    await settle();
    expect(await store.groups.pointer('tide')).toMatchObject({ session: 's', resumeAt: 'p2' });
    agent?.run.events.session?.('s');
    await settle();
    expect(await store.groups.pointer('tide')).toMatchObject({ session: 's', resumeAt: 'p2' });
  });

  it.each(['missing', 'corrupt'] as const)(
    'host.md 4: %s: the pointer is cleared, a fresh session begins, and the message is not lost',
    async (kind) => {
      const { say, agents, store, out, clock } = await hostStand(['tide']);
      await store.groups.setPointer('tide', { agent: 'claude-code', session: 'lost', resumeAt: 'p' }, { at: 0 });
      await say('tide', 'hello');
      const [first] = agents.agents;
      expect(first?.run.session).toBe('lost');
      first?.take();
      first?.exit('failed', { kind, message: 'gone' });
      await until(() => agents.agents.length === 2);
      await settle();
      const second = agents.last('tide');
      expect(second?.run.session).toBeUndefined();
      expect(second?.sent.map(({ text }) => text)).toEqual(['hello']);
      second?.answer('hello again', 'fresh');
      await settle();
      expect(await out('tide')).toEqual([expect.stringContaining(`its file is ${kind}`), 'hello again']);
      expect((await store.groups.pointer('tide'))?.session).toBe('fresh');
      await clock.pass(120 * minute);
      expect(agents.agents.length).toBe(2);
    },
  );

  it('host.md 4: a session lost before its first answer is not missed: people are not told', async () => {
    const { say, agents, store, out, clock } = await hostStand(['tide']);
    await say('tide', 'hello');
    const [first] = agents.agents;
    first?.run.events.session?.('unwritten');
    first?.take();
    first?.exit('died');
    await clock.pass(5000);
    const second = agents.last('tide');
    expect(second?.run.session).toBe('unwritten');
    second?.exit('failed', { kind: 'missing', message: 'gone' });
    await until(() => agents.agents.length === 3);
    await settle();
    agents.last('tide')?.answer('good day', 'fresh');
    await settle();
    expect(await out('tide')).toEqual(['good day']);
    expect((await store.groups.pointer('tide'))?.session).toBe('fresh');
  });

  it('host.md 4: other errors never clear the pointer, and repeated losses are not retried forever', async () => {
    const { say, agents, store, clock } = await hostStand(['tide']);
    await store.groups.setPointer('tide', { agent: 'claude-code', session: 'kept' }, { at: 0 });
    await say('tide', 'hello');
    agents.last('tide')?.exit('failed', { kind: 'other', message: 'No conversation is possible today' });
    await settle();
    expect((await store.groups.pointer('tide'))?.session).toBe('kept');
    await clock.pass(5000);
    expect(agents.agents.length).toBe(2);
    for (let i = 0; i < 200; i++) {
      const agent = agents.last('tide');
      if (agent?.isOver === false) {
        await store.groups.setPointer('tide', { agent: 'claude-code', session: `again-${i}` }, { at: 0 });
        agent.exit('failed', { kind: 'missing', message: 'gone' });
      }
      await clock.pass(1000);
    }
    expect(agents.agents.length).toBeLessThan(20);
    expect((await store.runs.queues())[0]).toMatchObject({ waiting: 0, givenUp: 1 });
  });

  it('a process started before the session was cleared does not bring it back, and is closed', async () => {
    const { say, agents, store, groupDeps } = await hostStand(['tide'], { obeys: false });
    await say('tide', 'one');
    const agent = agents.last('tide');
    agent?.answer('1', 'old');
    await settle();
    await (await openGroup({ ...groupDeps, close: undefined }, 'tide')).clear();
    agent?.run.events.session?.('old');
    await settle();
    expect((await store.groups.pointer('tide'))?.session).toBeUndefined();
    expect(agent?.isClosing).toBe(true);
  });

  it('/clear as a message is the group’s clear, in its turn: earlier messages are answered in the old session, later ones in a new one', async () => {
    const { say, agents, store, out } = await hostStand(['tide']);
    await say('tide', 'one');
    agents.last('tide')?.answer('1', 'old');
    await settle();
    for (const text of ['two', '/clear', 'three']) await say('tide', text);
    const [first] = agents.agents;
    expect(first?.sent.map(({ text }) => text)).toEqual(['one', 'two']);
    first?.answer('2', 'old');
    await until(() => agents.agents.length === 2);
    await settle();
    expect(agents.last('tide')?.run.session).toBeUndefined();
    expect(agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['three']);
    expect(await out('tide')).toEqual([
      '1',
      '2',
      expect.stringContaining('A new conversation begins. The last one has no name'),
    ]);
    expect(await store.groups.bookmarks('tide')).toEqual([]);
    expect((await store.runs.queues())[0]).toMatchObject({ waiting: 0, handed: 1 });
  });

  it('/clear NAME keeps the session under the name, starts no agent, and says so when there is no session or the name is too long', async () => {
    const { say, agents, store, out } = await hostStand(['tide']);
    await store.groups.setPointer('tide', { agent: 'claude-code', session: 'old' }, { at: 0 });
    await say('tide', `/clear ${'x'.repeat(201)}`);
    expect((await store.groups.pointer('tide'))?.session).toBe('old');
    await say('tide', ' /clear  Tax\nresearch ');
    await say('tide', '/new');
    expect((await store.groups.pointer('tide'))?.session).toBeUndefined();
    expect((await store.groups.bookmarks('tide')).map(({ name, session }) => ({ name, session }))).toEqual([
      { name: 'Tax research', session: 'old' },
    ]);
    expect(await out('tide')).toEqual([
      'Nothing was cleared: The name is longer than 200 characters.',
      'A new conversation begins. The last one is kept as “Tax research”.',
      'A new conversation begins.',
    ]);
    expect(agents.agents).toEqual([]);
    expect(await store.runs.queues()).toEqual([]);
  });

  it.each(['/clearly', '/compact', 'say /clear', '/ clear'])('%s goes to the agent', async (text) => {
    const { say, agents } = await hostStand(['tide']);
    await say('tide', text);
    expect(agents.last('tide')?.sent.map((one) => one.text)).toEqual([text]);
  });

  it('if the host is killed during a clear, the next one clears, and waiting messages are not lost', async () => {
    const stand = await hostStand(['tide']);
    const { store, agents } = stand;
    const run = await store.runs.begin({ group: 'tide', epoch: 0 }, 0);
    const clear = await store.messages.add('tide', { text: '/clear' }, 0);
    await store.messages.add('tide', { text: 'after' }, 0);
    await store.messages.hand(run, [clear?.id as number]);
    await stand.restart();
    await until(() => agents.agents.length === 1);
    await settle();
    expect(agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['after']);
    expect(await stand.out('tide')).toEqual(['A new conversation begins.']);
  });

  it('a session that a person cleared elsewhere takes no further message: it is for the next process', async () => {
    const { say, agents, groupDeps } = await hostStand(['tide']);
    await say('tide', 'one');
    agents.last('tide')?.answer('1', 'old');
    await settle();
    await (await openGroup({ ...groupDeps, close: undefined }, 'tide')).clear();
    await say('tide', 'two');
    await until(() => agents.agents.length === 2);
    await settle();
    expect(agents.agents[0]?.sent.map(({ text }) => text)).toEqual(['one']);
    expect(agents.agents[1]?.run.session).toBeUndefined();
    expect(agents.agents[1]?.sent.map(({ text }) => text)).toEqual(['two']);
  });
});

describe('messages', () => {
  it('host.md 6: follow-ups join the running query in order', async () => {
    const { say, agents, store, out } = await hostStand(['tide']);
    await say('tide', 'one');
    const agent = agents.last('tide');
    agent?.take();
    for (const text of ['two', 'three']) await say('tide', text);
    expect(agent?.sent.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    agent?.answer('all of it');
    await settle();
    expect((await store.messages.outgoing('tide', 0, 9))[0]).toMatchObject({ text: 'all of it', answers: [1, 2, 3] });
    expect(await out('tide')).toEqual(['all of it']);
    expect(agents.agents.length).toBe(1);
  });

  it('host.md 6: a message that races the close is answered by the next process, 200 times', async () => {
    const { store, host, agents, clock, state } = await hostStand(['tide'], { obeys: false });
    for (let i = 0; i < 200; i++) {
      const message = store.messages.add('tide', { text: `before ${i}` }, clock.now());
      host.wake();
      const id = (await message)?.id as number;
      await until(() => agents.last('tide')?.sent.some((one) => one.id === String(id)) ?? false, `${i} handed`);
      const agent = agents.last('tide');
      agent?.answer(`a${i}`);
      await settle(2);
      // Close and message in either order, at every distance: some messages stay untaken, some are refused.
      const racing = (async () => {
        await settle(i % 7);
        const raced = await store.messages.add('tide', { text: `racing ${i}` }, clock.now());
        host.wake();
        return raced?.id as number;
      })();
      await settle(i % 5);
      host.close('tide');
      await settle(i % 3);
      agent?.exit('closed');
      const raced = await racing;
      await until(() => {
        const now = agents.last('tide');
        return now !== agent && (now?.sent.some((one) => one.id === String(raced)) ?? false);
      }, `${i}: the next process has it`);
      agents.last('tide')?.answer(`r${i}`);
      await until(async () => (await state('tide', raced)) === 'answered', `${i} answered`);
      host.close('tide');
      agents.last('tide')?.exit('closed');
      await until(() => host.processes().length === 0);
    }
    const told = await store.messages.outgoing('tide', 0, 1000);
    expect(told.flatMap(({ answers }) => answers).length).toBe(400);
    expect(new Set(told.flatMap(({ answers }) => answers)).size).toBe(400);
  }, 120_000);

  it('host.md 9: an error before any output re-delivers the message; after output it does not', async () => {
    const { say, agents, store, state, clock, out } = await hostStand(['tide']);
    const first = await say('tide', 'one');
    agents.last('tide')?.take();
    agents.last('tide')?.exit('died');
    await settle();
    expect(await state('tide', first)).toBe('waiting');
    await clock.pass(5000);
    const second = agents.last('tide');
    expect(second?.sent.map(({ text }) => text)).toEqual(['one']);
    // As the tool send_message does.
    const [run] = await store.runs.open();
    await store.messages.putOut({ group: 'tide', kind: 'message', text: 'begun', run: run?.id }, clock.now());
    second?.take();
    second?.exit('died');
    await clock.pass(10 * minute);
    expect(await state('tide', first)).toBe('answered');
    expect(agents.agents.length).toBe(2);
    expect(await out('tide')).toEqual(['begun', expect.stringContaining('The answer ends here')]);
  });

  it('host.md 9: of two messages only the one without an answer is retried', async () => {
    const { say, agents, clock } = await hostStand(['tide']);
    await say('tide', 'one');
    agents.last('tide')?.answer('1');
    await say('tide', 'two');
    agents.last('tide')?.fail('the service is overloaded');
    await clock.pass(5000);
    expect(agents.agents.length).toBe(2);
    expect(agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['two']);
  });

  it('the reason that an agent gives for a failure is stored and told in short, and without secrets', async () => {
    const { say, agents, clock, out, log, words } = await hostStand(['tide']);
    await say('tide', 'one');
    const agent = agents.last('tide');
    agent?.take();
    agent?.run.events.result?.({ answers: [], ok: true, text: 'begun', session: 's', at: 'p' });
    await settle();
    agent?.fail(`no key sk-ant-api03-${'a1B2'.repeat(24)}AA ${'x'.repeat(1_000_000)}`);
    await clock.pass(10 * minute);
    for (const text of [...log, ...(await out('tide')), ...words.map((word) => JSON.stringify(word))]) {
      expect(text).not.toContain('a1B2a1B2');
      expect(text.length).toBeLessThan(5000);
    }
    expect(log.join('\n')).toContain('no key');
  });

  it('host.md 9: the answer to one message does not count as output of another that waits', async () => {
    const { say, agents, store, clock, out } = await hostStand(['tide']);
    await say('tide', 'one');
    const agent = agents.last('tide');
    agent?.take();
    await store.messages.putOut(
      { group: 'tide', kind: 'message', text: 'begun', run: (await store.runs.open())[0]?.id },
      0,
    );
    await say('tide', 'two');
    agent?.run.events.result?.({ answers: ['1'], ok: true, text: 'for one', session: 's', at: 'p' });
    await settle();
    agent?.exit('died');
    await clock.pass(5000);
    expect(agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['two']);
    expect(await out('tide')).toEqual(['begun', 'for one']);
  });

  it('host.md 10: an agent that ends in order without an answer has failed, and is not restarted at once forever', async () => {
    const { say, agents, clock, store, out } = await hostStand(['tide']);
    await say('tide', 'hello');
    for (let i = 0; i < 400; i++) {
      const agent = agents.last('tide');
      if (i % 2) agent?.take();
      agent?.exit('closed');
      await clock.pass(1000);
    }
    expect(agents.agents.length).toBe(6);
    expect((await store.runs.queues())[0]).toMatchObject({ waiting: 0, givenUp: 1 });
    expect(await out('tide')).toEqual([expect.stringContaining('it ended without an answer')]);
  });

  it('host.md 10: retries back off 5, 10, 20, 40, 80 s, then wait for the next message', async () => {
    const { say, agents, clock, store, out, words } = await hostStand(['tide']);
    agents.trouble.error = new HoldfastError('CONFLICT', 'There is no SDK', { hint: 'Install it.' });
    let starts = 0;
    const counted: number[] = [];
    const began = clock.now();
    await say('tide', 'hello');
    const tries = () => agents.trouble.refused;
    for (const seconds of [5, 10, 20, 40, 80]) {
      starts = tries();
      await clock.pass(seconds * 1000 - 1);
      expect(tries()).toBe(starts);
      await clock.pass(1);
      expect(tries()).toBe(starts + 1);
      counted.push((clock.now() - began) / 1000);
    }
    expect(counted).toEqual([5, 15, 35, 75, 155]);
    expect(await out('tide')).toEqual([expect.stringContaining('There is no SDK. Install it.')]);
    expect(words.filter(({ trouble }) => trouble?.includes('There is no SDK')).length).toBe(5);
    await clock.pass(60 * minute);
    expect(tries()).toBe(6);
    expect((await store.runs.queues())[0]).toMatchObject({ givenUp: 1, waiting: 0 });
    agents.trouble.error = undefined;
    await say('tide', 'and now?');
    expect(agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['hello', 'and now?']);
    agents.last('tide')?.answer('here I am');
    await settle();
    expect((await store.runs.queues()).length).toBe(0);
  });

  it('host.md 7: messages that waited for a host are sent at its start, in order, and an old close closes nothing', async () => {
    const stand = await hostStand(['tide']);
    for (const text of ['one', 'two']) await stand.store.messages.add('tide', { text }, stand.clock.now());
    // A close meant for a process that is gone does not apply to another.
    stand.host.close('tide');
    await stand.restart();
    expect(stand.agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(stand.agents.last('tide')?.isClosing).toBe(false);
  });

  it('after a kill in mid-turn, the next host sends messages without output again, and no others', async () => {
    const stand = await hostStand(['tide', 'reef']);
    const { agents, store, clock } = stand;
    const silent = await stand.say('tide', 'one');
    const heard = await stand.say('reef', 'one');
    const runs = await store.runs.open();
    await store.messages.putOut(
      { group: 'reef', kind: 'message', text: 'begun', run: runs.find(({ group }) => group === 'reef')?.id },
      clock.now(),
    );
    // The first host is never heard of again.
    await stand.restart();
    expect(await stand.state('tide', silent)).toBe('handed');
    expect(agents.agents.filter(({ run }) => run.group === 'tide').length).toBe(2);
    expect(await stand.state('reef', heard)).toBe('answered');
    expect(agents.agents.filter(({ run }) => run.group === 'reef').length).toBe(1);
    expect((await store.runs.open()).length).toBe(1);
  });

  it('a killed host leaves no process, not even one that its agent has started', async () => {
    const stand = await hostStand(['tide']);
    const agent = spawn('sh', ['-c', 'sleep 300 & echo $!; wait'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = await once(agent.stdout, 'data');
    const pids = [agent.pid as number, Number(line)];
    onTestFinished(() => {
      for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
    });
    const run = await stand.store.runs.begin({ group: 'tide', epoch: 1 }, 0);
    await stand.store.runs.noteProcess(run, agent.pid as number, await processStart(agent.pid as number));
    await stand.restart();
    await until(() => !pids.some(isAlive), 'their end');
  });

  it('the agent is told who speaks, if a bridge says it', async () => {
    const { store, host, agents, clock } = await hostStand(['tide']);
    await store.messages.add('tide', { text: 'hello', from: 'Ada' }, clock.now());
    host.wake();
    await settle();
    expect(agents.last('tide')?.sent[0]?.text).toBe('Ada: hello');
  });
});

describe('what a process finds at its start', () => {
  it('groups.md 14, 17: the host writes history, tasks and groups before each start, and settings if there are none', async () => {
    const { start, last } = fakeAgents();
    const found: Record<string, unknown>[] = [];
    const stand = await hostStand(['main', 'tide'], {
      start: (run) => {
        const { snapshots, agentHome } = groupFolders(stand.groupDeps.config, run.group);
        const read = (file: string) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined);
        const [history, tasks, groups] = ['session_history', 'current_tasks', 'available_groups'].map((name) =>
          read(path.join(snapshots, `${name}.json`)),
        );
        found.push({ history, tasks, groups, settings: read(path.join(agentHome, '.claude/settings.json')) });
        return start(run);
      },
    });
    const daily = { group: 'tide', kind: 'cron', when: '0 9 * * *', timeZone: 'UTC', context: 'group' } as const;
    const next = stand.clock.now() + 1000 * minute;
    await stand.store.tasks.add({ ...daily, prompt: 'Read the gauge', next }, 1);
    await stand.say('tide', 'one');
    expect(found[0]).toMatchObject({
      history: { sessions: [] },
      tasks: { tasks: [{ prompt: 'Read the gauge' }] },
      groups: undefined,
      settings: { env: { CLAUDE_CODE_DISABLE_AUTO_MEMORY: '0' } },
    });
    last('tide')?.answer('1', 's-1');
    await (await openGroup(stand.groupDeps, 'tide')).clear('One');
    await stand.clock.pass(31 * minute);
    // The person's own settings stay; the old content of the snapshots does not.
    const { agentHome } = groupFolders(stand.groupDeps.config, 'tide');
    fs.writeFileSync(path.join(agentHome, '.claude/settings.json'), '{"mine":true}');
    await stand.store.tasks.add({ ...daily, prompt: 'Read the chart', next }, 2);
    await stand.say('tide', 'two');
    expect(found).toHaveLength(2);
    expect(found[1]).toMatchObject({
      history: { sessions: [{ name: 'One' }] },
      tasks: { tasks: [{ prompt: 'Read the gauge' }, { prompt: 'Read the chart' }] },
    });
    expect(found[1]?.settings).toEqual({ mine: true });
    await stand.say('main', 'hello');
    expect(found[2]).toMatchObject({ groups: { groups: [{ name: 'main' }, { name: 'tide' }] } });
  });
});

describe('limits', () => {
  it('host.md 8: without a setting, 30 minutes of silence and 60 without an answer', () => {
    const { idleMinutes, hardLimitMinutes } = loadConfig({ HOME: '/nowhere' }).settings.host;
    expect({ idleMinutes, hardLimitMinutes }).toEqual({ idleMinutes: 30, hardLimitMinutes: 60 });
  });

  it('host.md 8: an idle process is closed after 30 minutes, and only a real result restarts them', async () => {
    const { say, agents, clock } = await hostStand(['tide']);
    await say('tide', 'one');
    const agent = agents.last('tide');
    agent?.answer('1');
    await clock.pass(29 * minute);
    // Neither of these is a result.
    agent?.run.events.session?.('s-0');
    agent?.run.events.delta?.('…');
    await clock.pass(minute - 1);
    expect(agent?.isClosing).toBe(false);
    await clock.pass(1);
    expect(agent?.isOver).toBe(true);
    await say('tide', 'two');
    const next = agents.last('tide');
    next?.answer('2');
    await clock.pass(20 * minute);
    await say('tide', 'three');
    next?.answer('3');
    await clock.pass(29 * minute);
    expect(next?.isClosing).toBe(false);
    await clock.pass(minute);
    expect(next?.isOver).toBe(true);
  });

  it('host.md 8: an empty result is not a real one', async () => {
    const { say, agents, clock } = await hostStand(['tide']);
    await say('tide', 'one');
    const agent = agents.last('tide');
    agent?.answer('1');
    await clock.pass(20 * minute);
    await say('tide', 'two');
    await clock.pass(15 * minute);
    expect(agent?.isClosing).toBe(false);
    agent?.answer('');
    await settle();
    expect(agent?.isOver).toBe(true);
  });

  it('host.md 8: the hard limit is at least idle and 30 s; without output it is an error, after output a success', async () => {
    const stand = await hostStand(['tide'], { hardMs: minute });
    const { agents, clock, state } = stand;
    const id = await stand.say('tide', 'one');
    const agent = agents.last('tide');
    agent?.take();
    await clock.pass(30 * minute + 29_999);
    expect(agent?.isOver).toBe(false);
    await clock.pass(1);
    expect(agent?.isOver).toBe(true);
    expect(await state('tide', id)).toBe('waiting');
    expect((await stand.store.runs.lastErrors())[0]?.error).toContain('too long');
    await clock.pass(5000);
    agents.last('tide')?.take();
    const [run] = await stand.store.runs.open();
    await stand.store.messages.putOut({ group: 'tide', kind: 'message', text: 'begun', run: run?.id }, clock.now());
    await clock.pass(31 * minute);
    expect(await state('tide', id)).toBe('answered');
    expect(agents.agents.length).toBe(2);
  });

  it('host.md 11: at most five processes, one for each group; 20 groups are served in order, and all are answered', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `g${String(i).padStart(2, '0')}`);
    const { store, host, agents, clock, out } = await hostStand(names);
    for (const [i, name] of names.entries()) await store.messages.add(name, { text: name }, clock.now() + i);
    await clock.pass(100);
    host.wake();
    await until(() => agents.agents.length === 5);
    const order: string[] = [];
    let most = 0;
    while (order.length < 20) {
      const open = agents.agents.filter(({ isOver }) => !isOver);
      most = Math.max(most, open.length);
      const next = agents.agents.find(({ run, sent }) => sent.length > 0 && !order.includes(run.group));
      if (next === undefined) await settle(1);
      else {
        order.push(next.run.group);
        next.answer(`for ${next.run.group}`);
        await settle(2);
      }
    }
    await until(async () => (await out('g19')).length === 1);
    expect(order).toEqual(names);
    expect(most).toBeLessThanOrEqual(5);
    for (const name of names) expect(await out(name)).toEqual([`for ${name}`]);
    await clock.pass(60 * minute);
    expect(host.processes()).toEqual([]);
  });

  it('host.md 11: the process that was idle longest makes room for a waiting group', async () => {
    const { say, agents, clock } = await hostStand(['a', 'b', 'c'], { maxProcesses: 2 });
    await say('a', '1');
    agents.last('a')?.answer('a');
    await clock.pass(1000);
    await say('b', '1');
    agents.last('b')?.answer('b');
    await clock.pass(1000);
    await say('c', '1');
    await until(() => agents.last('c') !== undefined);
    expect(agents.last('a')?.isOver).toBe(true);
    expect(agents.last('b')?.isOver).toBe(false);
  });
});

describe('scheduled tasks', () => {
  const task = { prompt: 'look at the gauge', kind: 'interval', when: '600000', timeZone: 'UTC' } as const;

  it('host.md 12: tasks go before messages, and a task’s process takes no chat messages', async () => {
    const { store, host, agents, clock, out } = await hostStand(['tide'], { maxProcesses: 1 });
    const added = await store.tasks.add({ ...task, group: 'tide', context: 'group', next: clock.now() }, clock.now());
    await store.messages.add('tide', { text: 'hello' }, clock.now() - 1000);
    host.wake();
    await until(() => (agents.last('tide')?.sent.length ?? 0) > 0);
    const first = agents.last('tide');
    expect(first?.sent[0]?.text).toContain('look at the gauge');
    await store.messages.add('tide', { text: 'anybody?' }, clock.now());
    host.wake();
    await settle();
    expect(first?.sent.length).toBe(1);
    first?.answer('calm', 's');
    await until(() => agents.agents.length === 2);
    await settle();
    const second = agents.last('tide');
    expect(second?.run).toMatchObject({ session: 's', resumeAt: 'at-calm' });
    expect(second?.sent.map(({ text }) => text)).toEqual(['hello', 'anybody?']);
    expect(await out('tide')).toEqual(['calm']);
    expect(await store.tasks.get(added?.id as number)).toMatchObject({ lastResult: 'calm', failures: 0 });
  });

  it('host.md 12: a running chat makes way for a task of its group, after it has answered', async () => {
    const { store, say, agents, clock } = await hostStand(['tide']);
    await say('tide', 'one');
    const chat = agents.last('tide');
    chat?.take();
    await store.tasks.add({ ...task, group: 'tide', context: 'group', next: clock.now() }, clock.now());
    await say('tide', 'two');
    expect(chat?.isClosing).toBe(true);
    chat?.answer('1');
    await until(() => agents.agents.length === 2);
    await settle();
    expect(agents.last('tide')?.sent[0]?.text).toContain('look at the gauge');
    agents.last('tide')?.answer('calm');
    await until(() => agents.agents.length === 3);
    await settle();
    expect(agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['two']);
  });

  it('an isolated task has a separate session each time, and leaves the group’s alone', async () => {
    const { store, agents, clock, host } = await hostStand(['tide']);
    await store.groups.setPointer('tide', { agent: 'claude-code', session: 'mine', resumeAt: 'p' }, { at: 0 });
    await store.tasks.add({ ...task, group: 'tide', context: 'isolated', next: clock.now() }, clock.now());
    host.wake();
    for (const round of [1, 2]) {
      await until(() => agents.agents.length === round && agents.last('tide')?.sent.length === 1);
      expect(agents.last('tide')?.run.session).toBeUndefined();
      agents.last('tide')?.answer(`calm ${round}`, `own-${round}`);
      await clock.pass(10 * minute);
    }
    expect(await store.groups.pointer('tide')).toMatchObject({ session: 'mine', resumeAt: 'p' });
    expect(await store.tasks.list('tide')).toMatchObject([
      { lastResult: 'calm 2', nextAt: '2026-05-01T12:20:00.000Z' },
    ]);
  });

  it('a task that fails before any output is retried, also when a killed host was running it', async () => {
    const stand = await hostStand(['tide']);
    const { store, agents, clock } = stand;
    const added = await store.tasks.add(
      { ...task, kind: 'once', when: '', group: 'tide', context: 'isolated', next: clock.now() },
      clock.now(),
    );
    stand.host.wake();
    await until(() => agents.last('tide')?.sent.length === 1);
    await stand.restart();
    await until(() => agents.agents.length === 2);
    agents.last('tide')?.exit('died');
    await clock.pass(5000);
    expect(agents.agents.length).toBe(3);
    agents.last('tide')?.answer('done');
    await settle();
    expect(await store.tasks.get(added?.id as number)).toMatchObject({ state: 'done', lastResult: 'done' });
    await clock.pass(60 * minute);
    expect(agents.agents.length).toBe(3);
  });

  it('a task that is due later wakes the host by itself', async () => {
    const { store, agents, clock, host } = await hostStand(['tide']);
    await store.tasks.add({ ...task, group: 'tide', context: 'group', next: clock.now() + 47 * minute }, clock.now());
    host.wake();
    await clock.pass(47 * minute - 1);
    expect(agents.agents.length).toBe(0);
    await clock.pass(1);
    expect(agents.agents.length).toBe(1);
  });
});

describe('trouble with the store', () => {
  it('a process whose start cannot be stored is ended, and the message is retried', async () => {
    const { store, say, agents, clock } = await hostStand(['tide']);
    const note = store.runs.noteProcess;
    Object.assign(store.runs, {
      async noteProcess() {
        Object.assign(store.runs, { noteProcess: note });
        throw new HoldfastError('STORE_BUSY', 'busy');
      },
    });
    await say('tide', 'hello');
    expect(agents.last('tide')?.isOver).toBe(true);
    await clock.pass(5000);
    expect(agents.agents.length).toBe(2);
    expect(agents.last('tide')?.sent.map(({ text }) => text)).toEqual(['hello']);
  });

  it('the end of a run is stored when there is space again', async () => {
    const { store, say, agents, clock, state } = await hostStand(['tide']);
    const id = await say('tide', 'hello');
    const end = store.runs.end;
    let failures = 0;
    Object.assign(store.runs, {
      async end(...args: Parameters<typeof end>) {
        if (failures++ < 3) throw new HoldfastError('DISK_FULL', 'no space');
        return end(...args);
      },
    });
    agents.last('tide')?.take();
    agents.last('tide')?.exit('died');
    await settle();
    expect(await state('tide', id)).toBe('handed');
    await clock.pass(15_000);
    expect(await state('tide', id)).toBe('waiting');
    await clock.pass(5000);
    expect(agents.last('tide')?.sent.length).toBe(1);
  });

  it.each(['DISK_FULL', 'STORE_BUSY'] as const)(
    'the session and an answer are stored when that is possible again, and the message is answered once: %s',
    async (code) => {
      const { store, say, agents, clock, state, out, log } = await hostStand(['tide']);
      const id = await say('tide', 'hello');
      const { putOut } = store.messages;
      const { setPointer } = store.groups;
      let failures = 0;
      const trouble = () => {
        if (failures++ % 4 < 3) throw new HoldfastError(code, 'not now');
      };
      Object.assign(store.messages, {
        async putOut(...args: Parameters<typeof putOut>) {
          trouble();
          return putOut(...args);
        },
      });
      Object.assign(store.groups, {
        async setPointer(...args: Parameters<typeof setPointer>) {
          trouble();
          return setPointer(...args);
        },
      });
      agents.last('tide')?.answer('good day', 's', 'p');
      await clock.pass(60_000);
      expect(await out('tide')).toEqual(['good day']);
      expect(await state('tide', id)).toBe('answered');
      expect(await store.groups.pointer('tide')).toMatchObject({ session: 's', resumeAt: 'p' });
      expect(agents.agents.length).toBe(1);
      expect(log.filter((line) => line.includes('not now')).length).toBe(6);
    },
  );

  it('a host whose store accepts nothing can still be stopped', async () => {
    const { store, say, agents, host, clock } = await hostStand(['tide']);
    await say('tide', 'hello');
    const { putOut } = store.messages;
    Object.assign(store.messages, {
      async putOut() {
        throw new HoldfastError('DISK_FULL', 'no space');
      },
    });
    agents.last('tide')?.answer('good day');
    await say('tide', 'and now?');
    const stopping = host.stop(30_000);
    await clock.pass(40_000);
    await stopping;
    Object.assign(store.messages, { putOut });
    expect((await store.runs.queues())[0]).toMatchObject({ waiting: 2, handed: 0 });
  });

  it('a session of another group is not tried again', async () => {
    const { store, say, agents, out, host, log } = await hostStand(['tide', 'reef']);
    await store.groups.setPointer('reef', { agent: 'claude-code', session: 'theirs' }, { at: 0 });
    await say('tide', 'hello');
    agents.last('tide')?.answer('good day', 'theirs');
    await settle();
    expect(await out('tide')).toEqual(['good day']);
    expect((await store.groups.pointer('tide'))?.session).toBeUndefined();
    expect(log.some((line) => line.includes('does not belong to the group'))).toBe(true);
    await host.stop(0);
  });

  it('a process that has just started does not count as idle', async () => {
    const gates: (() => void)[] = [];
    const startOf = () => new Promise<undefined>((resolve) => gates.push(() => resolve(undefined)));
    const { store, host, agents, clock, out } = await hostStand(['a', 'b'], { maxProcesses: 1, startOf });
    await store.tasks.add(
      { prompt: 'look', kind: 'once', when: '', timeZone: 'UTC', group: 'a', context: 'group', next: clock.now() },
      clock.now(),
    );
    await store.messages.add('b', { text: 'b' }, clock.now());
    host.wake();
    await until(() => gates.length === 1);
    for (let i = 0; i < 5; i++) {
      host.wake();
      await settle(3);
    }
    expect(agents.last('a')?.isClosing).toBe(false);
    gates[0]?.();
    await until(() => agents.last('a')?.sent.length === 1);
    agents.last('a')?.answer('for a');
    await until(() => gates.length === 2);
    gates[1]?.();
    await until(() => agents.last('b')?.sent.length === 1);
    agents.last('b')?.answer('for b');
    await settle();
    expect([await out('a'), await out('b'), agents.agents.length]).toEqual([['for a'], ['for b'], 2]);
  });
});

describe('the end of the host', () => {
  it('lets agents answer what they have, and starts no others', async () => {
    const { store, say, host, agents, clock, out } = await hostStand(['tide', 'reef']);
    await say('tide', 'one');
    agents.last('tide')?.take();
    const stopping = host.stop(30_000);
    await store.messages.add('reef', { text: 'late' }, clock.now());
    host.wake();
    await settle();
    agents.last('tide')?.answer('1');
    await stopping;
    expect(await out('tide')).toEqual(['1']);
    expect(agents.agents.length).toBe(1);
    expect(await store.runs.open()).toEqual([]);
  });

  it('ends agents that take too long; their messages wait again, at no cost', async () => {
    const { store, say, host, agents, clock } = await hostStand(['tide']);
    const id = await say('tide', 'one');
    agents.last('tide')?.take();
    const stopping = host.stop(30_000);
    await clock.pass(30_000);
    await stopping;
    expect(await store.messages.get('tide', id)).toMatchObject({ state: 'waiting', attempts: 0 });
  });
});
