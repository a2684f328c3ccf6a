// The program inside the sandbox: runner.js <folder of sockets> <folder of the SDK> [<program>]. It talks with the host and drives the
// agent. It ends when the host is gone.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { HostFrame, type RunnerFrame, type StartFrame } from '../../schema/host-frame.ts';
import { type Channel, openChannel } from '../channel.ts';
import { driveClaude } from './claude.ts';
import type { Drive, Driver } from './driver.ts';
import { forward } from './forward.ts';
import { openInbox } from './inbox.ts';

/** Each kind of agent, and its driver. */
const drivers: Readonly<Record<StartFrame['agent'], Driver>> = { claude: driveClaude };

/** A compaction waits no longer than this for its archive. */
const archivePatienceMs = 10_000;

const [run = '', sdk = '', program] = process.argv.slice(2);

const socket = net.connect(path.join(run, 'host.sock'));
const channel: Channel<HostFrame, RunnerFrame> = openChannel(socket, HostFrame, (reason) =>
  console.error(`The host sent a frame that is not understood: ${reason}`),
);
const inbox = openInbox();
const replies = new Map<string, (reply: { ok: boolean; text: string }) => void>();
const modelUrl = forward(path.join(run, 'api.sock'));
const network = path.join(run, 'net.sock');
const proxyUrl = existsSync(network) ? forward(network) : undefined;

await channel.send({ type: 'hello', protocol: 1 });
for await (const frame of channel.frames) {
  if (frame.type === 'start') void drive(frame);
  else if (frame.type === 'message') inbox.push(frame);
  else if (frame.type === 'close') inbox.close();
  else {
    replies.get(frame.call)?.(frame);
    replies.delete(frame.call);
  }
}
// No host is there to take an answer. The next host asks again for every unfinished answer.
process.exit(0);

async function drive(start: StartFrame): Promise<void> {
  const ask = (frame: (call: string) => RunnerFrame) =>
    new Promise<{ ok: boolean; text: string }>((resolve) => {
      const call = randomUUID();
      replies.set(call, resolve);
      void channel.send(frame(call)).catch((error: Error) => resolve({ ok: false, text: error.message }));
    });
  const told: Drive = {
    start,
    sdk,
    program,
    modelUrl: await modelUrl,
    proxyUrl: await proxyUrl,
    messages: () => inbox.messages(),
    say: (frame) => channel.send(frame),
    async taken(id) {
      inbox.taken(id);
      await channel.send({ type: 'taken', id });
    },
    call: (tool, input) => ask((call) => ({ type: 'call', call, tool, input })),
    async compacting(session) {
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, archivePatienceMs);
      });
      await Promise.race([ask((call) => ({ type: 'compacting', call, session })), patience]);
      clearTimeout(timer);
    },
  };
  let end: 'closed' | 'failed' = 'failed';
  try {
    end = await drivers[start.agent](told);
    if (end === 'closed') await channel.send({ type: 'closed' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await channel.send({ type: 'failed', kind: 'other', message: message.slice(0, 10_000) });
  }
  channel.end();
  socket.once('close', () => process.exit(end === 'closed' ? 0 : 1));
}
