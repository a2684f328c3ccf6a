// The layers of src/: imports run one way, and some knowledge has one home. Reads the sources and runs none of them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentName } from '../src/schema/agent-name.ts';

/** A layer is a folder of src/ or a file directly in it. Each may import itself and what is listed here. */
const ground = ['schema', 'system'];
const known = [...ground, 'package.ts', 'agents', 'config', 'store', 'embedding', 'language'];
const middle = ['capture', 'distill', 'recall', 'sessions', 'hub', 'install'];
const top = [...known, ...middle, 'processes', 'operations'];
const mayImport: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  system: ['schema'],
  'package.ts': [],
  agents: ground,
  config: [...ground, 'agents'],
  store: [...ground, 'agents'],
  embedding: [...ground, 'package.ts', 'config', 'store'],
  language: [...ground, 'agents', 'store'],
  ...Object.fromEntries(middle.map((layer) => [layer, known])),
  // Recall reports what was distilled.
  recall: [...known, 'distill'],
  // Shared data is redacted, found and remembered like everything else.
  hub: [...known, 'capture', 'distill', 'recall'],
  processes: [...known, 'capture', 'sessions'],
  operations: [...known, ...middle, 'processes'],
  host: top,
  'surfaces/cli': top,
  'surfaces/mcp': top,
  // MCP is also offered over HTTP.
  'surfaces/http': [...top, 'surfaces/mcp'],
  'surfaces/viewer': ['schema'],
  app: [...top, 'host', 'surfaces/cli', 'surfaces/http', 'surfaces/mcp'],
  'index.ts': [...top, 'app'],
};

type Sources = ReadonlyMap<string, string>;
type How = 'value' | 'type' | 'lazy';

/** Surfaces do not know each other, so each is a layer. */
const layerOf = (file: string): string => /^surfaces\/[^/]+|^[^/]+/.exec(file)?.[0] ?? file;

const statements = /^\s*(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;

function importsOf(file: string, text: string): { target: string; how: How }[] {
  const found: { target: string; how: How }[] = [];
  const add = (specifier: string | undefined, how: How) => {
    if (specifier?.startsWith('.')) found.push({ target: path.posix.join(path.posix.dirname(file), specifier), how });
  };
  for (const [, type, specifier] of text.matchAll(statements)) add(specifier, type ? 'type' : 'value');
  for (const [, specifier] of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) add(specifier, 'lazy');
  return found;
}

function againstTheStream(sources: Sources): string[] {
  const violations: string[] = [];
  for (const [file, text] of sources)
    for (const { target } of importsOf(file, text)) {
      const [from, to] = [layerOf(file), layerOf(target)];
      const allowed = [from, ...(mayImport[from] ?? [])];
      if (!allowed.includes(to)) violations.push(`${file} → ${target}`);
    }
  return violations;
}

/** Cycles of modules that load each other. Type imports load nothing. */
function circles(sources: Sources): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]) => {
    if (trail.includes(file)) found.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (done.has(file) || trail.includes(file)) return;
    for (const { target, how } of importsOf(file, sources.get(file) ?? ''))
      if (how === 'value') visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of sources.keys()) visit(file, []);
  return found;
}

/** The packages that a module loads at once, with everything that it loads. */
function packagesOf(sources: Sources, file: string, seen = new Set<string>()): Set<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  const text = sources.get(file) ?? '';
  for (const [, type, specifier = ''] of text.matchAll(statements))
    if (!type && !specifier.startsWith('.')) found.add(specifier);
  for (const { target, how } of importsOf(file, text))
    if (how === 'value') for (const name of packagesOf(sources, target, seen)) found.add(name);
  return found;
}

const holders = (sources: Sources, pattern: RegExp, allowed: string): string[] =>
  [...sources].filter(([file, text]) => pattern.test(text) && !file.startsWith(allowed)).map(([file]) => file);

