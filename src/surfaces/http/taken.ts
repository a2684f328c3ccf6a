import type { ServerResponse } from 'node:http';

/** Waits for `drain` (or `close`), so that a client that reconnects with a large backlog receives all of it. */
export function taken(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
