// The model in a thread of its own: onnxruntime computes on the thread that calls it, and the worker's must answer hooks.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { explain } from '../errors.ts';
import { type EmbedTexts, openMiniLm } from './minilm-model.ts';

export type ThreadAnswer =
  | { readonly id: number; readonly vectors: (Int8Array | undefined)[] }
  | { readonly id: number; readonly error: { code: string; message: string; hint: string | undefined } };

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  let opened: Promise<EmbedTexts> | undefined;
  port.on('message', async ({ id, texts }: { id: number; texts: readonly string[] }) => {
    try {
      opened ??= openMiniLm(workerData as string);
      const embed = await opened;
      port.postMessage({ id, vectors: await embed(texts) } satisfies ThreadAnswer);
    } catch (error) {
      // Whatever was wrong may be mended by the next time.
      opened = undefined;
      const { code, message, hint } = explain(error, 'MiniLM');
      port.postMessage({ id, error: { code, message, hint } } satisfies ThreadAnswer);
    }
  });
}
