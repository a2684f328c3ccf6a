// Where the pipeline keeps downloads and intermediate results: outside the repository, safe to delete.
import { mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = process.env.HOLDFAST_EMBEDDING_CACHE ?? path.join(os.homedir(), '.cache', 'holdfast-embedding');

/** A path in the cache. Creates its folder. */
export function cached(...parts) {
  const file = path.join(root, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  return file;
}
