// A real PostgreSQL for tests of the hub, in a temporary folder, on a free port, never as root; and machines that join it.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openTeamStore } from '../src/hub/team-store.ts';
import { operations } from '../src/operations/index.ts';
import type { Context } from '../src/operations/operation.ts';
import { type Json, prompt, workbench } from './contracts/transcript-builder.ts';
import { diskFolder } from './memory-folder.ts';

const programs = ['/usr/lib/postgresql', '/usr/local/pgsql'].flatMap((root) =>
  fs.existsSync(root)
    ? [path.join(root, 'bin'), ...fs.readdirSync(root).map((version) => path.join(root, version, 'bin'))]
    : [],
);
const bin = programs.filter((folder) => fs.existsSync(path.join(folder, 'initdb'))).at(-1);

/** Why tests that need a server are skipped here. */
export const noPostgres: string | undefined = bin === undefined ? 'PostgreSQL is not installed' : undefined;

/** The path of one of PostgreSQL's programs. */
export const postgresProgram = (name: string): string => path.join(bin ?? '', name);

export interface Cluster {
  readonly port: number;
  readonly folder: string;
  /** The administrator's address of the database with this name. */
  url(database?: string): string;
  query(sql: string, values?: unknown[], database?: string): Promise<Record<string, unknown>[]>;
  newDatabase(): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Like a power cut. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** PostgreSQL refuses to run as root. Then it runs as the user that the package created, else as the user `nobody`. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string, user: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  for (const user of ['postgres', 'nobody'])
    try {
      return { uid: idOf('-u', user), gid: idOf('-g', user) };
    } catch {
      // No such user: try the next one.
    }
  return {};
}

/** `initdb` takes seconds. In the temporary folder of a run, the first cluster leaves a copy for the next ones. */
function makeCluster(data: string, initdb: (target: string) => void): void {
  const template = path.join(os.tmpdir(), 'postgres-template');
  const isOfRun = os.tmpdir() !== diskFolder();
  if (isOfRun && fs.existsSync(template)) {
    execFileSync('cp', ['-a', template, data]);
    return;
  }
  initdb(data);
  if (!isOfRun) return;
  const copy = `${template}-${process.pid}`;
  execFileSync('cp', ['-a', data, copy]);
  try {
    fs.renameSync(copy, template);
  } catch {
    // Another file of this run was faster.
    fs.rmSync(copy, { recursive: true, force: true });
  }
}

/** `files` go into the data folder, for the server alone: a certificate and its key, say. */
export async function openCluster(
  settings: Record<string, string> = {},
  files: Record<string, Buffer> = {},
): Promise<Cluster> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-postgres-'));
  const as = unprivileged();
  if (as.uid !== undefined && as.gid !== undefined) fs.chownSync(folder, as.uid, as.gid);
  const data = path.join(folder, 'data');
  const options = { ...as, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  makeCluster(data, (target) =>
    execFileSync(postgresProgram('initdb'), ['-D', target, '-U', 'admin', '--auth=trust', '--no-sync', '-E', 'UTF8'], {
      ...options,
      stdio: 'pipe',
    }),
  );
  const port = await freePort();
  const given = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '100',
    ...settings,
  };
  fs.appendFileSync(
    path.join(data, 'postgresql.conf'),
    Object.entries(given)
      .map(([key, value]) => `${key} = '${value}'\n`)
      .join(''),
  );
  // Everybody except the administrator needs the password.
  fs.writeFileSync(
    path.join(data, 'pg_hba.conf'),
    'host all admin 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
  );
  for (const [name, bytes] of Object.entries(files)) {
    fs.writeFileSync(path.join(data, name), bytes, { mode: 0o600 });
    if (as.uid !== undefined && as.gid !== undefined) fs.chownSync(path.join(data, name), as.uid, as.gid);
  }
  let child: ReturnType<typeof spawn> | undefined;
  const url = (database = 'postgres') => `postgres://admin@127.0.0.1:${port}/${database}`;
  const query = async (sql: string, values: unknown[] = [], database?: string) => {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const start = async () => {
    child = spawn(postgresProgram('postgres'), ['-D', data], { ...options, stdio: 'ignore' });
    for (;;) {
      try {
        await query('SELECT 1');
        return;
      } catch (error) {
        if (child.exitCode !== null) throw error;
        await sleep(50);
      }
    }
  };
  const stop = async () => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGQUIT');
    await ended;
  };
  await start();
  let databases = 0;
  return {
    port,
    folder,
    url,
    query,
    async newDatabase() {
      const name = `hub_${++databases}`;
      await query(`CREATE DATABASE ${name}`);
      return name;
    },
    start,
    stop,
    kill,
    async close() {
      await stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const run = async (context: Context, name: string, input: Json = {}): Promise<Json> => {
  const found = operations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return (await found.run(context, found.input.parse(input))) as Json;
};

export const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-C', folder, ...words], {
    stdio: 'pipe',
  }).toString();

/** A machine of a person: a home, a store, and a clone of a repository. */
export async function newMachine(name: string, remote = 'git@github.com:acme/app.git') {
  const bench = await workbench();
  const folder = path.join(bench.home, name, 'app');
  fs.mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q');
  git(folder, 'remote', 'add', 'origin', remote);
  const context: Context = { config: bench.config, store: bench.store, clock: Date.now };
  let sessions = 0;
  return {
    ...bench,
    name,
    folder,
    context,
    run: (operation: string, input: Json = {}) => run(context, operation, input),
    sync: () => run(context, 'hub sync'),
    /** Writes a session of prompts in the folder and imports it. Returns its id. */
    async session(
      texts: readonly string[],
      { cwd = folder, id = `${name}-${++sessions}` }: { cwd?: string; id?: string } = {},
    ) {
      const lines = texts.map((text, i) => prompt(`${id}-${i}`, text, i, { sessionId: id, cwd }));
      bench.write(`p/${id}.jsonl`, lines);
      await bench.take(`p/${id}.jsonl`);
      return id;
    },
    async append(id: string, texts: readonly string[], from: number) {
      bench.append(
        `p/${id}.jsonl`,
        ...texts.map((text, i) => prompt(`${id}-${from + i}`, text, from + i, { sessionId: id, cwd: folder })),
      );
      await bench.take(`p/${id}.jsonl`);
    },
    /** What teammates shared, as stored here. */
    async team<T>(
      work: (store: NonNullable<Awaited<ReturnType<typeof openTeamStore>>>) => Promise<T>,
    ): Promise<T | undefined> {
      const store = await openTeamStore(bench.config.home, false);
      if (store === undefined) return undefined;
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
  };
}

export type Machine = Awaited<ReturnType<typeof newMachine>>;

/** The address in an invitation. */
export const addressIn = (command: unknown): string => /'([^']+)'/.exec(String(command))?.[1] ?? '';

/** Two people with a machine each, in a new database: anna made the hub and invited bob. */
export async function twoMembers(cluster: Cluster, { anna = 'anna', bob = 'bob' } = {}) {
  const database = await cluster.newDatabase();
  const [annas, bobs] = [await newMachine('annas'), await newMachine('bobs')];
  await annas.run('hub init', { url: cluster.url(database), as: anna, machine: 'annas' });
  const invitation = addressIn((await annas.run('hub invite', { name: bob })).command);
  await bobs.run('hub join', { url: invitation, machine: 'bobs' });
  return { database, annas, bobs };
}
