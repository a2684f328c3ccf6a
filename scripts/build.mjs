// Compiles src/ into a fresh dist/, and bundles the program into a few files there. The old dist/ stays until the new one is complete, so
// that running programs find their files.
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { runQuietly } from './child.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Resolves with the compiler's exit code. */
export async function build() {
  const began = new Date();
  const cache = path.join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'build-'));
  const fresh = path.join(folder, 'new');
  try {
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh];
    // In parallel: the compiler is a separate process.
    const viewer = buildViewer(path.join(folder, 'viewer')).then(
      () => undefined,
      (error) => error,
    );
    const code = await runQuietly('Building', process.execPath, args, { cwd: root });
    const failure = await viewer;
    if (code !== 0) return code;
    if (failure !== undefined) throw failure;
    renameSync(path.join(folder, 'viewer'), path.join(fresh, 'viewer'));
    await bundleProgram(fresh);
    // A source that was saved while the compiler ran is newer than this, and will be built next time.
    utimesSync(fresh, began, began);
    const dist = path.join(root, 'dist');
    try {
      renameSync(dist, path.join(folder, 'old'));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    renameSync(fresh, dist);
    await prepareMcp(path.join(dist, 'mcp-answers'));
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first script loads the rest. The page names that too, so that the browser fetches and compiles it meanwhile. */
const preloaded = {
  name: 'preloaded',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle }) {
      const { fileName } = Object.values(bundle).find(({ facadeModuleId }) => facadeModuleId?.endsWith('main.tsx'));
      return [
        { tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` }, injectTo: 'head' },
      ];
    },
  },
};

/** The web page, with content hashes in file names, and each file also in compressed forms. */
async function buildViewer(folder) {
  const { build: bundleViewer } = await import('vite');
  const { NODE_ENV } = process.env;
  try {
    await bundleViewer({
      configFile: false,
      root: path.join(root, 'src', 'surfaces', 'viewer'),
      logLevel: 'warn',
      plugins: [preloaded],
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: folder,
        emptyOutDir: true,
        target: 'es2022',
        // The page's policy allows nothing inline.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        // On a busy machine, the duration of each build step says nothing.
        rolldownOptions: { checks: { pluginTimings: false } },
      },
    });
  } finally {
    // Vite sets it for the whole process. The next child, npm for example, would think that it runs in production.
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:html|js|css|svg)$/.test(name)) continue;
    const file = path.join(folder, name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  }
}

/**
 * The MCP server's description of itself for Claude Code, by protocol revision, as the program says it. bin/holdfast-mcp.sh answers with
 * these files. Without one, it starts the program instead.
 */
async function prepareMcp(folder) {
  const clientInfo = { name: 'claude-code', version: '0' };
  const meta = (revision) => ({
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  const request = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
  const talks = {
    '2026-07-28': [
      request('discover', 'server/discover', { _meta: meta('2026-07-28') }),
      request('tools', 'tools/list', { _meta: meta('2026-07-28') }),
    ],
    '2025-11-25': [
      request('initialize', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('tools', 'tools/list', {}),
    ],
  };
  mkdirSync(folder);
  for (const [revision, talk] of Object.entries(talks)) {
    const said = await talkTo(talk);
    for (const { id, result } of said)
      if (result !== undefined) writeFileSync(path.join(folder, `${id}-${revision}.json`), JSON.stringify(result));
  }
}

/** The answers of the built server to these lines. */
async function talkTo(lines) {
  const home = mkdtempSync(path.join(tmpdir(), 'holdfast-build-'));
  try {
    const child = spawn(process.execPath, [path.join(root, 'bin', 'holdfast'), 'mcp'], {
      env: { ...process.env, HOME: home, HOLDFAST_HOME: path.join(home, 'data') },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.on('data', (text) => {
      out += text;
    });
    const wanted = lines.filter(({ id }) => id !== undefined).length;
    for (const line of lines) child.stdin.write(`${JSON.stringify(line)}\n`);
    await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
      child.stdout.on('data', () => out.split('\n').length > wanted && child.stdin.end());
    });
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** A few files instead of hundreds: this halves the time before a command does its work. */
const threads = [
  'capture/reader-thread',
  'embedding/closely-process',
  'embedding/minilm-thread',
  'embedding/rough-thread',
  'surfaces/cli/guard-thread',
  'app/search-thread',
];

async function bundleProgram(folder) {
  const program = { holdfast: path.join(folder, 'app', 'command.js') };
  // Lazily loaded modules stay in separate files, or every command would load the packages that only one needs. They import from the common
  // file, so that file must not contain the program itself, which waits for them.
  const core = { name: 'core', tags: ['$initial'], test: (id) => !/[\\/]app[\\/]command\.js$/.test(id) };
  const alone = await bundled(program, (made) => made.generate({ codeSplitting: { groups: [core] } }));
  const start = new Set(alone.output.find(({ name }) => name === 'core').moduleIds);
  // What other programs import comes from the same files: an installed package has few of the packages that the rest of dist/ imports. This
  // adds nothing to what a command loads at its start.
  const library = { library: path.join(folder, 'index.js') };
  await bundle({ ...program, ...library }, folder, {
    chunkFileNames: 'holdfast-[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'core', test: (id) => start.has(id) }] },
  });
  await bundle({ sessions: path.join(folder, 'sessions', 'library', 'index.js') }, folder);
  // A thread loads only what it needs. It lies one level below the package, where it looks for the package's other files.
  for (const thread of threads) await bundle({ [path.basename(thread)]: path.join(folder, `${thread}.js`) }, folder);
  // The program inside sandboxes, which contain nothing else of Holdfast.
  await bundle({ 'host/runner': path.join(folder, 'host', 'runner', 'main.js') }, folder);
}

/** V8 keeps the source of what it loads, so the worker holds it for weeks: without blanks, and in one byte for each character. */
async function bundle(input, folder, output = { codeSplitting: false }) {
  const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
  const made = await bundled(input, (one) => one.write({ dir: folder, format: 'esm', minify, ...output }));
  for (const { type, fileName, code } of made.output)
    if (type === 'chunk') writeFileSync(path.join(folder, fileName), inLatin1(code));
}

/** One character beyond Latin-1 makes V8 keep a file in two bytes each. Such characters stand in texts and patterns, where an escape means the same. */
const inLatin1 = (code) =>
  code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

async function bundled(input, use) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({
    input,
    platform: 'node',
    // jsonc-parser's other form loads its parts in a way that a bundler cannot follow.
    resolve: { mainFields: ['module', 'main'] },
    // Native, or loaded in a way that a bundler cannot follow: these are the dependencies of the installed package.
    external: ['better-sqlite3', '@secretlint/secretlint-rule-preset-recommend', 'pg-native'],
    makeAbsoluteExternalsRelative: false,
  });
  const result = await use(made);
  await made.close();
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await build();
