import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the installed package. This file lies one level below it, in src/ and in dist/ alike. */
export const packageRoot = fileURLToPath(new URL('..', import.meta.url));

export const version = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;

/** How the person can call us again: from the checkout, through npx, or by name. */
export function program(): string {
  if (existsSync(join(packageRoot, '.git'))) return 'bin/holdfast';
  return packageRoot.includes('_npx') ? 'npx holdfast' : 'holdfast';
}
