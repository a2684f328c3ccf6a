// Compiles the WASM kernels into .ts files with their bytes. Run it after changing a source. Needs the npm registry.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const kernels = [
  { source: 'src/recall/vectors/kernel.wat', target: 'src/recall/vectors/kernel-bytes.ts', name: 'kernel' },
  { source: 'src/embedding/sum.wat', target: 'src/embedding/sum-bytes.ts', name: 'sum' },
  { source: 'scripts/embedding/encoder.as.ts', target: 'src/embedding/encoder-bytes.ts', name: 'encoder' },
];

const npx = (tool, ...args) => execFileSync('npx', ['--yes', `--package=${tool}`, ...args], { stdio: 'inherit' });

function compile(source, wasm) {
  if (source.endsWith('.wat')) npx('wabt@1.0.37', 'wat2wasm', source, '-o', wasm);
  else {
    const options = ['--enable', 'simd', '--runtime', 'stub', '-O3', '--noAssert', '--initialMemory', '1'];
    npx('assemblyscript@0.28.9', 'asc', source, ...options, '-o', wasm);
  }
}

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(path.join(os.tmpdir(), 'holdfast-kernel-'));
try {
  for (const { source, target, name } of kernels) {
    const wasm = path.join(scratch, 'kernel.wasm');
    compile(path.join(root, source), wasm);
    const bytes = readFileSync(wasm);
    const lines = bytes.toString('base64').match(/.{1,100}/g);
    const body = lines.map((line) => `  '${line}',`).join('\n');
    writeFileSync(
      path.join(root, target),
      `// Made from ${path.basename(source)} by scripts/kernel.mjs: ${bytes.length} bytes.\nexport const ${name}Bytes = [\n${body}\n].join('');\n`,
    );
  }
} finally {
  rmSync(scratch, { recursive: true });
}
