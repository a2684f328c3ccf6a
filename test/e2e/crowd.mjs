// Many connections from a stranger: each asks once without a token and stays open. A closed one is reopened.
import net from 'node:net';

const [, , port, count] = process.argv;
let opened = 0;
function join() {
  const socket = net.connect(Number(port), '127.0.0.1', () => {
    socket.write(`GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    opened += 1;
    if (opened === Number(count)) console.log('crowded');
  });
  socket.on('error', () => {});
  socket.resume();
  socket.once('close', () => setTimeout(join, 20));
}
for (let i = 0; i < Number(count); i += 1) join();
