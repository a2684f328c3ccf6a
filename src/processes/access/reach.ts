// Whether the worker can be reached over HTTP, and if not, why and what to do.
import http from 'node:http';
import type { HttpState } from '../../schema/http-state.ts';
import { describeTaken, portHolder } from './port-holder.ts';

/** Contract: never throws. Without a worker's pid, only says whether another program holds the port. */
export async function httpState(port: number, workerPid: number | undefined, patienceMs = 1000): Promise<HttpState> {
  const answering = workerPid === undefined ? undefined : await pidBehind(port, patienceMs);
  if (answering !== undefined && answering === workerPid) return { port, open: true };
  const holder = await portHolder(port);
  const restart = 'Restart it: holdfast worker stop && holdfast worker start';
  if (holder === undefined) {
    if (workerPid === undefined) return { port, open: false };
    return { port, open: false, message: `The worker does not listen on port ${port}`, hint: restart };
  }
  if (holder.pid !== undefined && holder.pid === workerPid)
    return { port, open: false, message: `The worker holds port ${port} but does not answer`, hint: restart };
  return { port, open: false, ...describeTaken(port, holder) };
}

/** The pid that the process on this port claims to have. */
function pidBehind(port: number, patienceMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/api/health', agent: false, timeout: patienceMs });
    // A stranger may send anything, forever.
    const enough = setTimeout(() => request.destroy(), patienceMs);
    request.once('close', () => {
      clearTimeout(enough);
      resolve(undefined);
    });
    request.once('error', () => resolve(undefined));
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > 10_000) request.destroy();
      });
      response.once('end', () => resolve(pidIn(text)));
    });
  });
}

function pidIn(text: string): number | undefined {
  try {
    const { name, pid } = JSON.parse(text);
    return name === 'holdfast' && Number.isInteger(pid) ? pid : undefined;
  } catch {
    // The process is not ours.
    return undefined;
  }
}
