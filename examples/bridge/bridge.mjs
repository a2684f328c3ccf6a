// A chat room over TCP (`nc 127.0.0.1 4000`) in front of a group: everything typed goes to the group's agent, and its answers go to all.
import net from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

const { HOLDFAST_URL: url = 'http://127.0.0.1:37777', HOLDFAST_TOKEN: token, GROUP: group } = process.env;
if (!token || !group) console.error('Set GROUP, and HOLDFAST_TOKEN to what `holdfast groups token <group>` prints');
if (!token || !group) process.exit(2);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const api = `${url}/api/groups/${group}`;
const room = new Set();
const toAll = (text) => {
  for (const socket of room) socket.write(`${text}\n`);
};

async function post(from, text) {
  const body = JSON.stringify({ text, from });
  const answer = await fetch(`${api}/messages`, { method: 'POST', headers, body }).catch((error) => error);
  if (!answer.ok) toAll(`(not sent: ${answer.status ?? 'the worker cannot be reached'})`);
}

const server = net.createServer(async (socket) => {
  let name = '';
  socket.on('close', () => room.delete(socket)).on('error', () => socket.destroy());
  room.add(socket);
  socket.write('Your name?\n');
  for await (const line of createInterface({ input: socket })) {
    if (name === '') name = line.trim();
    else if (line.trim() !== '') await post(name, line);
  }
});
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => console.log(`on port ${server.address().port}`));

// Remembering the id of the last event is enough: nothing is missed and nothing comes twice.
for (let last; ; await sleep(1000)) {
  try {
    const answer = await fetch(`${api}/events`, { headers: last ? { ...headers, 'last-event-id': last } : headers });
    if (!answer.ok) throw new Error(`the worker answers ${answer.status}`);
    let event = {};
    for await (const line of createInterface({ input: Readable.fromWeb(answer.body) })) {
      if (line !== '') event[line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(':') + 2);
      else if (/answer|message|notice/.test(event.event)) toAll(JSON.parse(event.data).text);
      // If the stream is cut off in the middle of an event, that event comes again.
      if (line === '') [last, event] = [event.id ?? last, {}];
    }
  } catch (error) {
    console.error(error.message);
  }
}
