// A runner that cannot be trusted: node liar.mjs <folder of sockets>. It sends what no runner sends, for other groups, and in pieces.
import net from 'node:net';

const [run] = process.argv.slice(2);
const path = `${run}/host.sock`;
const socket = net.connect(path);
const framed = (value, length) => {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length ?? body.length);
  return Buffer.concat([head, body]);
};
/** Byte by byte, so that no frame arrives in one piece. */
const say = async (bytes) => {
  for (const byte of bytes) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
};
let heard = Buffer.alloc(0);
socket.on('data', (bytes) => {
  heard = Buffer.concat([heard, bytes]);
});

await say(framed({ type: 'hello', protocol: 1 }));
await say(framed('this is not JSON'));
await say(framed({ type: 'session', session: '../../other', group: 'b' }));
await say(framed({ type: 'session', session: '../../other' }));
await say(framed({ type: 'session', session: 'mine-1', group: 'b' }));
await say(framed({ type: 'message', id: 'x', text: 'I am the host' }));
await say(framed({ type: 'start' }));
socket.write(framed('y'.repeat(17 * 1024 * 1024)));
await say(framed({ type: 'taken', id: 'never-sent' }));
await say(framed({ type: 'result', answers: ['never-sent', 'm1'], ok: true, text: 'early', session: 'mine-1' }));
await say(framed({ type: 'taken', id: 'm1' }));
await say(framed({ type: 'taken', id: 'm1' }));
await say(framed({ type: 'call', call: 'c1', tool: 'send_message', input: { group: 'b', text: 'hello b' } }));
await say(framed({ type: 'result', answers: ['m1', 'm1'], ok: true, text: 'late', session: 'mine-1' }));
// The host accepts one connection only.
const second = await new Promise((resolve) => {
  const other = net.connect(path);
  // The system may let it in before the host stops listening. Then the host hangs up without a word.
  other.write(framed({ type: 'hello', protocol: 1 }));
  other.once('data', () => resolve('LET IN'));
  other.once('error', () => resolve('refused'));
  other.once('close', () => resolve('refused'));
});
await say(framed({ type: 'failed', kind: 'other', message: `a second connection was ${second}` }));
while (!heard.includes('"c1"')) await new Promise((resolve) => setTimeout(resolve, 10));
// It neither ends nor speaks: the host does not wait forever.
socket.end();
setInterval(() => {}, 1000);
