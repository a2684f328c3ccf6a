// MiniLM: a sentence model, a hundred times slower than the built-in table. The thread starts with the first text.
import type { Config } from '../config/config.ts';
import { checkModel, type EmbedTexts, modelsFolder, openMiniLm } from './minilm-model.ts';
import { startTextThread } from './thread.ts';

/** One per process, until its end: onnxruntime can be loaded only once. Indexing and search share it. */
const threads = new Map<string, Promise<EmbedTexts>>();

export const miniLmModel = 'all-MiniLM-L6-v2 int8 v1';

/** MiniLM's vectors of texts. The thread does not keep an otherwise idle process alive. */
export function miniLm({ home }: Pick<Config, 'home'>): EmbedTexts {
  const folder = modelsFolder(home);
  return async (texts) => {
    checkModel(folder);
    const running = threads.get(folder) ?? start(folder);
    threads.set(folder, running);
    try {
      return await (await running)(texts);
    } catch (error) {
      // From source there is no thread that would retry.
      if (import.meta.url.endsWith('.ts')) threads.delete(folder);
      throw error;
    }
  };
}

function start(folder: string): Promise<EmbedTexts> {
  // From source, as tests run it, there is no file that a thread could load.
  if (import.meta.url.endsWith('.ts')) return openMiniLm(folder);
  const { ask } = startTextThread<Int8Array | undefined>('MiniLM', 'minilm-thread.js', {
    data: folder,
    ended: () => void threads.delete(folder),
  });
  return Promise.resolve(ask);
}
