// One agent in its sandbox: what it does, what it leaves behind, and how it resumes.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { groupFolders } from '../../src/sessions/groups/group-folders.ts';
import { because } from '../because.ts';
import { isAlive, root, until } from './holdfast.ts';
import {
  agentLog,
  hostStand,
  inEachSandbox,
  inSandboxes,
  insiders,
  lastAsked,
  type Stand,
  treeOf,
  trouble,
} from './host-stand.ts';

const argvOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // The process has ended.
    return [];
  }
};

/** A session with one answer, whose process has ended. */
async function earlier(stand: Stand, group = 'family') {
  const talk = await stand.start(group);
  const { session, at } = await talk.ask('Remember the word ALPHA.', [{ text: 'I will.' }]);
  await talk.end();
  const transcript = path.join(
    groupFolders(stand.config, group).agentHome,
    '.claude/projects/-workspace-group',
    `${session}.jsonl`,
  );
  expect(readFileSync(transcript, 'utf8')).toContain('ALPHA');
  return { session, at: at as string, transcript };
}

inEachSandbox('an agent', ({ settings }) => {
  it('writes a document, is released, and continues it in a new process', async () => {
    const stand = await hostStand(settings);
    const { work } = groupFolders(stand.config, 'family');
    const first = await stand.start('family', { append: 'GLOBAL MEMORY' });
    const answer = await first.ask('Begin the document.', [
      { tool: 'Write', input: { file_path: '/workspace/group/doc.md', content: 'Chapter one\n' } },
      { text: 'Chapter one is written.' },
    ]);
    expect(answer).toMatchObject({ ok: true, text: 'Chapter one is written.', answers: ['m1'] });
    expect(readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\n');
    expect(first.heard.sessions).toEqual([answer.session]);
    expect(first.heard.taken).toEqual(['m1']);
    expect(first.heard.deltas.join('')).toBe('Chapter one is written.');
    expect(lastAsked(stand).text).toContain('GLOBAL MEMORY');
    // The group's instructions, which every group has from the start.
    expect(lastAsked(stand).text).toContain('holds earlier conversations of this group');
    expect(await first.end()).toMatchObject({ how: 'closed', code: 0, untaken: [], unanswered: [] });

    const second = await stand.start('family', { session: answer.session, resumeAt: answer.at });
    const next = await second.ask('Carry on with that document.', [
      { tool: 'Bash', input: { command: 'echo "Chapter two" >> doc.md; ls ~' } },
      { text: 'Chapter two, too.' },
    ]);
    expect(next.session).toBe(answer.session);
    expect(lastAsked(stand).text).toContain('Begin the document.');
    expect(lastAsked(stand).text).toContain('Chapter one is written.');
    expect(readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\nChapter two\n');
    await second.end();
    expect(agentLog(stand.config, 'family')).toBe('');
  });

  it('offers the group its tools, and gives the model what the host answers', async () => {
    const stand = await hostStand(settings);
    const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const talk = await stand.start('family', {
      tools: [
        { name: 'send_message', description: 'Says something.', input },
        { name: 'refuse', description: 'Fails.', input },
      ],
      events: {
        async call(tool, given) {
          if (tool === 'refuse') throw new Error('NOT TODAY');
          return `SENT ${JSON.stringify(given)}`;
        },
      },
    });
    await talk.ask('Send it.', [
      { tool: 'mcp__holdfast__send_message', input: { text: 'hello' } },
      { tool: 'mcp__holdfast__refuse', input: { text: 'x' } },
      { text: 'done' },
    ]);
    expect(lastAsked(stand).tools).toEqual(expect.arrayContaining(['mcp__holdfast__send_message']));
    expect(lastAsked(stand).text).toContain('SENT {\\"text\\":\\"hello\\"}');
    expect(lastAsked(stand).text).toContain('NOT TODAY');
    await talk.end();
  });

  it('reaches its model, and nothing else, without a network', async () => {
    const stand = await hostStand({ ...settings, HOLDFAST_HOST_NETWORK: 'false' });
    const talk = await stand.start('family');
    const { port } = new URL(stand.mock.url);
    const look = `const s=require('net').connect(${port},'127.0.0.1');s.on('connect',()=>console.log('REACHED'));s.on('error',(e)=>console.log('REFUSED',e.code))`;
    expect(
      await talk.ask('Look.', [
        { tool: 'Bash', input: { command: `node -e "${look}"; cat /proc/net/dev` } },
        { text: 'ok' },
      ]),
    ).toMatchObject({ ok: true });
    expect(lastAsked(stand).text).toContain('REFUSED ECONNREFUSED');
    expect(lastAsked(stand).text).not.toContain('eth0');
    await talk.end();
  });
});

inSandboxes('the conversation of an agent', ({ settings, sandbox }) => {
  it('takes further messages into the running query, in order', async () => {
    const stand = await hostStand(settings);
    const talk = await stand.start('family');
    talk.say('first', [{ tool: 'Bash', input: { command: 'touch begun; sleep 1' } }, { text: 'one' }], 'a');
    await until(() => readdirSync(groupFolders(stand.config, 'family').work).includes('begun'), 'the first turn');
    talk.say('second', [{ text: 'two' }], 'b');
    talk.say('third', [{ text: 'three' }], 'c');
    await until(() => talk.heard.results.flatMap(({ answers }) => answers).length === 3, 'all answers');
    expect(talk.heard.taken).toEqual(['a', 'b', 'c']);
    expect(talk.heard.results.flatMap(({ answers }) => answers)).toEqual(['a', 'b', 'c']);
    expect(lastAsked(stand).text).toMatch(/first.*second.*third/s);
    // After a close, the agent still answers the messages that it took, and takes no more.
    talk.say('last', [{ tool: 'Bash', input: { command: 'sleep 0.5' } }, { text: 'still answered' }], 'd');
    talk.agent.close();
    expect(talk.agent.send({ id: 'e', text: 'too late' })).toBe(false);
    expect(await talk.agent.exited).toMatchObject({ how: 'closed', untaken: [], unanswered: [] });
    expect(talk.heard.results.at(-1)).toMatchObject({ answers: ['d'], text: 'still answered' });
  });

  it('reports a missing session without taking the message', async () => {
    const stand = await hostStand(settings);
    const { session, transcript } = await earlier(stand);
    rmSync(transcript);
    const talk = await stand.start('family', { session });
    talk.say('Which word?', [{ text: 'never said' }], 'a');
    const exit = await talk.agent.exited;
    expect(exit).toMatchObject({ how: 'failed', failure: { kind: 'missing' }, untaken: ['a'], unanswered: [] });
    expect(talk.heard.sessions).toEqual([]);
    expect(lastAsked(stand).text).not.toContain('Which word?');
  });

  it.each([
    ['garbage', (file: string) => writeFileSync(file, 'no transcript\0\0\n')],
    ['nothing', (file: string) => truncateSync(file)],
    ['other JSON', (file: string) => writeFileSync(file, '{"type":"summary"}\n[1]\n')],
    [
      'a folder',
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('reports a corrupt session when its file holds %s', async (_, spoil) => {
    const stand = await hostStand(settings);
    const { session, transcript } = await earlier(stand);
    spoil(transcript);
    const talk = await stand.start('family', { session });
    talk.say('Which word?', [{ text: 'never said' }], 'a');
    expect(await talk.agent.exited).toMatchObject({ failure: { kind: 'corrupt' }, untaken: ['a'] });
  });

  it('host.md 5: resumes from the newest answer when the resume position is unknown', async () => {
    const stand = await hostStand(settings);
    const { session } = await earlier(stand);
    const talk = await stand.start('family', { session, resumeAt: '00000000-0000-4000-8000-000000000000' });
    const answer = await talk.ask('Which word?', [{ text: 'ALPHA' }]);
    expect(answer).toMatchObject({ ok: true, session, text: 'ALPHA' });
    expect(lastAsked(stand).text).toContain('Remember the word ALPHA.');
    expect(talk.heard.taken).toHaveLength(1);
    expect(agentLog(stand.config, 'family')).toContain('resuming from its newest');
    await talk.end();
  });

  it('resumes at an earlier answer when told to', async () => {
    const stand = await hostStand(settings);
    const { session, at } = await earlier(stand);
    const second = await stand.start('family', { session, resumeAt: at });
    await second.ask('A turn to be left out: BETA.', [{ text: 'BETA it is.' }]);
    await second.end();
    const third = await stand.start('family', { session, resumeAt: at });
    await third.ask('Which word?', [{ text: 'ALPHA' }]);
    expect(lastAsked(stand).text).toContain('ALPHA');
    expect(lastAsked(stand).text).not.toContain('BETA');
    await third.end();
  });

  it('reports a turn that failed, and stays alive', async () => {
    const stand = await hostStand(settings);
    const talk = await stand.start('family');
    const failed = await talk.ask('Fail.', [{ status: 400 }]);
    expect(failed).toMatchObject({ ok: false });
    expect(failed.text).toMatch(/400/);
    expect(failed).not.toHaveProperty('at');
    expect(await talk.ask('Again.', [{ text: 'fine' }])).toMatchObject({ ok: true, text: 'fine' });
    await talk.end();
  });

  it('answers messages that never reach the model, too, so none is sent again', async () => {
    const stand = await hostStand(settings);
    const talk = await stand.start('family');
    await talk.ask('Hello.', [{ text: 'ok' }]);
    const odd = ['   ', '', '/exit', '/cost', '/no-such-command', '/clear', '!ls', '\u0000'];
    for (const text of odd) {
      expect(talk.agent.send({ id: `odd ${text}`, text })).toBe(true);
      await until(() => talk.heard.results.some(({ answers }) => answers.includes(`odd ${text}`)), text);
    }
    expect(talk.heard.taken.slice(1)).toEqual(odd.map((text) => `odd ${text}`));
    // After /clear the agent has another session, and says so.
    expect(talk.heard.sessions).toHaveLength(2);
    expect(await talk.end()).toMatchObject({ how: 'closed', untaken: [], unanswered: [] });
  });

  // In a container, the client belongs to the image.
  it.skipIf(sandbox.bringsSdk)('reports the real cause when its program cannot run', async () => {
    const stand = await hostStand({ ...settings, HOLDFAST_HOST_PROGRAM: '/bin/false' });
    const talk = await stand.start('family', { session: '11111111-1111-4111-8111-111111111111' });
    talk.say('Hello.', [], 'a');
    expect(await talk.agent.exited).toMatchObject({ how: 'failed', failure: { kind: 'other' }, untaken: ['a'] });
  });

  it.each([
    ['archives', async () => {}],
    [
      'fails to archive',
      async () => {
        throw new Error('no space');
      },
    ],
  ])('asks the host to archive before a compaction, which goes on when the host %s', async (_, archive) => {
    const stand = await hostStand(settings);
    const asked: string[] = [];
    const talk = await stand.start('family', {
      events: {
        compacting(session) {
          asked.push(session);
          return archive();
        },
      },
    });
    const { session } = await talk.ask('Remember ALPHA.', [{ text: 'ok' }]);
    expect(talk.agent.send({ id: 'c', text: '/compact' })).toBe(true);
    await until(() => stand.mock.asked.some(({ kind }) => kind === 'compact'), 'the compaction');
    expect(asked[0]).toBe(session);
    await until(() => talk.heard.results.length > 1, 'the end of the compaction');
    expect(await talk.ask('Go on.', [{ text: 'after it' }])).toMatchObject({ ok: true, text: 'after it' });
    await talk.end();
  });
});

describe.skipIf(trouble)(because('the network of an agent in bubblewrap', trouble), () => {
  /** What the proxy answers about a page on this machine: its status, or the page. */
  const page = (host: string, port: string) =>
    `echo "${host} $(curl -s -m 20 --noproxy '' -x "$HTTP_PROXY" http://${host}:${port}/nothing | head -c 200)"`;
  const direct = (port: string, then = '') =>
    `node -e "const s=require('net').connect(${port},'127.0.0.1');s.on('connect',()=>{console.log('REACHED');${then}});s.on('error',(e)=>console.log('REFUSED',e.code))"`;

  it('is isolated: it contains nothing of this machine, and the proxy leads to none of it either', async () => {
    const stand = await hostStand();
    const talk = await stand.start('family');
    const { port } = new URL(stand.mock.url);
    const command = [direct(port), page('127.0.0.1', port), page('localhost', port), 'cat /proc/net/dev', 'env'].join(
      '; ',
    );
    await talk.ask('Look.', [{ tool: 'Bash', input: { command } }, { text: 'ok' }]);
    const { text } = lastAsked(stand);
    expect(text).toContain('REFUSED ECONNREFUSED');
    expect(text).toMatch(/127\.0\.0\.1 Holdfast: 127\.0\.0\.1:\d+ is on this machine/);
    expect(text).toMatch(/localhost Holdfast: localhost:\d+ is on this machine/);
    expect(text).not.toContain('eth0');
    expect(text).toMatch(/HTTPS_PROXY=http:\/\/127\.0\.0\.1:\d+/);
    await talk.end();
  });

  it('reaches what the person allows', async () => {
    const service = http.createServer((_request, response) => response.end('allowed'));
    await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void service.close());
    const port = String((service.address() as AddressInfo).port);
    const stand = await hostStand({ HOLDFAST_HOST_REACH: `127.0.0.1:${port}` });
    const talk = await stand.start('family');
    await talk.ask('Look.', [{ tool: 'Bash', input: { command: page('127.0.0.1', port) } }, { text: 'ok' }]);
    expect(lastAsked(stand).text).toContain('127.0.0.1 allowed');
    await talk.end();
  });

  it('is the network of this machine if the person asks for that', async () => {
    const stand = await hostStand({ HOLDFAST_HOST_NETWORK_VIA: 'machine' });
    const talk = await stand.start('family');
    const { port } = new URL(stand.mock.url);
    await talk.ask('Look.', [
      { tool: 'Bash', input: { command: `${direct(port, 's.destroy()')}; env` } },
      { text: 'ok' },
    ]);
    expect(lastAsked(stand).text).toContain('REACHED');
    expect(lastAsked(stand).text).not.toContain('HTTPS_PROXY');
    await talk.end();
  });
});

inEachSandbox('the end of an agent', ({ settings }) => {
  /** An agent in the middle of a turn that has started a program. */
  async function busy(stand: Stand) {
    const talk = await stand.start('family');
    talk.say('Sleep.', [{ tool: 'Bash', input: { command: 'touch begun; setsid sleep 1000 & sleep 1000' } }], 'a');
    await until(() => readdirSync(groupFolders(stand.config, 'family').work).includes('begun'), 'the turn');
    let inside: number[] = [];
    await until(() => {
      inside = insiders(stand);
      // The sandbox's first process, the runner, the client, its shell, and the shell's command.
      return inside.length > 4;
    }, 'its processes');
    const [session] = talk.heard.sessions;
    const transcript = path.join(
      groupFolders(stand.config, 'family').agentHome,
      '.claude/projects/-workspace-group',
      `${session}.jsonl`,
    );
    // The client writes the transcript in pieces, some time after the events.
    await until(() => existsSync(transcript) && readFileSync(transcript, 'utf8').includes('Sleep.'), 'its transcript');
    return { talk, inside, tree: [...inside, ...treeOf(talk.agent.pid)] };
  }

  it('leaves no process behind when it is killed in the middle of a turn', async () => {
    const stand = await hostStand(settings);
    const { talk, tree } = await busy(stand);
    talk.agent.kill();
    expect(await talk.agent.exited).toMatchObject({ how: 'killed', signal: 'SIGKILL', unanswered: ['a'], untaken: [] });
    await until(() => !tree.some(isAlive), 'all of its processes to be gone');
    // The agent reported its session at once, and the session can continue.
    const [session] = talk.heard.sessions;
    const next = await stand.start('family', { session });
    await next.ask('Go on.', [{ text: 'here' }]);
    expect(lastAsked(stand).text).toContain('Sleep.');
    await next.end();
  });

  it('is reported when the runner itself is killed, and leaves nothing behind', async () => {
    const stand = await hostStand(settings);
    const { talk, inside, tree } = await busy(stand);
    process.kill(
      inside.find((pid) => argvOf(pid)[1]?.endsWith('/runner.mjs') && /node$/.test(argvOf(pid)[0] ?? '')) as number,
      'SIGKILL',
    );
    expect(await talk.agent.exited).toMatchObject({ how: 'died', unanswered: ['a'], untaken: [] });
    await until(() => !tree.some(isAlive), 'all of its processes to be gone');
  });

  it('is reported when the client is killed', async () => {
    const stand = await hostStand(settings);
    const { talk, inside, tree } = await busy(stand);
    process.kill(inside.find((pid) => argvOf(pid)[0]?.endsWith('/claude')) as number, 'SIGKILL');
    expect(await talk.agent.exited).toMatchObject({ how: 'failed', failure: { kind: 'other' }, unanswered: ['a'] });
    await until(() => !tree.some(isAlive), 'all of its processes to be gone');
  });

  it('comes with the end of the host, however the host ended', async () => {
    const stand = await hostStand(settings);
    const { work } = groupFolders(stand.config, 'family');
    const script = [{ tool: 'Bash', input: { command: 'touch begun; setsid sleep 1000 & sleep 1000' } }];
    const host = spawn(
      process.execPath,
      [path.join(root, 'test/e2e/host-process.mjs'), 'family', `Sleep. MOCK:${JSON.stringify(script)}`],
      { env: { ...stand.env, TMPDIR: stand.folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void host.kill('SIGKILL'));
    let said = '';
    host.stdout.on('data', (text) => {
      said += text;
    });
    await until(() => said.includes('taken') && readdirSync(work).includes('begun'), 'the turn');
    const pid = Number(/^pid (\d+)$/m.exec(said)?.[1]);
    const tree = [...insiders(stand), ...treeOf(pid)];
    expect(tree.length).toBeGreaterThan(4);
    host.kill('SIGKILL');
    await until(() => !tree.some(isAlive), 'all of its processes to be gone');
    // The next host continues the session and cleans up after the first.
    const left = () => readdirSync(stand.folder).filter((name) => name.startsWith('holdfast-run-'));
    const [old] = left();
    expect(old).toBeDefined();
    const next = spawn(process.execPath, [path.join(root, 'test/e2e/host-process.mjs'), 'family', 'Hello.'], {
      env: { ...stand.env, TMPDIR: stand.folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void next.kill('SIGKILL'));
    await until(() => !left().includes(old as string), 'the old folder to be gone');
    // If the host dies while an engine is still creating its container, no process would know about the container.
    let heard = '';
    next.stdout.on('data', (text) => {
      heard += text;
    });
    await until(() => heard.includes('result'), 'an answer');
  });
});