const readers = (sources: Sources) => holders(sources, /process\.env\b|from 'node:process'/, 'config/');
/** Patterns that name the location of an agent's files. */
const placesOf: Readonly<Partial<Record<AgentName, RegExp>>> = {
  'claude-code': /\.claude\b(?!-dev)|CLAUDE_[A-Z]/,
  pi: /['"/]\.pi\b|PI_CODING/,
  codex: /['"/]\.codex\b|CODEX_HOME/,
  copilot: /['"/]\.copilot\b|COPILOT_[A-Z]/,
  qwen: /['"/]\.qwen\b|QWEN_[A-Z]/,
  droid: /['"/]\.factory\b/,
  cursor: /['"/]\.cursor\b/,
  cline: /['"/]\.cline\b|CLINE_[A-Z]/,
  goose: /GOOSE_[A-Z]/,
};
const placesElsewhere = (sources: Sources) =>
  Object.entries(placesOf).flatMap(([agent, place]) => holders(sources, place, `agents/${agent}/`));

const src = path.join(import.meta.dirname, '../src');
const sources: Sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => [file.replaceAll(path.sep, '/'), readFileSync(path.join(src, file), 'utf8')]),
);

/** Functions of the store that depend on no engine. */
const pureInStore = [
  'pauses/pause-times.ts',
  'projects/follow-links.ts',
  'removal/tombstone.ts',
  'search/index-text.ts',
  'search/segment.ts',
  'search/tool-text.ts',
  // The file of hashes beside a database.
  'sqlite/ledger.ts',
];

/** Everybody may know the contracts and open a store. Only what copies, compares or rescues whole databases knows more of SQLite. */
function insideTheStore(sources: Sources): string[] {
  const ofFiles = ['app', 'operations', 'surfaces/cli'];
  return [...sources].flatMap(([file, text]) =>
    importsOf(file, text)
      .filter(({ target }) => layerOf(file) !== 'store' && layerOf(target) === 'store')
      .filter(({ target }) => {
        const inner = target.slice('store/'.length);
        if (inner === 'store.ts' || inner === 'sqlite/open.ts' || inner.endsWith('/port.ts')) return false;
        return !pureInStore.includes(inner) && !(inner.startsWith('sqlite/') && ofFiles.includes(layerOf(file)));
      })
      .map(({ target }) => `${file} → ${target}`),
  );
}

/** Who may touch all ports: the places that open stores and put programs together, and what reaches every trace of a session. */
const takesAllPorts = [
  'app/',
  'surfaces/cli/run.ts',
  'surfaces/http/server.ts',
  'operations/operation.ts',
  'operations/data/forget-traces.ts',
  'operations/data/recovering/rebuild.ts',
  'operations/machine/doctor.ts',
  'hub/sync.ts',
  'hub/team-store.ts',
  'store/',
];
const takesTheWholeStore = (sources: Sources): string[] =>
  [...sources]
    .filter(([file, text]) => /: (?:Promise<)?Store\b/.test(text) && !takesAllPorts.some((one) => file.startsWith(one)))
    .map(([file]) => file);

describe('the sources', () => {
  it('every file belongs to a known layer', () => {
    expect([...sources.keys()].filter((file) => mayImport[layerOf(file)] === undefined)).toEqual([]);
  });
  it('imports run one way', () => expect(againstTheStream(sources)).toEqual([]));
  it('no modules load each other in a cycle', () => expect(circles(sources)).toEqual([]));
  it('a page of the viewer waits for no package that only checks data', () => {
    const loaded = packagesOf(sources, 'surfaces/viewer/main.tsx');
    expect(loaded).toContain('preact');
    expect(loaded).not.toContain('zod');
  });
  it('every import leads to a file', () => {
    const targets = [...sources].flatMap(([file, text]) => importsOf(file, text).map(({ target }) => target));
    expect(targets.filter((target) => !sources.has(target))).toEqual([]);
  });
  it('only the configuration reads the environment', () => expect(readers(sources)).toEqual([]));
  it('only contracts of the store are known outside of it', () => expect(insideTheStore(sources)).toEqual([]));
  it('a function takes the ports that it uses, not the whole store', () =>
    expect(takesTheWholeStore(sources)).toEqual([]));
  it('nothing in recall can remove anything', () => {
    const removing = [...sources].filter(
      ([file, text]) => file.startsWith('recall/') && /'(?:removal|transfer)'/.test(text),
    );
    expect(removing.map(([file]) => file)).toEqual([]);
  });
  it("only an agent's own folder names the location of its files", () => expect(placesElsewhere(sources)).toEqual([]));
});

describe('the test itself', () => {
  const made = (files: Record<string, string>): Sources => new Map(Object.entries(files));

  it.each([
    ['schema/a.ts', "import { x } from '../system/errors.ts';"],
    ['schema/a.ts', "import type { X } from '../store/store.ts';"],
    ['system/errors.ts', "export * from '../agents/a.ts';"],
    ['agents/a.ts', "import type {\n  Store,\n} from '../store/store.ts';"],
    ['store/a.ts', "import { segment } from '../recall/keywords.ts';"],
    ['store/sqlite/a.ts', "import '../../config/config.ts';"],
    ['config/config.ts', "import { openStore } from '../store/sqlite/open.ts';"],
    ['capture/a.ts', "import { search } from '../recall/search.ts';"],
    ['recall/a.ts', "const { show } = await import('../operations/show.ts');"],
    ['operations/a.ts', "import { runWorker } from '../app/worker/run.ts';"],
    ['operations/a.ts', "const { startHttp } = await import('../surfaces/http/server.ts');"],
    ['operations/a.ts', "import type { Host } from '../host/host.ts';"],
    ['surfaces/cli/a.ts', "import { serve } from '../http/serve.ts';"],
    ['surfaces/viewer/a.ts', "import { HoldfastError } from '../../system/errors.ts';"],
    ['elsewhere/a.ts', "import { x } from '../schema/a.ts';"],
  ])('sees that %s says %j', (file, text) => expect(againstTheStream(made({ [file]: text }))).toHaveLength(1));

  it('allows imports in the right direction', () => {
    const files = {
      'app/a.ts': "import type { W } from './worker/run.ts';\nawait import('../surfaces/http/server.ts');",
      'surfaces/cli/a.ts': "import { operations } from '../../operations/index.ts';\nimport fs from 'node:fs';",
    };
    expect(againstTheStream(made(files))).toEqual([]);
  });

  it('sees a cycle, and none in types', () => {
    const circle = { 'a/x.ts': "import { y } from './y.ts';", 'a/y.ts': "import { x } from './x.ts';" };
    expect(circles(made(circle))).toEqual(['a/x.ts → a/y.ts → a/x.ts']);
    expect(circles(made({ ...circle, 'a/y.ts': "import type { X } from './x.ts';" }))).toEqual([]);
  });

  it('sees who reaches into the store, and who takes all of it', () => {
    const files = made({
      'recall/a.ts': "import { searchPort } from '../store/search/sqlite.ts';\nfunction search(store: Store) {}",
      'recall/b.ts':
        "import type { SearchPort } from '../store/search/port.ts';\nfunction b(s: Pick<Store, 'search'>) {}",
      'recall/c.ts': "import { salvage } from '../store/sqlite/salvage.ts';",
      'operations/d.ts': "import { salvage } from '../store/sqlite/salvage.ts';",
    });
    expect(insideTheStore(files)).toEqual([
      'recall/a.ts → store/search/sqlite.ts',
      'recall/c.ts → store/sqlite/salvage.ts',
    ]);
    expect(takesTheWholeStore(files)).toEqual(['recall/a.ts']);
  });

  it('sees which file reads the environment and which knows a folder', () => {
    const files = made({ 'cli/a.ts': 'process.env.HOME', 'recall/b.ts': "join(home, '.claude')", 'c.ts': "'.pi'" });
    expect([readers(files), placesElsewhere(files)]).toEqual([['cli/a.ts'], ['recall/b.ts', 'c.ts']]);
  });
});
