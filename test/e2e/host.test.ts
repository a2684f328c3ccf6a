// The whole host: the real program, the real SDK and its real client in the real sandbox, and a mock of the API.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { groupFolders } from '../../src/sessions/groups/group-folders.ts';
import { rounds } from '../rounds.ts';
import { ask, holdfast, isAlive, killAll, until } from './holdfast.ts';
import { begun, hosting, outgoing, pipe, released, runningAgents, said, scripted, status } from './host-chat.ts';
import { inSandboxes, insiders, type Stand, treeOf } from './host-stand.ts';

const transcript = (stand: Stand, group: string, session: string): string => {
  const found = fs
    .readdirSync(groupFolders(stand.config, group).agentHome, { recursive: true, encoding: 'utf8' })
    .find((file) => file.endsWith(`${session}.jsonl`));
  return path.join(groupFolders(stand.config, group).agentHome, found as string);
};

/** Where Claude Code keeps its automatic memory of a folder. */
const ownMemory = '~/.claude/projects/-workspace-group/memory';

inSandboxes('the host, end to end', ({ settings }) => {
  it('host.md 1, 3: a document is begun, the process released, and hours later continued by a restarted host', async () => {
    const stand = await begun(['family'], { ...settings, HOLDFAST_HOST_IDLE_MINUTES: '0.02' });
    const { work } = groupFolders(stand.config, 'family');
    const host = await hosting(stand);
    const first = await pipe(
      stand.env,
      'family',
      scripted('Begin the document about tides.', [
        { tool: 'Write', input: { file_path: '/workspace/group/doc.md', content: 'Chapter one\n' } },
        // Its automatic memory, and a log.
        {
          tool: 'Bash',
          input: { command: `mkdir -p ${ownMemory} && echo "Tides come twice" > ${ownMemory}/MEMORY.md` },
        },
        { tool: 'Bash', input: { command: 'mkdir -p ~/logs && echo "began" >> ~/logs/agent.log' } },
        { text: 'Chapter one is written.' },
      ]),
    );
    expect(first).toMatchObject({ code: 0, stdout: 'Chapter one is written.\n', stderr: '' });
    expect(fs.readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\n');
    const [{ session }] = (await status(stand)).groups;
    // Here 1.2 s stand for the half hour of silence.
    await released(stand);
    host.child.kill('SIGINT');
    expect((await host.ended).code).toBe(0);
    expect((await status(stand)).running).toBe(false);

    await hosting(stand);
    const second = await ask(
      stand.env,
      'chat',
      'family',
      scripted('Carry on with that document.', [
        { tool: 'Bash', input: { command: 'echo "Chapter two" >> doc.md' } },
        { tool: 'Bash', input: { command: `cat ${ownMemory}/MEMORY.md ~/logs/agent.log CLAUDE.md > seen.txt` } },
        { text: 'Chapter two, too.' },
      ]),
    );
    expect(second.said.map(({ text }: { text: string }) => text)).toEqual(['Chapter two, too.']);
    expect((await status(stand)).groups[0].session).toBe(session);
    const asked = stand.mock.asked.findLast(({ kind }) => kind === 'main')?.text ?? '';
    for (const words of ['Begin the document about tides.', 'Chapter one is written.', 'Carry on'])
      expect(asked).toContain(words);
    expect(fs.readFileSync(path.join(work, 'doc.md'), 'utf8')).toBe('Chapter one\nChapter two\n');
    // The new process sees what the old one left, and the host has it below its own folders.
    const told = fs.readFileSync(path.join(work, 'CLAUDE.md'), 'utf8');
    expect(fs.readFileSync(path.join(work, 'seen.txt'), 'utf8')).toBe(`Tides come twice\nbegan\n${told}`);
    const { agentHome } = groupFolders(stand.config, 'family');
    expect(fs.readFileSync(path.join(agentHome, ownMemory.replace('~/', ''), 'MEMORY.md'), 'utf8')).toContain('twice');
  });

  it.each(['deleted', 'corrupted'] as const)(
    'host.md 4: the session file is %s: a fresh session answers, and the message is not lost',
    async (how) => {
      const stand = await begun(['family'], { ...settings, HOLDFAST_HOST_IDLE_MINUTES: '0.02' });
      await hosting(stand);
      await said(stand, 'family', 'One', [{ text: 'first' }]);
      const [{ session }] = (await status(stand)).groups;
      await released(stand);
      const file = transcript(stand, 'family', session);
      if (how === 'deleted') fs.rmSync(file);
      else fs.writeFileSync(file, '\u0000{"half": \n\n[]');
      expect(await said(stand, 'family', 'Two', [{ text: 'second' }])).toEqual([
        expect.stringContaining('cannot be resumed'),
        'second',
      ]);
      const after = (await status(stand)).groups[0];
      expect(after).toMatchObject({ waiting: 0, handed: 0, givenUp: 0 });
      expect(after.session).not.toBe(session);
      await released(stand);
      expect(await said(stand, 'family', 'Three', [{ text: 'third' }])).toEqual(['third']);
      expect((await status(stand)).groups[0].session).toBe(after.session);
      const asked = stand.mock.asked.findLast(({ kind }) => kind === 'main')?.text ?? '';
      expect([asked.includes('Two MOCK'), asked.includes('One MOCK')]).toEqual([true, false]);
    },
  );

  it('host.md 2, 9: a host killed in mid-turn leaves no process; the next host answers the message in the same session', async () => {
    const stand = await begun(['family'], settings);
    const host = await hosting(stand);
    await said(stand, 'family', 'One', [{ text: 'first' }]);
    const [{ session }] = (await status(stand)).groups;
    const text = scripted('Two', [{ text: 'second', held: true }]);
    const { message } = await ask(stand.env, 'groups', 'send', 'family', text);
    await until(() => stand.mock.asked.some((one) => one.text.includes('Two MOCK')), 'the request');
    const [{ pid }] = (await status(stand)).processes;
    const tree = [...insiders(stand), ...treeOf(pid)];
    expect(tree.length).toBeGreaterThan(1);
    host.child.kill('SIGKILL');
    await host.ended;
    await until(() => tree.every((one) => !isAlive(one)), 'the end of its agents');
    expect((await status(stand)).groups[0]).toMatchObject({ handed: 1, session });
    stand.mock.go();
    await hosting(stand);
    await until(async () => {
      const [{ handed, waiting }] = (await status(stand)).groups;
      return handed + waiting === 0;
    }, 'the answer');
    const answers = outgoing(stand, 'family').filter((out) => out.answers.includes(message.id));
    expect(answers).toMatchObject([{ kind: 'answer', text: 'second' }]);
    expect((await status(stand)).groups[0].session).toBe(session);
  });

  it('host.md 2, 9: the next host first ends an agent that did not notice the end of its host', async () => {
    const stand = await begun(['family'], settings);
    const host = await hosting(stand);
    const text = scripted('Two', [{ text: 'second', held: true }]);
    const { message } = await ask(stand.env, 'groups', 'send', 'family', text);
    await until(() => stand.mock.asked.some((one) => one.text.includes('Two MOCK')), 'the request');
    const inside = insiders(stand);
    expect(inside.length).toBeGreaterThan(1);
    for (const one of inside) process.kill(one, 'SIGSTOP');
    host.child.kill('SIGKILL');
    await host.ended;
    stand.mock.go();
    await hosting(stand);
    expect(inside.filter(isAlive)).toEqual([]);
    await until(() => outgoing(stand, 'family').length > 0, 'the answer');
    expect(outgoing(stand, 'family')).toMatchObject([{ kind: 'answer', text: 'second', answers: [message.id] }]);
  });

  it('host.md 9: an agent killed in mid-turn is restarted, and the message is answered once', async () => {
    const stand = await begun(['family'], settings);
    await hosting(stand);
    const text = scripted('Two', [{ text: 'second', held: true }]);
    const { message } = await ask(stand.env, 'groups', 'send', 'family', text);
    await until(() => stand.mock.asked.some((one) => one.text.includes('Two MOCK')), 'the request');
    const [{ pid }] = (await status(stand)).processes;
    const inside = insiders(stand);
    expect(inside.length).toBeGreaterThan(1);
    killAll(treeOf(pid));
    stand.mock.go();
    await until(async () => outgoing(stand, 'family').length > 0, 'the answer');
    // A container outlives its client until the engine has removed it.
    await until(() => !inside.some(isAlive), 'the end of all that was inside');
    expect(outgoing(stand, 'family')).toMatchObject([{ kind: 'answer', text: 'second', answers: [message.id] }]);
    expect((await status(stand)).groups[0].error.text).toContain('SIGKILL');
  });

  it('host.md 11: more groups than processes share the 5 allowed, and all are answered', async () => {
    const names = Array.from({ length: rounds(6, 20) }, (_, i) => `g${i}`);
    const stand = await begun(names, settings);
    for (const name of names)
      await ask(stand.env, 'groups', 'send', name, scripted(`To ${name}`, [{ text: `for ${name}` }]));
    await hosting(stand);
    let most = 0;
    await until(() => {
      most = Math.max(most, runningAgents(stand));
      return names.every((name) => outgoing(stand, name).length === 1);
    }, 'all answers');
    for (const name of names) expect(outgoing(stand, name)[0]?.text).toBe(`for ${name}`);
    expect(most).toBeLessThanOrEqual(5);
    expect(most).toBeGreaterThan(1);
    const sessions = (await status(stand)).groups.map(({ session }: { session: string }) => session);
    expect(new Set(sessions).size).toBe(names.length);
  });

  const races = rounds(5, 100);
  it(`host.md 6: a message at the moment of the idle close is answered, ${races} times`, async () => {
    const stand = await begun(['family'], { ...settings, HOLDFAST_HOST_IDLE_MINUTES: '0.002' });
    await hosting(stand);
    const seen: string[] = [];
    let begins = 0;
    for (let i = 0; i < races; i++) {
      await ask(stand.env, 'groups', 'send', 'family', scripted(`Round ${i}`, [{ text: `answer ${i}` }]));
      await until(() => outgoing(stand, 'family').length > i, `answer ${i}`);
      seen.push(outgoing(stand, 'family')[i]?.text ?? '');
      // 120 ms after the answer the host tells the process to close. The next message comes at about that time.
      await sleep((i * 29) % 120);
    }
    expect(seen).toEqual(Array.from({ length: races }, (_, i) => `answer ${i}`));
    const answers = outgoing(stand, 'family').flatMap(({ answers }) => answers);
    expect([answers.length, new Set(answers).size]).toEqual([races, races]);
    begins = fs.readFileSync(path.join(stand.config.home, 'logs', 'host.log'), 'utf8').split(' goes on with ').length;
    expect(begins).toBeGreaterThan(1);
  });

  it('Ctrl+C lets an agent finish its answer; a second one ends it at once, and the message waits', async () => {
    const stand = await begun(['family'], settings);
    const first = await hosting(stand);
    await ask(stand.env, 'groups', 'send', 'family', scripted('One', [{ text: 'first', held: true }]));
    await until(() => stand.mock.asked.length > 0, 'the request');
    first.child.kill('SIGINT');
    await first.says('still answer');
    stand.mock.go();
    expect((await first.ended).code).toBe(0);
    expect(outgoing(stand, 'family').map(({ text }) => text)).toEqual(['first']);
    const second = await hosting(stand);
    await ask(stand.env, 'groups', 'send', 'family', scripted('Two', [{ text: 'second', delay: 60_000 }]));
    await until(() => stand.mock.asked.some((one) => one.text.includes('Two MOCK')), 'the request');
    const tree = [...insiders(stand), ...treeOf((await status(stand)).processes[0].pid)];
    second.child.kill('SIGINT');
    await second.says('still answer');
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(130);
    await until(() => tree.every((one) => !isAlive(one)), 'the end of its agents');
    const { running, groups } = await status(stand);
    expect([running, groups[0].waiting + groups[0].handed]).toEqual([false, 1]);
  });

  it('a data folder has one host', async () => {
    const stand = await begun(['family'], settings);
    await hosting(stand);
    const { code, stderr } = await holdfast(stand.env, 'host', 'run');
    expect([code, stderr]).toEqual([5, expect.stringContaining('A host is running already')]);
  });
});
