import type { ServerResponse } from 'node:http';

/** Resolves when what was written is on its way, or nobody is there any more. Who has been away for long gets much, and all of it. */
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
