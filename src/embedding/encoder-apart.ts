// The encoder in a thread of its own, for as long as texts come: it takes some 30 MB, which an idle worker does not need.
import { encodeTexts } from './encoder-texts.ts';
import { startTextThread, type TextThread } from './thread.ts';

type Vector = Float32Array | undefined;

const idleMs = 20_000;
let thread: TextThread<Vector> | undefined;
let idle: NodeJS.Timeout | undefined;

export async function encodeApart(texts: readonly string[]): Promise<Vector[]> {
  // From source, as tests run it, there is no file that a thread could load.
  if (import.meta.url.endsWith('.ts')) return encodeTexts(texts);
  clearTimeout(idle);
  thread ??= startTextThread<Vector>('the encoder', 'encoder-thread.js', {
    ended: () => {
      thread = undefined;
    },
  });
  const { ask, end } = thread;
  try {
    return await ask(texts);
  } finally {
    clearTimeout(idle);
    idle = setTimeout(end, idleMs).unref();
  }
}
