// npm run docs: writes the reference pages below docs/ from the tables of the build.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { referencePages } from './reference-tables.mjs';

if ((await build()) !== 0) process.exit(1);
for (const [file, text] of Object.entries(await referencePages((module) => import(`../dist/${module}.js`))))
  writeFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), text);
