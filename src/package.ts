import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the installed package. This file lies one level below it, in src/ and in dist/ alike. */
export const packageRoot = fileURLToPath(new URL('..', import.meta.url));

export const version = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
