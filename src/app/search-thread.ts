// Search in a separate thread, with a separate connection to the store: SQLite would block the thread that reads keys.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { search } from '../operations/recall/search.ts';
import type { SearchAnswer, SearchInput } from '../surfaces/cli/picker/search-answer.ts';
import { explain } from '../system/errors.ts';
import { type Holdfast, openHoldfast } from './open.ts';

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  let opened: Promise<Holdfast> | undefined;
  port.on('message', async ({ id, input }: { id: number; input: SearchInput }) => {
    try {
      opened ??= openHoldfast(workerData as NodeJS.ProcessEnv);
      const { hits } = await search.run((await opened).context, input);
      port.postMessage({ id, hits } satisfies SearchAnswer);
    } catch (error) {
      opened = undefined;
      const { code, message } = explain(error, 'The search');
      port.postMessage({ id, error: { code, message } } satisfies SearchAnswer);
    }
  });
}
