// MiniLM for the recall bench: the unchanged embedder, with every vector kept in node_modules/.cache, because tens of thousands of texts
// take half an hour.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { miniLm } from '../dist/embedding/minilm.js';
import { miniLmEmbedder } from '../dist/embedding/minilm-beside.js';
import { embedPending } from '../dist/embedding/pending.js';

const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));
const file = path.join(cache, 'minilm-vectors.bin');
const [keyBytes, dimensions] = [20, 384];

const printOf = (text) => createHash('sha1').update(text).digest('hex');

function known() {
  const bytes = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
  const vectors = new Map();
  for (let at = 0; at + keyBytes + dimensions <= bytes.length; at += keyBytes + dimensions)
    vectors.set(
      bytes.toString('hex', at, at + keyBytes),
      new Int8Array(bytes.subarray(at + keyBytes, at + keyBytes + dimensions)),
    );
  return vectors;
}

/** Gives every text of the store its vector by the embedder `minilm`. */
export async function embedWithMiniLm({ store, config }) {
  fs.symlinkSync(path.join(cache, 'models'), path.join(config.home, 'models'));
  const ask = miniLm(config);
  const vectors = known();
  const out = fs.openSync(file, 'a');
  const remembered = async (texts) => {
    const missing = [...new Set(texts)].filter((text) => !vectors.has(printOf(text)));
    const made = missing.length === 0 ? [] : await ask(missing);
    for (const [i, text] of missing.entries()) {
      if (made[i] === undefined) continue;
      vectors.set(printOf(text), made[i]);
      fs.writeSync(out, Buffer.concat([Buffer.from(printOf(text), 'hex'), Buffer.from(made[i])]));
    }
    return texts.map((text) => vectors.get(printOf(text)));
  };
  await embedPending({ store, config, embedder: { ...miniLmEmbedder(remembered), batch: 512 } });
  fs.closeSync(out);
}
