// The sandbox around an agent: who may speak, for which user it works, and what running without one means.
import { spawn } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chooseSandbox, nothingIsolated } from '../../src/host/sandbox/index.ts';
import { prepareFolders } from '../../src/sessions/groups/group-folders.ts';
import { because } from '../because.ts';
import { root, until } from './holdfast.ts';
import { agentLog, hostStand, inEachSandbox, lastAsked, realKey, type Stand, trouble } from './host-stand.ts';

inEachSandbox('a runner that cannot be trusted', ({ settings, sandbox }) => {
  it('host.md 16: speaks for its own group alone, and only about messages it was sent', async () => {
    const stand = await hostStand(settings);
    const { work } = prepareFolders(stand.config, 'a');
    copyFileSync(path.join(root, 'test/e2e/liar.mjs'), path.join(work, 'liar.mjs'));
    const talk = await stand.start(
      'a',
      {},
      {
        ...sandbox,
        command: (confined, config) =>
          sandbox.command(
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
    // A call names no group. A group in its input is only the tool's business, and the tool is bound to this group.
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

/** One turn of a host in a separate process that this user runs and whose files this user owns. */
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

/** Whether another user may read this checkout and its packages. */
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

/** Whether the engine, if any, has the image for this user too. */
const isServed = (uid: number, { config, env }: Stand) =>
  config.settings.host.sandbox === 'bubblewrap' ||
  new Promise<boolean>((resolve) => {
    const { engine, image } = config.settings.host;
    const child = spawn(engine, ['image', 'inspect', image], { env, uid, gid: uid, cwd: '/', stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });

inEachSandbox('an ordinary user', ({ settings }) => {
  it.skipIf(!canBeNobody)('works the same as for root', async ({ skip }) => {
    const stand = await hostStand(settings);
    if (!(await isServed(nobody, stand))) skip('this user has no engine, or not the image');
    const { home } = stand.config;
    const secrets = [path.join(home, 'token'), path.join(stand.env.HOME as string, 'diary.txt')];
    for (const file of secrets) {
      writeFileSync(file, 'SECRET', { mode: 0o600 });
      chownSync(file, nobody, nobody);
    }
    const command = `id -u; echo $HOME; cat ${secrets.join(' ')}; cat /proc/[0-9]*/environ; ls ${home}; touch mine; echo END`;
    expect(await turnAs(stand, nobody, command)).toContain('"text":"done"');
    const { text } = lastAsked(stand);
    // An engine that root runs gives each user their own uid.
    expect(text).toMatch(/(?:1000|65534)\\n\/home\/agent/);
    expect(text).toContain('END');
    const said = text.slice(text.lastIndexOf('"tool_result"'));
    expect(said).not.toContain('SECRET');
    expect(said).not.toContain(realKey);
    expect(said.match(/No such file/g)).toHaveLength(3);
    expect(statSync(path.join(stand.config.groupsPath, 'a', 'mine')).uid).toBe(nobody);
  });
});

describe('bubblewrap', () => {
  it.skipIf(trouble)(because('limits the number of processes as the system counts them', trouble), async () => {
    const stand = await hostStand();
    const talk = await stand.start('a');
    const command = 'prlimit --nproc --noheadings --raw -o SOFT';
    await talk.ask('Look.', [{ tool: 'Bash', input: { command } }, { text: 'ok' }]);
    expect(lastAsked(stand).text).toContain('"512"');
    await talk.end();
  });
});

inEachSandbox('limits and secrets', ({ settings, sandbox }) => {
  /** What a command of the agent prints under these limits. */
  async function printed(limits: NodeJS.ProcessEnv, command: string): Promise<string> {
    const stand = await hostStand({ ...settings, ...limits });
    const talk = await stand.start('a');
    await talk.ask('Go.', [{ tool: 'Bash', input: { command } }, { text: 'ok' }]);
    await talk.end();
    const { text } = lastAsked(stand);
    return text.slice(text.lastIndexOf('"tool_result"'));
  }
  const limits = { memoryMb: 1024, cpus: 0.5, processes: 150, fileMb: 1 };
  /** Skip limits that the sandbox says it cannot enforce. */
  const holds = async (limit: keyof typeof limits) => {
    const { config } = await hostStand(settings);
    return !(await sandbox.unheld(limits, config)).includes(limit);
  };

  it('host.md 20: the file size is limited, and there are no core dumps', async () => {
    const command = 'head -c 5000000 /dev/zero > big; wc -c < big; ulimit -c';
    expect(await printed({ HOLDFAST_HOST_FILE_MB: '1' }, command)).toContain('1048576\\n0');
  });

  it('host.md 20: the memory is limited, where the sandbox says so', async ({ skip }) => {
    if (!(await holds('memoryMb'))) skip('it says that it cannot');
    const hog = 'const all = []; for (let i = 0; i < 100; i++) all.push(Buffer.alloc(50e6, 1)); console.log("HAD IT")';
    const said = await printed({ HOLDFAST_HOST_MEMORY_MB: '1024' }, `node -e '${hog}'; echo ENDED WITH $?`);
    expect(said).toContain('ENDED WITH 137');
  });

  it('host.md 20: the number of processes is limited, where the sandbox says so', async ({ skip }) => {
    if (!(await holds('processes'))) skip('it says that it cannot');
    // It ends its processes at the first that it does not get: the client in the same sandbox needs room for its threads.
    const many = `const all = []; let held = false; while (!held && all.length < 300) { const one = require("child_process").spawn("sleep", ["60"]); one.on("error", () => {}); one.pid ? all.push(one) : held = true } for (const one of all) one.kill("SIGKILL"); console.log(held ? "HELD" : "HAD THEM")`;
    expect(await printed({ HOLDFAST_HOST_PROCESSES: '150' }, `node -e '${many}'`)).toContain('HELD');
  });

  it('host.md 20: the CPU is limited, where the sandbox says so', async ({ skip }) => {
    if (!(await holds('cpus'))) skip('it says that it cannot');
    const burn =
      'const { execSync } = require("child_process"); const until = Date.now() + 60000; let n = "0"; while (n === "0" && Date.now() < until) { for (let i = 0; i < 3e8; i++); n = execSync("cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu/cpu.stat 2>/dev/null | grep nr_throttled | cut -d\\" \\" -f2 | head -1", { encoding: "utf8" }).trim() } console.log("THROTTLED", n)';
    expect(await printed({ HOLDFAST_HOST_CPUS: '0.5' }, `cat > burn.js <<'END'\n${burn}\nEND\nnode burn.js`)).toMatch(
      /THROTTLED [1-9]/,
    );
  });

  it('host.md 20: the host’s environment and key are not inside the sandbox, in any log or in any file', async () => {
    const secrets = { https_proxy: 'http://me:PASSWORD@127.0.0.1:9', SOME_TOKEN: 'PASSWORD' };
    const stand = await hostStand({ ...settings, ...secrets });
    const talk = await stand.start('a');
    await talk.ask('Look.', [
      { tool: 'Bash', input: { command: 'env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"; echo END' } },
      { text: 'ok' },
    ]);
    await talk.end();
    const { text } = lastAsked(stand);
    const said = text.slice(text.lastIndexOf('"tool_result"'));
    expect(said).toContain('HOME=/home/agent');
    expect(said).toContain('END');
    expect(said).not.toMatch(/PASSWORD|HOLDFAST_/);
    expect(said).not.toContain(realKey);
    const grep = spawn('grep', ['-r', '-l', realKey, stand.folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let found = '';
    for await (const part of grep.stdout) found += part;
    expect(found).toBe('');
  });
});

describe.skipIf(trouble)(because('no sandbox', trouble), () => {
  it('is announced loudly, and the agent works all the same', async () => {
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
