// From a port of the sandbox's loopback to the host's socket: a client that only speaks HTTP to an address reaches its model without any
// network.
import net, { type AddressInfo } from 'node:net';

/** Resolves with the address. */
export async function forward(socketPath: string): Promise<string> {
  const server = net.createServer((near) => {
    const far = net.connect(socketPath);
    // When either end closes for any reason, close the other.
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.setNoDelay(true);
    near.pipe(far).pipe(near);
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
