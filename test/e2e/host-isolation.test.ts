// A hostile program in group A that knows every target: what it reaches, in the sandbox and without one.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { rootInside } from '../../src/host/sandbox/docker.ts';
import { insidePaths } from '../../src/host/sandbox/mounts.ts';
import { none } from '../../src/host/sandbox/none.ts';
import type { Sandbox } from '../../src/host/sandbox/sandbox.ts';
import { groupFolders, prepareFolders } from '../../src/sessions/groups/group-folders.ts';
import { because } from '../because.ts';
import { holdfast, root, until } from './holdfast.ts';
import { agentLog, hostStand, inEachSandbox, lastAsked, realKey, type Stand, trouble } from './host-stand.ts';

const secret = `SECRET-${randomBytes(8).toString('hex')}`;

/** Puts its sockets in a folder where no other test creates any at the same time. */
async function withOwnTemporary(stand: Stand) {
  vi.stubEnv('TMPDIR', stand.folder);
  try {
    const other = await stand.start('b');
    const name = readdirSync(stand.folder).find((one) => one.startsWith('holdfast-run-')) as string;
    return { other, run: path.join(stand.folder, name) };
  } finally {
    vi.unstubAllEnvs();
  }
}

/** Group B with a running agent, a worker, and a home with keys; and where all of that is. */
async function targets(stand: Stand) {
  const { config, env } = stand;
  const b = prepareFolders(config, 'b');
  const a = prepareFolders(config, 'a');
  const ssh = path.join(env.HOME as string, '.ssh');
  mkdirSync(ssh, { recursive: true });
  expect((await holdfast(env, 'worker', 'start')).code).toBe(0);
  onTestFinished(async () => void (await holdfast(env, 'worker', 'stop')));
  const files: Record<string, string> = {
    "b's file": path.join(b.work, 'plan.md'),
    "b's archive": path.join(b.conversations, 'talk.md'),
    "b's home": path.join(b.agentHome, 'notes.md'),
    "b's snapshot": path.join(b.snapshots, 'session_history.json'),
    'the configuration': path.join(config.home, 'config.json'),
    'the log': path.join(config.home, 'logs', 'extra.log'),
    "the person's key": path.join(ssh, 'id_ed25519'),
    "the person's file": path.join(env.HOME as string, 'diary.txt'),
  };
  for (const file of Object.values(files))
    writeFileSync(file, file.endsWith('config.json') ? `{"host":{"model":"${secret}"}}` : `${secret}\n`, {
      mode: 0o600,
    });
  const { run, other } = await withOwnTemporary(stand);
  await other.ask('Be there.', [{ text: 'I am.' }]);
  const holder = spawn('sleep', ['1000'], { env: { ANTHROPIC_API_KEY: realKey }, stdio: 'ignore' });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const abstract = `holdfast-${randomBytes(4).toString('hex')}`;
  const listener = net.createServer((socket) => socket.end()).listen(`\0${abstract}`);
  onTestFinished(() => void listener.close());
  return {
    work: a.work,
    told: {
      secret,
      wanted: {
        'the token': readFileSync(path.join(config.home, 'token'), 'utf8').trim(),
        'the database': 'SQLite format 3',
      },
      key: realKey,
      otherKey: 'sk-ant-holdfast-0000',
      files: { ...files, 'the token': path.join(config.home, 'token'), 'the database': config.databasePath },
      folders: {
        'the data folder': config.home,
        'the groups': config.groupsPath,
        'the homes': config.agentHomesPath,
        "b's folder": b.work,
        'the home of the person': env.HOME,
        "b's sockets": run,
      } as Record<string, string>,
      entry: {
        'the data folder': 'holdfast.db',
        'the groups': 'b',
        'the homes': 'b',
        "b's folder": 'plan.md',
        'the home of the person': 'diary.txt',
        "b's sockets": 'api.sock',
      },
      pids: { 'the host': process.pid, "b's agent": other.agent.pid, 'a process with the key': holder.pid },
      commands: { 'the host': 'node', "b's agent": 'runner.js', 'a process with the key': 'sleep' },
      sockets: { "b's model": path.join(run, 'api.sock'), "b's host": path.join(run, 'host.sock') },
      proxies: [path.join(run, 'api.sock')],
      runner: path.join(root, 'dist/host/runner.js'),
      worker: config.settings.port,
      keyring: execFileSync('perl', ['-e', 'print syscall(250, 0, -3, 0)'], { encoding: 'utf8' }),
      abstract: undefined as string | undefined,
      loopback: undefined as number | undefined,
      inside: true,
    },
    abstract,
  };
}

const encoded = (told: object): string => Buffer.from(JSON.stringify(told)).toString('base64');

