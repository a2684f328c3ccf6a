import { realpathSync } from 'node:fs';

/** Without links. What is not there yet, nothing leads to. */
export function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
