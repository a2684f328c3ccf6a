import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openStand, type Stand } from '../../../test/http-stand.ts';
import { httpState } from './reach.ts';

let stand: Stand | undefined;
afterEach(async () => {
  await stand?.close();
  stand = undefined;
});

describe('whether the worker can be reached', () => {
  it('says that it answers, or that no process listens after it has gone', async () => {
    stand = await openStand();
    const { port } = stand.server;
    expect(await httpState(port, process.pid, 60_000)).toEqual({ port, open: true });
    await stand.server.close();
    expect(await httpState(port, undefined)).toEqual({ port, open: false });
    expect(await httpState(port, process.pid)).toMatchObject({
      open: false,
      message: expect.stringContaining('does not listen'),
    });
  });

  it('names a stranger on the port, whether it answers, lies or stays silent', async () => {
    const liar = http.createServer((_, response) => response.end('{"ok":true,"name":"holdfast","pid":2}'));
    const silent = net.createServer(() => {});
    for (const stranger of [liar, silent]) {
      await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
      const { port } = stranger.address() as AddressInfo;
      expect(await httpState(port, 1)).toMatchObject({
        open: false,
        message: expect.stringContaining(`Port ${port} is held by process ${process.pid}`),
        hint: expect.stringContaining('config set port'),
      });
      // A frozen worker holds its own port.
      expect(await httpState(port, process.pid)).toMatchObject({
        message: expect.stringContaining('does not answer'),
      });
      stranger.close();
    }
    liar.closeAllConnections();
  });
});
