// Texts → the vectors of the default embedder, with the encoder's part: one for each passage, and that of the whole text last.
import { apart } from './apart.ts';
import { type CloseText, listed } from './embedder.ts';
import { encodeTexts } from './encoder-texts.ts';
import { pairing } from './rough.ts';
import { sideBySide } from './side-by-side.ts';
import { sharedTable } from './static.ts';
import { startTextProcess } from './thread.ts';

export function closeVectors(texts: readonly CloseText[]): Int8Array[][] {
  const next = encodeTexts(texts.flatMap(({ text, passages }) => [...passages, text])).values();
  return texts.map(({ text, passages }) => {
    // The table's part is always of the whole text. A passage that the encoder cannot read adds nothing to it.
    const words = sharedTable().embed(text);
    const parts = [...passages, undefined].map(() => next.next().value);
    const whole = parts.pop();
    return [...parts.filter((part) => part !== undefined), whole].flatMap((part) =>
      listed(sideBySide(pairing, words, part)),
    );
  });
}

/** In a process of its own: it takes 60 MB, and a thread would leave 30 of them with the worker for weeks. */
export const closeVectorsApart = apart({
  start: (ended) => startTextProcess<CloseText, Int8Array[]>('the encoder', 'closely-process.js', ended),
  idleMs: 20_000,
  here: closeVectors,
});
