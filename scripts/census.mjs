// npm run census: counts what makes the code hard to read. Prints each figure; --list names what was counted.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const list = process.argv.includes('--list');
const files = (folder, endings) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => endings.some((ending) => name.endsWith(ending)) && !name.includes('node_modules'));
const source = files('src', ['.ts', '.tsx']).filter((name) => !name.endsWith('.test.ts'));
const all = [
  ...files('src', ['.ts', '.tsx']),
  ...files('test', ['.ts']),
  ...files('docs', ['.md']),
  ...files('scripts', ['.mjs']),
];
all.push('README.md', 'ARCHITECTURE.md', 'AGENTS.md', 'SECURITY.md', 'CHANGELOG.md');
const text = new Map(all.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
const parsed = new Map(
  source.map((name) => [name, parseAst(text.get(name), { lang: name.endsWith('x') ? 'tsx' : 'ts' }, name)]),
);

function show(what, found) {
  console.log(`${String(found.length).padStart(6)}  ${what}`);
  if (list) for (const one of found.slice(0, 200)) console.log(`          ${one}`);
}

const linesOf = (name, { start, end }) => text.get(name).slice(start, end).split('\n').length;

function walk(node, visit) {
  if (node === null || typeof node !== 'object') return;
  if (typeof node.type === 'string') visit(node);
  for (const child of Object.values(node)) {
    if (Array.isArray(child)) for (const one of child) walk(one, visit);
    else walk(child, visit);
  }
}

const functions = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const long = [];
const lazy = [];
const members = new Map();
for (const [name, program] of parsed) {
  walk(program, (node) => {
    if (functions.includes(node.type) && node.body && linesOf(name, node) > 100)
      long.push(`${name}: ${node.id?.name ?? 'a function'} (${linesOf(name, node)} lines)`);
    if (node.type === 'ImportExpression')
      lazy.push(`${name}: ${text.get(name).slice(node.source.start, node.source.end)}`);
    if (node.type === 'TSInterfaceDeclaration' && name.endsWith('/port.ts') && node.id.name.endsWith('Port'))
      members.set(`store.${name.split('/').at(-2)}`, node.body.body.length);
  });
}

// test/boundaries.test.ts refuses these. The figure shows that it does.
const above = ['host', 'surfaces', 'app'];
const upward = lazy.filter((one) => {
  const from = /^src\/([^/]+)\//.exec(one)?.[1];
  const to = /['`"](?:\.\.\/)+([^/'"`]+)\//.exec(one)?.[1];
  return !above.includes(from) && above.includes(to);
});

const dialect =
  /\b(?:whoever|whomever|anew|nobody|somebody|(?<!there )is none|is had|lets? \w+ be|by the clock of|of late|wherewith|thereof|in vain)\b/gi;
/** What a line says to a person: all of a document; comments and names of tests in code, without quoted code. */
const proseIn = (name, line) =>
  name.endsWith('.md')
    ? line
    : [/(?:^|\s)(?:\/\/|\/?\*+|--) (.*)/, /\b(?:it|describe|test)(?:\.\w+)*\(\s*(['"`].*?['"`])/]
        .map((pattern) => pattern.exec(line)?.[1] ?? '')
        .join(' ')
        .replace(/`[^`]*`/g, '');
const words = [...text].flatMap(([name, content]) =>
  content
    .split('\n')
    .flatMap((line, i) => [...proseIn(name, line).matchAll(dialect)].map(([word]) => `${name}:${i + 1}: ${word}`)),
);

const largest = [...members].sort((a, b) => b[1] - a[1]);
show('functions over 100 lines', long);
show(
  'files over 400 lines, except migrations',
  source.filter((name) => !name.includes('migrations') && text.get(name).split('\n').length > 400),
);
show('lazy imports of a higher layer', upward);
show('words of the old dialect', words);
const sum = largest.reduce((all, [, count]) => all + count, 0);
const [port, most] = largest[0] ?? ['none', 0];
console.log(
  `${String(largest.length).padStart(6)}  ports of the store, with ${sum} members; the largest is ${port} (${most})`,
);
if (list) for (const [name, count] of largest) console.log(`          ${name}: ${count}`);
