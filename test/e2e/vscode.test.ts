// The VS Code extension in examples/: its types, its package, and what the worker stores of an hour in the editor.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openLifecycle } from '../../examples/vscode/src/lifecycle.ts';
import { openWorker, type Worker } from '../../examples/vscode/src/worker.ts';
import { ask, holdfast, launch, type Place, place, root, temporaryFolder, until } from './holdfast.ts';

const example = path.join(root, 'examples/vscode');

/** Installs the example's tools outside the tree: they are three times the size of the project's. */
function installTools(): string {
  const lock = readFileSync(path.join(example, 'package-lock.json'));
  const name = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const cache = path.join(root, 'node_modules/.cache/vscode');
  const tools = path.join(cache, name);
  if (existsSync(tools)) return tools;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(path.join(cache, 'new-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(path.join(example, file), path.join(fresh, file));
    npm(fresh, 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
    // With two runs at once, the slower one finds that the other has put the same files there.
    if (!existsSync(tools)) renameSync(fresh, tools);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return tools;
}

const npm = (cwd: string, ...args: string[]): string => {
  try {
    return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`npm ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
};

describe('the extension', () => {
  let tools: string | undefined;
  let refused: unknown;
  beforeAll(() => {
    try {
      tools = installTools();
    } catch (error) {
      refused = error;
    }
  });

  /** A copy with its tools. Offline there are none, which is not a failure on a developer's machine. */
  function copy(skip: (why: string) => void): string {
    if (tools === undefined) {
      if (process.env.CI) throw refused;
      skip(`the packages of examples/vscode cannot be installed here: ${refused}`);
    }
    const folder = temporaryFolder();
    for (const name of ['src', 'package.json', 'package-lock.json', 'tsconfig.json', 'README.md'])
      cpSync(path.join(example, name), path.join(folder, name), { recursive: true });
    symlinkSync(path.join(tools as string, 'node_modules'), path.join(folder, 'node_modules'));
    return folder;
  }

  it('26. type-checks against the API of VS Code', (test) => {
    const folder = copy(test.skip);
    npm(folder, 'run', 'types');
    // The check is a real one: it sees a call that VS Code does not have.
    writeFileSync(
      path.join(folder, 'src/wrong.ts'),
      "import * as vscode from 'vscode';\nvscode.window.whatNobodyHas();\n",
    );
    expect(() => npm(folder, 'run', 'types')).toThrow('whatNobodyHas');
  });

  it('26. packages, and the packaged extension takes an editor from its start to its end', async (test) => {
    const folder = copy(test.skip);
    npm(folder, 'run', 'package');
    const unpack = path.join(folder, 'unpacked');
    await unzip(tools as string, path.join(folder, 'holdfast.vsix'), unpack);
    const extension = path.join(unpack, 'extension');
    const manifest = JSON.parse(readFileSync(path.join(extension, 'package.json'), 'utf8'));
    expect(existsSync(path.join(extension, manifest.main))).toBe(true);

    const here = await machine();
    const app = project(here, 'app');
    const api = path.join(extension, 'node_modules/vscode');
    mkdirSync(api, { recursive: true });
    cpSync(path.join(import.meta.dirname, 'vscode-stand-in.mjs'), path.join(api, 'index.mjs'));
    writeFileSync(path.join(api, 'package.json'), '{"name":"vscode","exports":"./index.mjs"}');
    const script = path.join(extension, 'drive.mjs');
    writeFileSync(script, `import { drive } from 'vscode';\nawait drive(await import('./${manifest.main}'));\n`);
    const said = execFileSync(process.execPath, [script], {
      cwd: extension,
      env: { ...here.env, WORKSPACE: app },
      encoding: 'utf8',
    });
    const seen = JSON.parse(said);
    // The code registers what package.json promises to the person.
    const { commands, chatParticipants } = manifest.contributes;
    expect(seen.commands.sort()).toEqual(commands.map((one: { command: string }) => one.command).sort());
    expect(seen.participants).toEqual(chatParticipants.map((one: { id: string }) => one.id));
    expect(seen.streamed).toBe('It is in checkout.ts.');

    await stored(here, 'where is the coupon rounded?', 1);
    const { hits } = await ask(here.env, 'search', 'coupon', '--project', app, '--kind', 'session');
    expect(hits).toHaveLength(1);
    const { entries } = await ask(here.env, 'show', hits[0].session);
    expect(entries.map((entry: { role: string; text: string }) => [entry.role, entry.text])).toEqual([
      ['user', 'where is the coupon rounded?'],
      ['assistant', 'It is in checkout.ts.'],
      ['user', 'rounding of the coupon'],
      ['assistant', ''],
    ]);
  });
});

describe('26. an editor, reported to the worker,', () => {
  it('is a session: prompt, saves, another file, idle and end are stored and found under the right project', async () => {
    const here = await machine();
    const [app, other] = [project(here, 'app'), project(here, 'other')];
    const options = { worker: openWorker(here.env), idleMs: 300, settleMs: 40 };
    const lifecycle = openLifecycle({ ...options, folder: path.join(app, 'src') });
    const elsewhere = openLifecycle({ ...options, folder: other });
    const states = await statesOf(here, lifecycle.session);

    lifecycle.prompt('make the zanzibar button blue <private>for Ada</private>');
    const file = path.join(app, 'src/button.ts');
    for (let i = 1; i <= 5; i++) lifecycle.saved(file, `saved: ${i} lines`);
    elsewhere.prompt('explain the tokyo timezone table');
    await until(() => states().includes('summarizing'), 'the idle time-out');
    for (const name of ['a.ts', 'b.ts', 'theme.ts']) lifecycle.opened(path.join(app, 'src', name));
    await sleep(120);
    lifecycle.prompt('and the zanzibar link?');
    lifecycle.answer('The zanzibar link is blue now.');
    lifecycle.saved(path.join(app, 'src/link.ts'), 'saved: 9 lines');
    await lifecycle.end('editor closed');
    await elsewhere.end('editor closed');

    await until(() => states().includes('completed'), 'the end');
    expect(states()).toEqual(['active', 'summarizing', 'active', 'summarizing', 'completed']);
    await stored(here, 'tokyo', 1);
    await stored(here, 'zanzibar', 3);
    const { session, entries } = await ask(here.env, 'show', lifecycle.session);
    expect(session).toMatchObject({ agent: 'client', title: 'make the zanzibar button blue', project: 'app' });
    const toolUses = entries.flatMap((entry: { toolUses?: object[] }) => entry.toolUses ?? []);
    expect(toolUses).toMatchObject([
      { tool: 'FileSave', files: [file], output: 'saved: 5 lines' },
      { tool: 'FileOpen', files: [path.join(app, 'src/theme.ts')] },
      { tool: 'FileSave', files: [path.join(app, 'src/link.ts')] },
    ]);
    const found = async (query: string, folder: string) =>
      (await ask(here.env, 'search', query, '--project', folder, '--kind', 'session')).hits.length;
    expect([await found('zanzibar', app), await found('zanzibar', other)]).toEqual([1, 0]);
    expect([await found('tokyo', app), await found('tokyo', other)]).toEqual([0, 1]);
  });

  it('gets the briefing of its project', async () => {
    const here = await machine();
    const app = project(here, 'app');
    const worker = openWorker(here.env);
    const first = openLifecycle({ worker, folder: app, idleMs: 60_000 });
    first.prompt('the zanzibar button stays blue');
    first.answer('It is blue.');
    await first.end('editor closed');
    await stored(here, 'zanzibar', 1);
    expect(await openLifecycle({ worker, folder: app, idleMs: 60_000 }).briefing()).toContain('zanzibar');
  });

  it('leaves nothing behind when it was only looked at', async () => {
    const here = await machine();
    const lifecycle = openLifecycle({ worker: openWorker(here.env), folder: project(here, 'app'), idleMs: 20 });
    await lifecycle.briefing();
    await sleep(60);
    await lifecycle.end('editor closed');
    expect((await ask(here.env, 'sessions')).sessions).toEqual([]);
  });
});

describe('26. without a worker an editor', () => {
  const ends = async (worker: Worker, env: NodeJS.ProcessEnv): Promise<void> => {
    const lifecycle = openLifecycle({ worker, folder: String(env.HOME), idleMs: 60_000, farewellMs: 100 });
    lifecycle.prompt('hello');
    expect(await lifecycle.briefing()).toBe('');
    await lifecycle.end('editor closed');
  };

  it('continues in silence, and reports what happened to the next worker', async () => {
    const here = place();
    const worker = openWorker(here.env);
    const lifecycle = openLifecycle({ worker, folder: project(here, 'app'), idleMs: 60_000 });
    lifecycle.prompt('the zanzibar button, before any worker');
    await worker.flush();
    await run(here);
    lifecycle.prompt('the zanzibar button, after');
    await lifecycle.end('editor closed');
    await stored(here, 'zanzibar', 2);
    expect((await ask(here.env, 'show', lifecycle.session)).entries).toHaveLength(2);
  });

  it('shows a stranger on the port neither the token nor a prompt, and does not wait for a silent one', async () => {
    const here = place();
    mkdirSync(here.home, { recursive: true });
    writeFileSync(path.join(here.home, 'token'), `${'ab'.repeat(32)}\n`);
    const asked: string[] = [];
    for (const answer of [true, false]) {
      const stranger = createServer((request, response) => {
        asked.push(`${request.method} ${request.url?.split('?')[0]} ${request.headers.authorization ?? 'nothing'}`);
        if (answer) response.end(JSON.stringify({ ok: true, name: 'holdfast', proof: 'ab'.repeat(32) }));
      });
      await new Promise<void>((resolve) => stranger.listen(Number(here.env.HOLDFAST_PORT), '127.0.0.1', resolve));
      await ends(openWorker(here.env), here.env);
      stranger.closeAllConnections();
      await new Promise((resolve) => stranger.close(resolve));
    }
    expect(new Set(asked)).toEqual(new Set(['GET /api/health nothing']));
  });
});

/** With the reader of the very tool that VS Code's marketplace uses. */
async function unzip(tools: string, file: string, folder: string): Promise<void> {
  const { readZip } = createRequire(path.join(tools, 'package.json'))('@vscode/vsce/out/zip');
  for (const [name, bytes] of (await readZip(file, () => true)) as Map<string, Buffer>) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), bytes);
  }
}

/** A machine with a running, reachable worker. */
async function machine(): Promise<Place> {
  const here = place();
  await run(here);
  return here;
}

async function run(here: Place): Promise<void> {
  const worker = launch(here.env, ['worker', 'run']);
  onTestFinished(async () => {
    await holdfast(here.env, 'worker', 'stop');
  });
  const health = `http://127.0.0.1:${here.env.HOLDFAST_PORT}/api/health`;
  await until(async () => {
    expect(worker.child.exitCode, worker.said()).toBeNull();
    return (await fetch(health).catch(() => undefined))?.ok === true;
  }, 'the worker');
}

function project({ folder }: Place, name: string): string {
  const tree = path.join(folder, 'code', name);
  mkdirSync(path.join(tree, '.git'), { recursive: true });
  mkdirSync(path.join(tree, 'src'));
  return tree;
}

async function stored({ env }: Place, query: string, entries: number): Promise<void> {
  await until(async () => (await ask(env, 'search', query)).hits.length >= entries, `${entries} entries with ${query}`);
}

/** What a live viewer has been told about a session so far. */
async function statesOf({ env, home }: Place, session: string): Promise<() => string[]> {
  const authorization = `Bearer ${readFileSync(path.join(home, 'token'), 'utf8').trim()}`;
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const address = `http://127.0.0.1:${env.HOLDFAST_PORT}/api/events`;
  const { body } = await fetch(address, { headers: { authorization }, signal: closing.signal });
  let heard = '';
  const listen = async () => {
    for await (const bytes of body ?? []) heard += Buffer.from(bytes).toString();
  };
  // The stream ends when the test does.
  listen().catch(() => {});
  return () =>
    [...heard.matchAll(/^data: (.+)$/gm)]
      .map(([, data = '']) => JSON.parse(data))
      .filter((event) => event.kind === 'session' && event.session === session)
      .map((event) => event.state)
      .filter((state, i, all) => state !== all[i - 1]);
}
