// Texts → the encoder's vectors, in this thread. The first text loads the encoder: 9 MB from the package.
import { type Encoder, loadEncoder } from './encoder.ts';
import { openTokens } from './static-table.ts';
import type { WordPiece } from './wordpiece.ts';

let loaded: { readonly encoder: Encoder; readonly tokens: WordPiece } | undefined;

/** Undefined for a text without a known word. */
export function encodeTexts(texts: readonly string[]): (Float32Array | undefined)[] {
  if (loaded === undefined) {
    const tokens = openTokens();
    loaded = { tokens, encoder: loadEncoder(tokens.size) };
  }
  const { encoder, tokens } = loaded;
  return texts.map((text) => {
    const count = tokens.tokenize(text.slice(0, 16 * encoder.ids.length), encoder.ids);
    return count === 0 ? undefined : encoder.encode(count).slice();
  });
}
