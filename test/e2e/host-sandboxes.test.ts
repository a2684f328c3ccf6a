// The sandbox around an agent: who speaks, for whom it works, and what it is without one.
import { spawn } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { bubblewrap } from '../../src/host/sandbox/bubblewrap.ts';
import { docker } from '../../src/host/sandbox/docker.ts';
import { chooseSandbox, nothingIsolated } from '../../src/host/sandbox/index.ts';
import { prepareFolders } from '../../src/sessions/group-folders.ts';
import { root, until } from './holdfast.ts';
import { agentLog, hostStand, lastAsked, realKey, type Stand, trouble } from './host-stand.ts';

describe.skipIf(trouble)('a runner that cannot be trusted', () => {
  it('host.md 16: speaks for its own group alone, and only of what it was sent', async () => {
    const stand = await hostStand();
    const { work } = prepareFolders(stand.config, 'a');
    copyFileSync(path.join(root, 'test/e2e/liar.mjs'), path.join(work, 'liar.mjs'));
    const talk = await stand.start(
      'a',
      {},
      {
        ...bubblewrap,
        command: (confined, config) =>
          bubblewrap.command(
            { ...confined, argv: [confined.argv[0] as string, `${confined.cwd}/liar.mjs`, '/run/holdfast'] },
            config,
          ),
      },
    );
    talk.say('Hello.', [], 'm1');
    expect(await talk.agent.exited).toMatchObject({ how: 'failed', untaken: [], unanswered: [] });
    expect(talk.heard.sessions).toEqual([]);
    expect(talk.heard.taken).toEqual(['m1']);
    expect(talk.heard.results.map(({ text, answers }) => [text, answers])).toEqual([
      ['early', []],
      ['late', ['m1']],
    ]);
    // A call names no group: what stands in its input is for the tool to look at, which is bound to this one.
    expect(talk.heard.calls).toEqual([['send_message', { group: 'b', text: 'hello b' }]]);
    expect(talk.heard.failures).toEqual(['other: a second connection was refused']);
    const quarantined = agentLog(stand.config, 'a', 'quarantine').trim().split('\n');
    expect(quarantined.map((line) => line.slice(25, 45))).toEqual([
      'not JSON: "this is n',
      ...Array(5)
        .fill('not a known frame: '.padEnd(20).slice(0, 19))
        .map((text) => expect.stringContaining(text)),
      'a frame of 17825792 ',
    ]);
    expect(readFileSync(path.join(stand.config.home, 'logs/groups/a/quarantine.log')).length).toBeLessThan(10_000);
  });
});

