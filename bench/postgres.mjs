// PostgreSQL for a bench: a separate cluster in a scratch folder, on a free port, never as root. POSTGRES_BIN names another installation.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

function programs() {
  if (process.env.POSTGRES_BIN) return process.env.POSTGRES_BIN;
  const root = '/usr/lib/postgresql';
  const [version] = fs.existsSync(root) ? fs.readdirSync(root).sort().reverse() : [];
  if (version === undefined) throw new Error('PostgreSQL is not installed');
  return path.join(root, version, 'bin');
}

export async function openPostgres(folder, settings = {}) {
  const bin = programs();
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const as = process.getuid() === 0 ? { uid: id('-u'), gid: id('-g') } : {};
  const data = path.join(folder, 'postgres');
  fs.chmodSync(folder, 0o755);
  fs.mkdirSync(data);
  if (as.uid !== undefined) fs.chownSync(data, as.uid, as.gid);
  const options = { ...as, cwd: data, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  const cluster = path.join(data, 'data');
  execFileSync(path.join(bin, 'initdb'), ['-D', cluster, '-U', 'admin', '--auth=trust', '-E', 'UTF8'], {
    ...options,
    stdio: 'pipe',
  });
  const port = await new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
  const given = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    shared_buffers: '1GB',
    max_wal_size: '4GB',
    max_connections: 100,
    ...settings,
  };
  fs.appendFileSync(
    path.join(cluster, 'postgresql.conf'),
    Object.entries(given)
      .map(([key, value]) => `${key} = '${value}'\n`)
      .join(''),
  );
  const child = spawn(path.join(bin, 'postgres'), ['-D', cluster], { ...options, stdio: 'ignore' });
  process.on('exit', () => child.kill('SIGQUIT'));
  const url = (database = 'postgres') => `postgres://admin@127.0.0.1:${port}/${database}`;
  async function query(sql, values = [], database = 'postgres') {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }
  for (;;) {
    try {
      await query('SELECT 1');
      break;
    } catch (error) {
      if (child.exitCode !== null) throw error;
      await sleep(100);
    }
  }
  /** Milliseconds of processor time of all connections that have ended. */
  const processorMs = () => {
    const fields = fs.readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  };
  return { url, query, port, processorMs, close: () => child.kill('SIGINT') };
}
