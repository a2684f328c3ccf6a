// What the documents say of commands, settings and files is checked against the program.
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operations } from '../src/operations/index.ts';
import { Settings, settingList } from '../src/schema/settings.ts';

const read = (file: string) => fs.readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const readme = read('README.md');
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'AGENTS.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs/data-flow.md',
  'docs/decisions.md',
  'docs/team.md',
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

  it('name every command in the README', () => {
    for (const { name } of operations) {
      const [first = '', second] = name.split(' ');
      if (first === 'config') expect(readme).toContain(second);
      else expect(readme, name).toMatch(new RegExp(`\`(holdfast )?${name}[ \`]`));
    }
  });

  it('name every tool that agents have in the README', () => {
    const tools = readme.slice(readme.indexOf('| tool | what for |'), readme.indexOf('## What it does'));
    for (const { name } of operations.filter((one) => (one.surfaces as readonly string[]).includes('mcp')))
      expect(tools, name).toContain(`\`${name.replaceAll(' ', '_')}\``);
  });

  it('list every setting with its default and its variable', () => {
    const defaults: unknown = Settings.parse({ agents: {} });
    const defaultOf = (key: string) =>
      key.split('.').reduce((value, step) => (value as Record<string, unknown>)[step], defaults);
    // A name that leads nowhere would be a default that nothing is compared with.
    expect(defaultOf('host.idleMinutes')).toBe(30);
    for (const { key, variable } of settingList) {
      const row = readme.split('\n').find((line) => line.startsWith(`| \`${key}\` |`));
      expect(row, key).toBeDefined();
      expect(row).toContain(`\`${variable}\``);
      const value = defaultOf(key);
      if (typeof value === 'number' || typeof value === 'boolean') expect(row, key).toContain(`\`${value}\``);
    }
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

  it('lead to files that exist', () => {
    for (const document of documents) {
      for (const [, target = ''] of read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
        const file = new URL(`../${document.includes('/') ? 'docs/' : ''}${target}`, import.meta.url);
        expect(fs.existsSync(file), `${document} → ${target}`).toBe(true);
      }
    }
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
    const found = [...`${read('ARCHITECTURE.md')}${read('docs/data-flow.md')}`.matchAll(named)];
    expect(found.length).toBeGreaterThan(100);
    for (const [, file = '', folder = ''] of found) {
      const path = `../src/${within[folder as keyof typeof within] ?? ''}${file}`;
      const exists = ['.ts', '.tsx', ''].some((end) => fs.existsSync(new URL(path + end, import.meta.url)));
      expect(exists, file).toBe(true);
    }
  });
});
