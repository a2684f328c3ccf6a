import { realpathSync } from 'node:fs';

/** The path without links. A path that does not exist yet leads nowhere else. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