/** The same sandbox with the intruder in place of the runner. */
const withIntruder = (sandbox: Sandbox, work: string, told: object): Sandbox => {
  copyFileSync(path.join(root, 'test/e2e/intruder.mjs'), path.join(work, 'intruder.mjs'));
  return {
    ...sandbox,
    command: (confined, config) =>
      sandbox.command(
        { ...confined, argv: [confined.argv[0] as string, `${confined.cwd}/intruder.mjs`, encoded(told)] },
        config,
      ),
  };
};

async function intrude(stand: Stand, sandbox: Sandbox) {
  const talk = await stand.start('a', {}, sandbox);
  await talk.agent.exited;
  // A process may be gone before its last words are read.
  await until(() => agentLog(stand.config, 'a').includes('got through'), 'what it says');
  return summary(agentLog(stand.config, 'a'));
}

function summary(said: string) {
  const count = /(\d+) attempts, (\d+) got through/.exec(said);
  return {
    attempts: Number(count?.[1]),
    through: [...said.matchAll(/(?:^|Z )THROUGH (.*)$/gm)].map(([, what]) => what as string),
    blocked: [...said.matchAll(/(?:^|Z )blocked (.*)$/gm)].map(([, what]) => what as string),
  };
}

inEachSandbox('a hostile program', ({ settings, sandbox }) => {
  /** What the sandbox itself documents that it cannot hide: some kernel files, where root runs docker. */
  async function known({ config }: Stand): Promise<unknown[]> {
    if (!(await sandbox.warnings?.(config))?.includes(rootInside)) return [];
    return [/kernel that can be written: "CAN \/proc\/mtrr/, /what the kernel tells root alone/].map((one) =>
      expect.stringMatching(one),
    );
  }

  it('host.md 15: reaches nothing of another group, the host, the person or the system', async () => {
    const stand = await hostStand(settings);
    const { work, told } = await targets(stand);
    const inside = { ...told, proxies: [...told.proxies, `${insidePaths.run}/api.sock`] };
    const { attempts, through, blocked } = await intrude(stand, withIntruder(sandbox, work, inside));
    expect(through).toEqual(await known(stand));
    expect(blocked).toHaveLength(attempts - through.length);
    expect(attempts).toBe(159);
    for (const file of Object.values(told.files)) {
      expect(existsSync(`${file}.intruder`)).toBe(false);
      expect(readFileSync(file).includes('intruder')).toBe(false);
    }
  });

  it('finds no port and no abstract socket of this machine when the network is off', async () => {
    const stand = await hostStand({ ...settings, HOLDFAST_HOST_NETWORK: 'false' });
    const { work, told, abstract } = await targets(stand);
    const loopback = Number(new URL(stand.mock.url).port);
    const { through, blocked } = await intrude(stand, withIntruder(sandbox, work, { ...told, abstract, loopback }));
    expect(through).toEqual(await known(stand));
    expect(blocked).toEqual(
      expect.arrayContaining(['connect to an abstract socket', 'connect to a port of this machine']),
    );
  });

  it('gets no further as a command of the agent', async () => {
    const stand = await hostStand(settings);
    const { work, told } = await targets(stand);
    withIntruder(sandbox, work, told);
    const talk = await stand.start('a');
    await talk.ask('Break out.', [
      {
        tool: 'Bash',
        input: {
          command: `node intruder.mjs ${encoded(told)} > said.txt; tail -1 said.txt`,
          timeout: 200_000,
        },
      },
      { text: 'I tried.' },
    ]);
    const { through, attempts } = summary(readFileSync(path.join(work, 'said.txt'), 'utf8'));
    expect(through).toEqual(await known(stand));
    expect(attempts).toBeGreaterThan(100);
    expect(lastAsked(stand).text).toContain(`${through.length} got through`);
    await talk.end();
    expect(groupFolders(stand.config, 'a').work).toBe(work);
  });
});

it.skipIf(trouble)(
  because('a hostile program gets nearly everywhere without a sandbox: the attempts are real', trouble),
  async () => {
    const stand = await hostStand({ HOLDFAST_HOST_SANDBOX: 'none' });
    const { work, told, abstract } = await targets(stand);
    const loopback = Number(new URL(stand.mock.url).port);
    const { attempts, through, blocked } = await intrude(
      stand,
      withIntruder(none, work, { ...told, abstract, loopback, inside: false }),
    );
    // Targets that more than the sandbox guards, or that some systems guard.
    const guarded = /worker|use the model|connect to b's host|memory|trace|environment of the host|environment of b's/;
    // The key is in no file and not in the agent's environment.
    expect(blocked.filter((what) => !guarded.test(what))).toEqual([
      'find the key in the environment',
      'find the key on the visible disk',
    ]);
    expect(through.length).toBeGreaterThan(100);
    expect(attempts).toBe(through.length + blocked.length);
  },
);
