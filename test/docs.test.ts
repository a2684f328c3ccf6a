// Checks what the documents say about commands, settings and files against the program.
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../scripts/reference-tables.mjs';
import { operations } from '../src/operations/index.ts';
import { agentTitles } from '../src/schema/agent-titles.ts';

const read = (file: string) => fs.readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'AGENTS.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CODE_OF_CONDUCT.md',
  ...fs
    .readdirSync(new URL('../docs', import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('the documents', () => {
  it('name only commands that exist', () => {
    const known = new Set([...operations.map(({ name }) => name), 'config', 'completion', 'help', 'version']);
    for (const document of documents) {
      for (const [, command = ''] of read(document).matchAll(
        /(?:^|[`\s/])holdfast ((?:worker |config |memory |model |host |hub )?[a-z]+(?:-[a-z]+)?)/gm,
      )) {
        if (['is', 'in', 'from'].includes(command)) continue;
        expect([...known], `${document}: holdfast ${command}`).toContain(command.trim());
      }
    }
  });

  it('describe every agent of the table, and the README links to that', () => {
    const { client, ...titles } = agentTitles;
    for (const title of Object.values(titles)) expect(read('docs/agents.md'), title).toContain(`| ${title} |`);
    expect(read('README.md')).toContain('docs/agents.md');
  });

  it('describe every command, setting and address as the tables do', async () => {
    const pages = await referencePages(
      (module: string) => import(/* @vite-ignore */ new URL(`../src/${module}.ts`, import.meta.url).href),
    );
    expect(Object.keys(pages)).toEqual(['docs/cli.md', 'docs/settings.md', 'docs/http.md']);
    for (const [file, text] of Object.entries(pages))
      expect(read(file) === text, `${file} is not what the tables say; run: npm run docs`).toBe(true);
  });

  it('describe every name of the public API', () => {
    const exported = [...read('src/index.ts').matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.replace('type ', '').trim()),
    );
    expect(exported.length).toBeGreaterThan(12);
    for (const name of exported) expect(read('docs/library.md'), name).toMatch(new RegExp(`\`${name}[\`(]`));
  });

  it('name every tool that agents have', () => {
    for (const { name } of operations.filter((one) => (one.surfaces as readonly string[]).includes('mcp')))
      expect(read('docs/mcp.md'), name).toContain(`\`${name.replaceAll(' ', '_')}\``);
  });

  it('stay short where a person reads them first', () => {
    expect(read('README.md').split('\n').length).toBeLessThan(130);
    expect(read('docs/data-flow.md').split('\n').length).toBeLessThanOrEqual(60);
  });

  it('name tests that exist for what SECURITY.md promises', () => {
    const rows = read('SECURITY.md').split('## What is promised')[1]?.split('\n## ')[0]?.split('\n').slice(4) ?? [];
    const promises = rows.filter((row) => row.startsWith('|'));
    expect(promises.length).toBeGreaterThan(10);
    for (const promise of promises) {
      const tests = [...promise.matchAll(/`((?:src|test)\/[\w./-]+\.test\.ts)`/g)].map(([, file = '']) => file);
      expect(tests.length, promise).toBeGreaterThan(0);
      for (const file of tests) expect(fs.existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true);
    }
  });

  it('link to files that exist', () => {
    let links = 0;
    for (const document of documents) {
      for (const [, target = ''] of read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
        const file = new URL(`../${document.includes('/') ? 'docs/' : ''}${target}`, import.meta.url);
        expect(fs.existsSync(file), `${document} → ${target}`).toBe(true);
        links++;
      }
    }
    expect(links).toBeGreaterThan(20);
  });

  it('name every dependency, with its reason', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const decisions = read('docs/decisions.md');
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      if (name.startsWith('@types/')) continue;
      expect(decisions, name).toMatch(new RegExp(`^\\| ${name}[ (].*\\| \\S+`, 'm'));
    }
  });

  it('describe only source files that exist', () => {
    const folders = fs.readdirSync(new URL('../src', import.meta.url));
    const within = { sqlite: 'store/', sandbox: 'host/', runner: 'host/', models: 'distill/' };
    const named = new RegExp(
      `(?<![\\w/.<~-])((${[...folders, ...Object.keys(within)].join('|')})/[a-z][a-z/-]*[a-z])(?!/?[<*])`,
      'g',
    );
    const texts = ['ARCHITECTURE.md', 'docs/data-flow.md', 'docs/internals.md'].map(read).join('\n');
    const found = [...texts.matchAll(named)];
    expect(found.length).toBeGreaterThan(100);
    for (const [, file = '', folder = ''] of found) {
      const path = `../src/${within[folder as keyof typeof within] ?? ''}${file}`;
      const exists = ['.ts', '.tsx', ''].some((end) => fs.existsSync(new URL(path + end, import.meta.url)));
      expect(exists, file).toBe(true);
    }
  });
});
