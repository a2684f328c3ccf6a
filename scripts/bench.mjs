// npm run bench [-- name …]: runs bench/<name>.mjs, or all of them, one after another against the build.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './child.mjs';
import { setUp } from './setup.mjs';

const folder = fileURLToPath(new URL('../bench', import.meta.url));
const files = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
// A file that another bench imports is part of that bench, not a bench by itself.
const known = files
  .filter((file) => !texts.some((text) => text.includes(`'./${file}'`)))
  .map((file) => file.slice(0, -'.mjs'.length))
  .sort();

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(', ')}. There are: ${known.join(', ') || 'none yet'}`);
  process.exit(2);
}

await setUp();
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n${name}`);
  const code = await run(process.execPath, ['--expose-gc', path.join(folder, `${name}.mjs`)]);
  if (code !== 0) process.exitCode = code;
}
