// Compiles src/ into a fresh dist/, and the program into a few files there. The old one stays until the new one is whole, so that running programs find theirs.
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
    // Beside each other: the compiler is a process of its own.
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
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The web page, with names that hold a print of the content, and each file also as browsers like it best. */
async function buildViewer(folder) {
  const { build: bundleViewer } = await import('vite');
  const { NODE_ENV } = process.env;
  try {
    await bundleViewer({
      configFile: false,
      root: path.join(root, 'src', 'viewer'),
      logLevel: 'warn',
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
      build: {
        outDir: folder,
        emptyOutDir: true,
        target: 'es2022',
        // The policy of the page allows nothing that is written into it.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        // How long the parts of a build took on a busy machine tells nobody anything.
        rolldownOptions: { checks: { pluginTimings: false } },
      },
    });
  } finally {
    // Vite sets it for the whole process; what runs next, npm among it, would take itself for production.
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

/** A few files instead of hundreds: it halves the time before a command does its work. */
async function bundleProgram(folder) {
  await bundle({ holdfast: path.join(folder, 'cli', 'main.js') }, folder, {
    chunkFileNames: 'holdfast-[name]-[hash].js',
    // What is loaded at the moment of use stays in files of its own, or every command would load the packages that only one needs. They
    // import from the common file, so the program itself, which waits for them, must not be a part of that.
    codeSplitting: { groups: [{ name: 'core', tags: ['$initial'], test: (id) => !/[\\/]cli[\\/]main\.js$/.test(id) }] },
  });
  // The program inside sandboxes, where nothing else of ours is.
  await bundle({ 'host/runner': path.join(folder, 'host', 'runner', 'main.js') }, folder);
}

async function bundle(input, folder, output = { codeSplitting: false }) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({
    input,
    platform: 'node',
    // jsonc-parser's other form loads its parts in a way that no bundle can follow.
    resolve: { mainFields: ['module', 'main'] },
    // Loaded from where they are installed.
    external: [
      'better-sqlite3',
      '@secretlint/secretlint-rule-preset-recommend',
      '@ai-sdk/anthropic',
      '@ai-sdk/openai-compatible',
      'ai',
      /^chrono-node/,
    ],
    makeAbsoluteExternalsRelative: false,
  });
  await made.write({ dir: folder, format: 'esm', ...output });
  await made.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await build();
