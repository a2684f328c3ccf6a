import { rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStand, type Stand } from '../../../test/http-stand.ts';
import type { Config } from '../../config/config.ts';
import { search } from '../../operations/recall/search.ts';
import { version } from '../../package.ts';
import { askWorker } from './ask.ts';

let stand: Stand;
let claim: string;
beforeEach(async () => {
  stand = await openStand();
  claim = join(stand.holdfast.config.home, 'worker.pid');
  writeFileSync(claim, '{}');
});
afterEach(() => stand.close());

const on = (port: number): Config => ({
  ...stand.holdfast.config,
  settings: { ...stand.holdfast.config.settings, port },
});
const input = (query: string) => search.input.parse({ query, limit: 3 });
const ask = (port: number, query = 'checkout', options = {}) => askWorker(on(port), search, input(query), options);

describe('a command that asks the worker', () => {
  it('gets the answer that it would find itself', async () => {
    const own = await search.run(stand.holdfast.context, input('checkout'));
    expect(own.hits.length).toBeGreaterThan(0);
    const patient = { helloMs: 60_000, answerMs: 60_000 };
    expect(await ask(stand.server.port, 'checkout', patient)).toEqual(JSON.parse(JSON.stringify(own)));
    const odd = 'a & b=c "d" % ü\n';
    expect(await ask(stand.server.port, odd, patient)).toEqual(await search.run(stand.holdfast.context, input(odd)));
  });

  it('does the work itself if there is no claim, or no answer', async () => {
    rmSync(claim);
    expect(await ask(stand.server.port)).toBeUndefined();
    writeFileSync(claim, '{}');
    await stand.server.close();
    expect(await ask(stand.server.port)).toBeUndefined();
  });

  it('does the work itself if the worker refuses, and then says what is wrong', async () => {
    expect(await ask(stand.server.port, ' ')).toBeUndefined();
    expect(await ask(stand.server.port, 'x'.repeat(100_000))).toBeUndefined();
  });

  it('shows its token only to a process that proves that it knows it', async () => {
    const seen: (string | undefined)[] = [];
    const health = { ok: true, name: 'holdfast', version: version(), pid: 2 };
    for (const proof of ['', 'ab', '0'.repeat(64), undefined]) {
      const liar = http.createServer((request, response) => {
        seen.push(request.headers.authorization);
        response.end(JSON.stringify({ ...health, proof }));
      });
      await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
      expect(await ask((liar.address() as AddressInfo).port)).toBeUndefined();
      liar.closeAllConnections();
      liar.close();
    }
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('does not wait for a silent answer, or for one that never ends', async () => {
    const silent = net.createServer(() => {});
    const endless = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const timer = setInterval(() => socket.write('1\r\n \r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    for (const stranger of [silent, endless]) {
      await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
      expect(await ask((stranger.address() as AddressInfo).port, 'x', { helloMs: 50 })).toBeUndefined();
      stranger.close();
    }
  });
});
