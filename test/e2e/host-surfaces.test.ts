// How people, bridges and agents meet the host: chat, pipe, HTTP, event streams, tools, tasks. The real client, in the real sandbox.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { groupFolders, groupMemoryFile } from '../../src/sessions/groups/group-folders.ts';
import { because } from '../because.ts';
import { ask, holdfast, launch, root, until } from './holdfast.ts';
import { begun, hosting, outgoing, pipe, said, scripted, status } from './host-chat.ts';
import { lastAsked, type Stand, trouble } from './host-stand.ts';

const isMissing = trouble;

async function working(stand: Stand) {
  const worker = launch(stand.env, ['worker', 'run']);
  await worker.says('Watching for new transcripts');
  const url = `http://127.0.0.1:${stand.env.HOLDFAST_PORT}`;
  await until(async () => (await fetch(`${url}/api/health`).catch(() => undefined))?.ok === true, 'the worker');
  return { worker, url };
}

const tokenOf = async (stand: Stand, group: string): Promise<string> =>
  (await ask(stand.env, 'groups', 'token', group)).token;

/** Reads a stream of events until it closes or is cut off. */
function listen(url: string, token: string, last?: string) {
  const events: { event: string; id?: string; data: { text: string; answers?: number[] } }[] = [];
  const cut = new AbortController();
  onTestFinished(() => cut.abort());
  const ended = (async () => {
    const headers = { authorization: `Bearer ${token}`, ...(last === undefined ? {} : { 'last-event-id': last }) };
    const answer = await fetch(url, { headers, signal: cut.signal });
    let rest = '';
    for await (const bytes of answer.body ?? []) {
      const blocks = (rest + Buffer.from(bytes as Uint8Array).toString('utf8')).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const [event, id, data] = [field('event'), field('id'), field('data')];
        if (event !== undefined && data !== undefined)
          events.push({ event, ...(id === undefined ? {} : { id }), data: JSON.parse(data) });
      }
    }
  })().catch(() => {});
  return { events, ended, cut: () => cut.abort() };
}

describe.skipIf(isMissing)(because('a chat', isMissing), () => {
  it('without a host runs the agent itself, in a pipe too, and leaves no process', async () => {
    const stand = await begun(['family']);
    const first = await pipe(stand.env, 'family', scripted('One', [{ text: 'first' }]));
    expect(first).toMatchObject({ code: 0, stdout: 'first\n' });
    expect(first.stderr).toContain('No host is running, so this chat runs the agent itself');
    expect(await status(stand)).toMatchObject({ running: false, processes: [], groups: [{ waiting: 0, handed: 0 }] });
    const second = await pipe(stand.env, 'family', scripted('Two', [{ text: 'second' }]));
    expect(second).toMatchObject({ code: 0, stdout: 'second\n' });
    expect(lastAsked(stand).text).toContain('One MOCK');
  });

  it('treats /clear NAME as the group’s clear: keeps the session under the name, and the next message starts another', async () => {
    const stand = await begun(['family']);
    await pipe(stand.env, 'family', scripted('One', [{ text: 'first' }]));
    const cleared = await pipe(stand.env, 'family', '/clear Tides');
    expect(cleared).toMatchObject({ code: 0, stdout: 'A new conversation begins. The last one is kept as “Tides”.\n' });
    const { sessions } = await ask(stand.env, 'groups', 'history', 'family');
    expect(sessions).toMatchObject([{ name: 'Tides' }]);
    expect(readdirSync(groupFolders(stand.config, 'family').conversations)).toHaveLength(1);
    await pipe(stand.env, 'family', scripted('Two', [{ text: 'second' }]));
    expect(lastAsked(stand).text).not.toContain('One MOCK');
  });

  it('says what is wrong: no such group, no key, no answer', async () => {
    const stand = await begun(['family']);
    expect(await holdfast(stand.env, 'chat', 'nobody', 'hello')).toMatchObject({ code: 3 });
    const { ANTHROPIC_API_KEY: _, ...keyless } = stand.env;
    const failed = await holdfast(keyless, 'chat', 'family', 'hello');
    expect([failed.code, failed.stderr]).toEqual([5, expect.stringContaining('There is no key')]);
    expect((await status(stand)).groups[0]).toMatchObject({ waiting: 0 });
    expect(await holdfast(stand.env, 'chat', '../family', 'hello')).toMatchObject({ code: 2 });
  });

  it('is the host only for the group in the chat; tasks and other groups wait', async () => {
    const stand = await begun(['family', 'work']);
    await ask(stand.env, 'groups', 'send', 'work', scripted('Hello', [{ text: 'later' }]));
    await ask(stand.env, 'tasks', 'add', 'family', scripted('Look', [{ text: 'looked' }]), '--every', '10s');
    await said(stand, 'family', 'One', [{ text: 'first', delay: 500 }]);
    expect(outgoing(stand, 'work')).toEqual([]);
    expect((await status(stand)).groups.map(({ waiting }: { waiting: number }) => waiting)).toEqual([0, 1]);
  });
});

