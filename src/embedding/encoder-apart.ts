// The encoder in a separate thread: it takes some 30 MB, which an idle worker does not need.
import { apart } from './apart.ts';
import { encodeTexts } from './encoder-texts.ts';

export const encodeApart = apart({ name: 'the encoder', file: 'encoder-thread.js', idleMs: 20_000, here: encodeTexts });
