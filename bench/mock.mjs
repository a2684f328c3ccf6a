// The tests' own mock of the API, compiled for this Node.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** `folder`: where to put the compiled file. */
export async function startMock(folder) {
  const file = path.join(folder, 'mock.mjs');
  const input = new URL('../test/e2e/mock-anthropic.ts', import.meta.url).pathname;
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return (await import(pathToFileURL(file).href)).startMock();
}