describe.skipIf(isMissing)(because('over HTTP', isMissing), () => {
  it('a message is accepted at once, its answer comes as an event, and none is lost or doubled when worker and host restart', async () => {
    const stand = await begun(['family', 'work']);
    let { worker, url } = await working(stand);
    const token = await tokenOf(stand, 'family');
    const post = (text: string, given = token, group = 'family') =>
      fetch(`${url}/api/groups/${group}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${given}`, 'content-type': 'application/json' },
        body: JSON.stringify({ text, from: 'Ada' }),
      });
    const events = `${url}/api/groups/family/events`;
    const stream = listen(events, token);
    const before = await post(scripted('One', [{ text: 'first' }]));
    expect([before.status, await before.json()]).toEqual([
      202,
      expect.objectContaining({ hostRuns: false, note: expect.stringContaining('No host is running') }),
    ]);
    let host = await hosting(stand);
    await until(() => stream.events.some(({ event }) => event === 'answer'), 'the first answer');
    const answer = stream.events.find(({ event }) => event === 'answer');
    expect(answer?.data).toMatchObject({ text: 'first', answers: [1] });
    expect(lastAsked(stand).text).toContain('Ada: One');
    stream.cut();

    // While no client listens: an answer, a new worker, a new host, another answer.
    expect(await (await post(scripted('Two', [{ text: 'second' }]))).json()).toMatchObject({ hostRuns: true });
    await until(() => outgoing(stand, 'family').length === 2, 'the second answer');
    worker.child.kill('SIGKILL');
    host.child.kill('SIGKILL');
    await Promise.all([worker.ended, host.ended]);
    ({ worker, url } = await working(stand));
    const again = listen(events, token, answer?.id);
    await until(() => again.events.some(({ data }) => data.text === 'second'), 'what was missed');
    await post(scripted('Three', [{ text: 'third' }]));
    host = await hosting(stand);
    await until(() => again.events.some(({ event, data }) => event === 'answer' && data.text === 'third'), 'the third');
    expect(again.events.filter(({ event }) => event === 'answer').map(({ data }) => data.text)).toEqual([
      'second',
      'third',
    ]);

    // A stream hears partial answers only after it has found the host, which it looks for now and then.
    const heard = () => again.events.some(({ event, data }) => event === 'part' && data.text === 'more');
    for (let answers = 3; !heard() && answers < 20; answers++) {
      await post(scripted('More', [{ text: 'more' }]));
      await until(() => again.events.filter(({ event }) => event === 'answer').length === answers, 'one more answer');
    }
    expect(heard()).toBe(true);

    // The group's token opens that group alone. The person's token opens all.
    expect((await post('x', token, 'work')).status).toBe(403);
    expect((await post('x', 'a'.repeat(64))).status).toBe(401);
    expect((await post('x', await tokenOf(stand, 'work'))).status).toBe(403);
    const headers = { authorization: `Bearer ${await tokenOf(stand, 'work')}` };
    expect((await fetch(events, { headers })).status).toBe(403);
    const own = { authorization: `Bearer ${readFileSync(path.join(stand.config.home, 'token'), 'utf8').trim()}` };
    expect((await fetch(`${url}/api/host/status`, { headers: own })).status).toBe(200);
    expect((await post('')).status).toBe(400);
    expect((await post('x'.repeat(200_001))).status).toBe(400);
    expect(outgoing(stand, 'work')).toEqual([]);
  });

  it('the example bridge says what it lacks, without a stack trace', () => {
    const bridge = spawnSync(process.execPath, [path.join(root, 'examples/bridge/bridge.mjs')], {
      env: {},
      encoding: 'utf8',
    });
    expect(bridge).toMatchObject({ status: 2, stderr: expect.stringMatching(/^Set GROUP.*\n$/) });
  });

  it('the example bridge asks again for an event that was cut off', async () => {
    const asked: (string | undefined)[] = [];
    const worker = http.createServer((request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 3\n\nevent: answer\nid: 4\n');
      setTimeout(() => response.destroy(), 200);
    });
    await new Promise<void>((resolve) => worker.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void worker.close());
    const url = `http://127.0.0.1:${(worker.address() as net.AddressInfo).port}`;
    const env = { PATH: process.env.PATH, HOLDFAST_URL: url, HOLDFAST_TOKEN: 't', GROUP: 'family', PORT: '0' };
    const bridge = spawn(process.execPath, [path.join(root, 'examples/bridge/bridge.mjs')], { env, stdio: 'ignore' });
    onTestFinished(() => void bridge.kill('SIGKILL'));
    await until(() => asked.length === 3, 'the bridge to come back');
    expect(asked).toEqual([undefined, '3', '3']);
  });

  it('the example bridge: a room over TCP in front of a group', async () => {
    const stand = await begun(['family']);
    const { url } = await working(stand);
    await hosting(stand);
    const bridge = spawn(process.execPath, [path.join(root, 'examples/bridge/bridge.mjs')], {
      env: {
        PATH: process.env.PATH,
        HOLDFAST_URL: url,
        HOLDFAST_TOKEN: await tokenOf(stand, 'family'),
        GROUP: 'family',
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void bridge.kill('SIGKILL'));
    let out = '';
    for (const stream of [bridge.stdout, bridge.stderr])
      stream.on('data', (part) => {
        out += part;
      });
    await until(() => /on port \d+/.test(out), 'the bridge');
    const join = () => {
      const socket = net.connect(Number(/on port (\d+)/.exec(out)?.[1]), '127.0.0.1');
      const heard = { text: '' };
      socket.on('data', (part) => {
        heard.text += part;
      });
      onTestFinished(() => void socket.destroy());
      return { socket, heard };
    };
    const [ada, bob] = [join(), join()];
    ada.socket.write('Ada\n');
    ada.socket.write(`${scripted('What is the tide?', [{ text: 'It is low.' }])}\n`);
    await until(() => [ada, bob].every(({ heard }) => heard.text.includes('It is low.')), 'the answer');
    expect(lastAsked(stand).text).toContain('Ada: What is the tide?');
    expect(
      readFileSync(path.join(root, 'examples/bridge/bridge.mjs'), 'utf8').trimEnd().split('\n').length,
    ).toBeLessThanOrEqual(50);
  });
});

