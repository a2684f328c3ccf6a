import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isPublic } from './addresses.ts';
import { startEgress } from './egress.ts';

describe('a public address', () => {
  it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::200e'])('is %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each([
    ...[
      '127.0.0.1',
      '127.9.9.9',
      '0.0.0.0',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
    ],
    ...['100.64.0.1', '224.0.0.1', '255.255.255.255', '198.18.0.1', '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1'],
    ...[
      'fd12:3456::1',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:1.1.1.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ],
    ...['2001::1', 'localhost', '', '1.1.1', '0x7f.1'],
  ])('is not %s', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it('is never an address of this machine, public or not', () => {
    for (const { address } of Object.values(os.networkInterfaces()).flatMap((all) => all ?? []))
      expect(isPublic(address), address).toBe(false);
    expect(isPublic('1.1.1.1', new Set(['1.1.1.1']))).toBe(false);
  });
});

async function stand(reach: (port: number) => string[] = () => [], names: Record<string, string> = {}) {
  const service = http.createServer((request, response) => response.end(`heard ${request.method} ${request.url}`));
  await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready));
  const { port } = service.address() as AddressInfo;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-egress-'));
  const socketPath = path.join(folder, 'net.sock');
  const options = { reach: reach(port), workerPort: 1, log: () => {} };
  const resolve = async (name: string) => [{ address: names[name] ?? '127.0.0.1' }];
  const egress = await startEgress(socketPath, { ...options, resolve });
  onTestFinished(async () => {
    await egress.close();
    service.closeAllConnections();
    service.close();
    fs.rmSync(folder, { recursive: true });
  });
  /** The whole answer to a raw request. */
  const say = (text: string) =>
    new Promise<string>((done) => {
      let heard = '';
      const socket = net.connect(socketPath, () => socket.write(text));
      socket.on('data', (part) => {
        heard += part;
      });
      socket.once('close', () => done(heard));
      socket.on('error', () => {});
    });
  return { port, say, socketPath };
}

describe('the way to the network', () => {
  it('reaches nothing on this machine, whatever its name', async () => {
    const { port, say } = await stand(undefined, {
      'tricky.example': '127.0.0.1',
      'metadata.example': '169.254.169.254',
    });
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '0.0.0.0',
      'tricky.example',
      'metadata.example',
      '[::ffff:127.0.0.1]',
      '2130706433',
      '0x7f000001',
    ];
    for (const host of hosts) {
      expect(await say(`CONNECT ${host}:${port} HTTP/1.1\r\nhost: x\r\n\r\n`), host).toMatch(/^HTTP\/1\.1 40[03]/);
      const got = await say(`GET http://${host}:${port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(got, host).not.toContain('heard');
    }
  });

  it('reaches what the person allows, through a tunnel and without one', async () => {
    const { port, say } = await stand((open) => [`printer.local:${open}`]);
    const get = `GET / HTTP/1.1\r\nhost: printer.local\r\nconnection: close\r\n\r\n`;
    expect(await say(`CONNECT printer.local:${port} HTTP/1.1\r\nhost: x\r\n\r\n${get}`)).toContain('heard GET /');
    expect(
      await say(`GET http://printer.local:${port}/page HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    ).toContain('heard GET /page');
    expect(await say(`CONNECT printer.local:${port + 1} HTTP/1.1\r\nhost: x\r\n\r\n`)).toContain('403');
  });

  it('never reaches the worker, even if its port is allowed by name', async () => {
    const service = http.createServer((_request, response) => response.end('the worker'));
    await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void service.close());
    const { port } = service.address() as AddressInfo;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-egress-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    const socketPath = path.join(folder, 'net.sock');
    const options = { reach: [`127.0.0.1:${port}`, `localhost:${port}`], workerPort: port, log: () => {} };
    const egress = await startEgress(socketPath, options);
    onTestFinished(() => egress.close());
    for (const host of ['127.0.0.1', 'localhost']) {
      const said = await new Promise<string>((done) => {
        let heard = '';
        const socket = net.connect(socketPath, () =>
          socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nhost: x\r\n\r\n`),
        );
        socket.on('data', (part) => {
          heard += part;
        });
        socket.once('close', () => done(heard));
      });
      expect(said).toContain('403');
    }
  });

  it('refuses what is not a proxy request', async () => {
    const { say } = await stand();
    for (const line of [
      'GET / HTTP/1.1',
      'GET ftp://x/ HTTP/1.1',
      'CONNECT x HTTP/1.1',
      'CONNECT :80 HTTP/1.1',
      'CONNECT x:99999 HTTP/1.1',
    ])
      expect(await say(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`), line).toMatch(/^HTTP\/1\.1 40[03]|^$/);
  });
});
