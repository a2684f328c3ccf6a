// TLS to a real PostgreSQL, with an authority made for the test: what is trusted, and what is refused.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { because, without } from '../because.ts';
import { addressIn, type Cluster, newMachine, noPostgres, openCluster } from '../hub-stand.ts';

const missing = noPostgres ?? without('openssl');

describe.skipIf(missing)(because('TLS', missing), () => {
  let cluster: Cluster;
  let folder: string;
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });

  /** An authority, and a certificate of it for one name. */
  function certificate(authority: string, name: string, host: string): void {
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${authority}`,
      '-keyout',
      `${authority}.key`,
      '-out',
      `${authority}.pem`,
    );
    openssl(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      `/CN=${host}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
    );
    fs.writeFileSync(path.join(folder, `${name}.ext`), `subjectAltName=DNS:${host}\n`);
    openssl(
      'x509',
      '-req',
      '-days',
      '2',
      '-in',
      `${name}.csr`,
      '-CA',
      `${authority}.pem`,
      '-CAkey',
      `${authority}.key`,
      '-CAcreateserial',
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
  }

  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-tls-'));
    certificate('authority', 'server', 'localhost');
    certificate('stranger', 'other', 'localhost');
    cluster = await openCluster(
      { ssl: 'on' },
      {
        'server.crt': fs.readFileSync(path.join(folder, 'server.pem')),
        'server.key': fs.readFileSync(path.join(folder, 'server.key')),
      },
    );
  });
  afterAll(async () => {
    await cluster.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const address = async (host: string, query: string) =>
    `postgres://admin@${host}:${cluster.port}/${await cluster.newDatabase()}?${query}`;
  const trusting = (authority: string) =>
    `sslmode=verify-full&sslrootcert=${encodeURIComponent(path.join(folder, `${authority}.pem`))}`;

  it('with the authority named, a hub is made, joined and exchanged with, all of it encrypted', async () => {
    const [laptop, server] = [await newMachine('laptop'), await newMachine('server')];
    const id = await laptop.session(['over an encrypted line']);
    await server.session(['x']);
    await laptop.run('hub init', {
      url: await address('localhost', trusting('authority')),
      as: 'tess',
      machine: 'laptop',
    });
    await laptop.run('hub share', { project: 'app' });
    const invitation = addressIn((await laptop.run('hub invite')).command);
    expect(invitation).toContain('sslmode=verify-full');
    await server.run('hub join', { url: invitation, machine: 'server' });
    await server.sync();
    expect(await server.texts(id)).toEqual(['over an encrypted line']);
    const { client } = await connected(invitation);
    const { rows } = await client.query<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    await client.end();
    expect(rows).toEqual([{ ssl: true }]);
  });

  it.each([
    ['no authority', 'localhost', () => 'sslmode=verify-full', /not trusted/],
    ["another's authority", 'localhost', () => trusting('stranger'), /not trusted/],
    ['a certificate for another name', '127.0.0.1', () => trusting('authority'), /not trusted/],
    [
      'a file of certificates that is not there',
      'localhost',
      () => 'sslmode=verify-full&sslrootcert=/nowhere.pem',
      /nowhere\.pem/,
    ],
  ])('with %s, nothing is sent and nothing is changed', async (_, host, query, message) => {
    const laptop = await newMachine('laptop');
    const failed = laptop.run('hub init', { url: await address(host, query()), as: 'tess2', machine: 'laptop' });
    await expect(failed).rejects.toThrow(message);
    expect(fs.existsSync(path.join(laptop.config.home, 'hub.json'))).toBe(false);
    expect(await cluster.query("SELECT 1 FROM pg_roles WHERE rolname = 'holdfast_tess2'")).toEqual([]);
  });

  it('a server without TLS is refused where TLS is asked for', async () => {
    const plain = await openCluster();
    try {
      const laptop = await newMachine('laptop');
      const url = `postgres://admin@localhost:${plain.port}/${await plain.newDatabase()}?${trusting('authority')}`;
      await expect(laptop.run('hub init', { url, as: 'tess3', machine: 'laptop' })).rejects.toThrow(/offers no TLS/);
    } finally {
      await plain.close();
    }
  });

  async function connected(url: string) {
    const [{ connectTo }, { readAddress }] = await Promise.all([
      import('../../src/hub/connect.ts'),
      import('../../src/hub/url.ts'),
    ]);
    return { client: await connectTo(readAddress(url)) };
  }
});