describe.skipIf(isMissing)(because('an agent', isMissing), () => {
  const tool = (name: string) => `mcp__holdfast__${name}`;

  it('sends messages during its turn, remembers, and is woken by the task that it scheduled', async () => {
    const stand = await begun(['family']);
    await hosting(stand);
    const out = await said(stand, 'family', 'Wake yourself', [
      { tool: tool('send_message'), input: { text: 'I am on it.' } },
      { tool: tool('remember'), input: { text: 'The lamp is green.' } },
      {
        tool: tool('schedule_task'),
        input: {
          prompt: 'Look at the gauge',
          schedule_type: 'interval',
          schedule_value: '10s',
          context_mode: 'isolated',
        },
      },
      { text: 'Done.' },
    ]);
    expect(out).toEqual(['I am on it.', 'Done.']);
    expect(readFileSync(groupMemoryFile(stand.config, 'family'), 'utf8')).toContain('- The lamp is green.');
    const { session } = (await status(stand)).groups[0];
    await until(() => outgoing(stand, 'family').length >= 3, 'the task');
    expect(lastAsked(stand).text).toContain('Look at the gauge');
    // The task runs in its own process: its session is not the group's, and it has the group's memory.
    expect((await status(stand)).groups[0].session).toBe(session);
    expect(lastAsked(stand).text).toContain('The lamp is green.');
    expect(lastAsked(stand).text).not.toContain('Wake yourself');
    const { tasks } = await ask(stand.env, 'tasks');
    expect(tasks).toMatchObject([{ id: 1, group: 'family', kind: 'interval', state: 'active' }]);
    await ask(stand.env, 'tasks', 'cancel', '1');
  });

  it('host.md 19: everything said is readable after a compaction, word for word', async () => {
    const stand = await begun(['family']);
    await hosting(stand);
    await said(stand, 'family', 'The lamp at Naoshima is green, and blinks twice', [{ text: 'Noted: green, twice.' }]);
    await holdfast(stand.env, 'chat', 'family', '/compact');
    const { conversations } = groupFolders(stand.config, 'family');
    // Skip files that are being written: those have another name until they are complete.
    const archives = () =>
      readdirSync(conversations)
        .filter((file) => file.endsWith('.md'))
        .map((file) => readFileSync(path.join(conversations, file), 'utf8'));
    await until(() => existsSync(conversations) && archives().length === 1, 'the archive');
    expect(archives()[0]).toContain('The lamp at Naoshima is green, and blinks twice');
    expect(archives()[0]).toContain('Noted: green, twice.');
    expect(stand.mock.asked.some(({ kind }) => kind === 'compact')).toBe(true);
    // The agent can read it too, from inside.
    expect(
      await said(stand, 'family', 'Look it up', [
        { tool: 'Bash', input: { command: 'grep -rl Naoshima conversations/ && touch found' } },
        { text: 'Found.' },
      ]),
    ).toEqual(['Found.']);
    expect(existsSync(path.join(groupFolders(stand.config, 'family').work, 'found'))).toBe(true);
  });

  it('host.md 14: global memory reaches every group, and a person who clears a group closes its process', async () => {
    const stand = await begun(['main', 'family']);
    await hosting(stand);
    await said(stand, 'main', 'Tell all', [
      { tool: 'Bash', input: { command: 'echo "The harbour is closed." > /workspace/global/CLAUDE.md' } },
      { text: 'Told.' },
    ]);
    await said(stand, 'family', 'One', [{ text: 'first' }]);
    expect(lastAsked(stand).text).toContain('The harbour is closed.');
    const isRunning = async () =>
      (await status(stand)).processes.some(({ group }: { group: string }) => group === 'family');
    expect(await isRunning()).toBe(true);
    await ask(stand.env, 'groups', 'clear', 'family', '--name', 'Harbour talk');
    await until(async () => !(await isRunning()), 'the close');
    await said(stand, 'family', 'Two', [{ text: 'second' }]);
    expect(lastAsked(stand).text).not.toContain('One MOCK');
    // And the agent itself switches back.
    await said(stand, 'family', 'Back', [
      { tool: tool('list_sessions'), input: {} },
      { tool: tool('resume_session'), input: { id: 1 } },
      { text: 'We go on.' },
    ]);
    await said(stand, 'family', 'Three', [{ text: 'third' }]);
    expect(lastAsked(stand).text).toContain('One MOCK');
    expect(lastAsked(stand).text).not.toContain('Two MOCK');
  });
});
