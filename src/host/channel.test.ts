import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostFrame, RunnerFrame } from '../schema/host-frame.ts';
import { frameSplitter, openChannel } from './channel.ts';

async function pair() {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-channel-'));
  const server = net.createServer();
  server.listen(path.join(folder, 's'));
  await once(server, 'listening');
  const near = net.connect(path.join(folder, 's'));
  const [far] = (await once(server, 'connection')) as [net.Socket];
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });
  return { near, far };
}

const framed = (body: string | Buffer, length = Buffer.byteLength(body)): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return Buffer.concat([head, Buffer.from(body)]);
};

const taken = (id: string) => ({ type: 'taken', id }) as const;

describe('the channel', () => {
  it('host.md 13: carries frames of all sizes, cut at every byte', () => {
    const frames = ['', '{}', JSON.stringify(taken('ä'.repeat(50))), 'x'.repeat(300)];
    const bytes = Buffer.concat(frames.map((frame) => framed(frame)));
    for (let size = 1; size <= 9; size++) {
      const split = frameSplitter(1000);
      const seen: string[] = [];
      for (let at = 0; at < bytes.length; at += size)
        seen.push(...split(bytes.subarray(at, at + size)).map((piece) => piece.bytes.toString('utf8')));
      expect(seen).toEqual(frames);
    }
  });

  it('holds no piece of a frame that comes byte by byte', () => {
    const split = frameSplitter(1000);
    const bytes = framed('abc');
    const seen = [...bytes].flatMap((byte) => {
      const piece = Buffer.from([byte]);
      const frames = split(piece);
      piece.fill(0);
      return frames;
    });
    expect(seen.map((frame) => frame.bytes.toString('utf8'))).toEqual(['abc']);
  });

  it('host.md 13, 16: skips malformed and oversized frames, keeps their beginning in quarantine, and reads on', async () => {
    const { near, far } = await pair();
    const bad: [string, number][] = [];
    const channel = openChannel(far, RunnerFrame, (reason, bytes) => bad.push([reason, bytes.length]), { limit: 5000 });
    near.write(framed('not json'));
    near.write(framed('[1,2]'));
    near.write(framed('{"type":"result"}'));
    near.write(framed('{"type":"taken","id":"a","group":"other"}'));
    near.write(framed(Buffer.from([0xff, 0xfe, 0x00])));
    near.write(framed(''));
    near.write(framed(Buffer.alloc(100_000, 'x')));
    near.write(framed(JSON.stringify(taken('good'))));
    // Half a frame, and then nothing: as if the frame had not begun.
    near.end(framed('half', 400));
    const frames: RunnerFrame[] = [];
    for await (const frame of channel.frames) frames.push(frame);
    expect(frames).toEqual([taken('good')]);
    expect(bad.map(([reason]) => reason.split(':')[0])).toEqual([
      'not JSON',
      ...Array(3).fill('not a known frame'),
      ...['not JSON', 'not JSON', 'a frame of 100000 bytes'],
    ]);
    expect(bad.at(-1)?.[1]).toBe(2048);
  });

  it('makes a sender wait for a slow reader, and loses nothing', async () => {
    const { near, far } = await pair();
    const sender = openChannel<HostFrame, RunnerFrame>(near, HostFrame, () => {});
    const reader = openChannel<RunnerFrame, HostFrame>(far, RunnerFrame, () => {});
    const text = 'x'.repeat(100_000);
    let sent = 0;
    const sending = (async () => {
      for (; sent < 300; sent++) await sender.send({ type: 'delta', text });
      sender.end();
    })();
    await new Promise((resolve) => setTimeout(resolve, 100));
    // No reader: only what the buffers hold has gone.
    expect(sent).toBeLessThan(100);
    expect(sender.pending()).toBeLessThan(1_000_000);
    let got = 0;
    for await (const frame of reader.frames) if (frame.type === 'delta' && frame.text === text) got++;
    await sending;
    expect(got).toBe(300);
  });

  it('ends the frames when the other side is gone, and a sender does not hang', async () => {
    const { near, far } = await pair();
    const sender = openChannel<HostFrame, RunnerFrame>(near, HostFrame, () => {});
    far.destroy();
    for (let i = 0; i < 20; i++) await sender.send({ type: 'delta', text: 'x'.repeat(100_000) });
    for await (const _ of sender.frames) expect.unreachable();
  });

  it('refuses to send what the other side would not read', async () => {
    const { near } = await pair();
    const sender = openChannel<HostFrame, RunnerFrame>(near, HostFrame, () => {}, { limit: 1000 });
    await expect(sender.send({ type: 'delta', text: 'x'.repeat(1000) })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});
