// A hostile neighbour: the agent of one group floods the host in every way it has, while the host still answers another group.
import { describe, expect, it } from 'vitest';
import { because } from '../because.ts';
import { ask, until } from './holdfast.ts';
import { begun, hosting, said, status } from './host-chat.ts';
import { trouble } from './host-stand.ts';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });

/** 23,000 connections to its model's socket. As many once crashed the host. */
const connections = `node -e '
const net = require("node:net");
let count = 0;
const again = () => {
  if (++count > 23000) return;
  const socket = net.connect("/run/holdfast/api.sock");
  socket.on("error", () => {});
  socket.once("close", () => {});
  setImmediate(again);
};
for (let i = 0; i < 50; i++) again();
setTimeout(() => process.exit(0), 20000);
'`;

describe.skipIf(trouble)(because('with a hostile neighbour', trouble), () => {
  it('the host survives a group that floods its model socket, and keeps answering another group', async () => {
    const stand = await begun(['alpha', 'beta']);
    const host = await hosting(stand);
    await said(stand, 'beta', 'hello', [{ text: 'beta is here' }]);
    await ask(
      stand.env,
      'groups',
      'send',
      'alpha',
      `flood MOCK:${JSON.stringify([bash(connections), { text: 'done' }])}`,
    );
    await until(async () => (await status(stand)).processes.length === 2, 'the neighbour');
    for (let i = 0; i < 5; i++)
      expect(await said(stand, 'beta', `again ${i}`, [{ text: `answer ${i}` }])).toEqual([`answer ${i}`]);
    // The host ends the flooding agent and says so. It ends nothing else.
    await until(
      async () => JSON.stringify(await status(stand)).includes('more connections than the host can take'),
      'its end',
    );
    expect(await said(stand, 'beta', 'still?', [{ text: 'still here' }])).toEqual(['still here']);
    host.child.kill('SIGTERM');
    expect(await host.ended).toMatchObject({ code: 0 });
  });
});
