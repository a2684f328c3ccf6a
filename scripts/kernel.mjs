// Compiles the WASM kernels: each .wat into a .ts with its bytes beside it. Run it after a change; needs the npm registry.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'holdfast-kernel-'));
try {
  for (const [folder, name] of [
    ['recall/vectors', 'kernel'],
    ['embedding', 'sum'],
  ]) {
    const source = fileURLToPath(new URL(`../src/${folder}/${name}.wat`, import.meta.url));
    const wasm = path.join(scratch, 'kernel.wasm');
    execFileSync('npx', ['--yes', '--package=wabt@1.0.37', 'wat2wasm', source, '-o', wasm], { stdio: 'inherit' });
    const bytes = readFileSync(wasm);
    const lines = bytes.toString('base64').match(/.{1,100}/g);
    const body = lines.map((line) => `  '${line}',`).join('\n');
    writeFileSync(
      source.replace(/\.wat$/, '-bytes.ts'),
      `// Made from ${name}.wat by scripts/kernel.mjs: ${bytes.length} bytes.\nexport const ${name}Bytes = [\n${body}\n].join('');\n`,
    );
  }
} finally {
  rmSync(scratch, { recursive: true });
}