/** One turn of a host that is a process of its own, run by this user; everything is his. */
async function turnAs(stand: Stand, uid: number, command: string) {
  for (const folder of [stand.folder, stand.config.home, stand.env.HOME as string]) chownSync(folder, uid, uid);
  const script = [{ tool: 'Bash', input: { command } }, { text: 'done' }];
  const host = spawn(
    process.execPath,
    [path.join(root, 'test/e2e/host-process.mjs'), 'a', `Go. MOCK:${JSON.stringify(script)}`],
    { env: { ...stand.env, TMPDIR: stand.folder }, uid, gid: uid, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void host.kill('SIGKILL'));
  let said = '';
  for (const stream of [host.stdout, host.stderr])
    stream.on('data', (text) => {
      said += text;
    });
  await until(() => said.includes('result') || host.exitCode !== null, 'an answer');
  return said;
}

/** Whether somebody else may read where this checkout and its packages lie. */
const isOpen = (uid: number) =>
  process.getuid?.() === 0 &&
  new Promise<boolean>((resolve) => {
    const file = path.join(root, 'node_modules/.cache/sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
    const child = spawn('cat', [file], { uid, gid: uid, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
const nobody = 65_534;
const canBeNobody = trouble === undefined && (await isOpen(nobody));

describe('bubblewrap', () => {
  it.skipIf(!canBeNobody)('works for an ordinary user as it does for root', async () => {
    const stand = await hostStand();
    const { home } = stand.config;
    const secrets = [path.join(home, 'token'), path.join(stand.env.HOME as string, 'diary.txt')];
    for (const file of secrets) {
      writeFileSync(file, 'SECRET', { mode: 0o600 });
      chownSync(file, nobody, nobody);
    }
    const command = `id -u; echo $HOME; cat ${secrets.join(' ')}; cat /proc/[0-9]*/environ; ls ${home}; touch mine; echo END`;
    expect(await turnAs(stand, nobody, command)).toContain('"text":"done"');
    const { text } = lastAsked(stand);
    expect(text).toMatch(/1000\\n\/home\/agent/);
    expect(text).toContain('END');
    const said = text.slice(text.indexOf('tool_result'));
    expect(said).not.toContain('SECRET');
    expect(said).not.toContain(realKey);
    expect(said.match(/No such file/g)).toHaveLength(3);
    expect(statSync(path.join(stand.config.groupsPath, 'a', 'mine')).uid).toBe(nobody);
  });

  it.skipIf(trouble)('host.md 20: holds its limits, and keeps the key out of logs and files', async () => {
    const stand = await hostStand({ HOLDFAST_HOST_FILE_MB: '1' });
    const talk = await stand.start('a');
    await talk.ask('Write.', [
      {
        tool: 'Bash',
        input: {
          command: 'head -c 5000000 /dev/zero > big; wc -c < big; prlimit --nproc --core --noheadings --raw -o SOFT',
        },
      },
      { text: 'ok' },
    ]);
    expect(lastAsked(stand).text).toMatch(/1048576\\n(?:512\\n0|0\\n512)/);
    await talk.end();
    const grep = spawn('grep', ['-r', '-l', realKey, stand.folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let found = '';
    for await (const part of grep.stdout) found += part;
    expect(found).toBe('');
  });
});

describe.skipIf(trouble)('no sandbox', () => {
  it('is said loudly, and the agent works all the same', async () => {
    const stand = await hostStand({ HOLDFAST_HOST_SANDBOX: 'none' });
    const { sandbox, warnings } = await chooseSandbox(stand.config);
    expect([sandbox.name, warnings[0]]).toEqual(['none', nothingIsolated]);
    const first = await stand.start('a');
    const { session } = await first.ask('Begin.', [
      { tool: 'Bash', input: { command: 'echo here > there; echo $HOME' } },
      { text: 'begun' },
    ]);
    await first.end();
    expect(existsSync(path.join(stand.config.groupsPath, 'a', 'there'))).toBe(true);
    const second = await stand.start('a', { session });
    expect(await second.ask('Go on.', [{ text: 'gone on' }])).toMatchObject({ ok: true, session });
    expect(lastAsked(stand).text).toContain('Begin.');
    await second.end();
  });
});

const engine = await docker.trouble(loadConfig());
describe.skipIf(engine)('docker', () => {
  it('runs an agent, resumes it, and shows it nothing of another group', async () => {
    const stand = await hostStand({ HOLDFAST_HOST_SANDBOX: 'docker', PATH: process.env.PATH });
    const other = prepareFolders(stand.config, 'b');
    const first = await stand.start('a');
    const { session } = await first.ask('Begin.', [
      { tool: 'Bash', input: { command: `echo here > there; env; ls ${other.work}` } },
      { text: 'begun' },
    ]);
    await first.end();
    expect(existsSync(path.join(stand.config.groupsPath, 'a', 'there'))).toBe(true);
    expect(lastAsked(stand).text).toContain('No such file');
    expect(lastAsked(stand).text).not.toContain(realKey);
    const second = await stand.start('a', { session });
    expect(await second.ask('Go on.', [{ text: 'gone on' }])).toMatchObject({ ok: true, session });
    await second.end();
  });
});
