// Finds where a moved folder is now.
import type { ProjectLink } from './port.ts';

/** Applies the innermost link once: a link never leads to a folder that was moved itself. */
export function followLinks(folder: string, links: readonly ProjectLink[]): string {
  let best: ProjectLink | undefined;
  for (const link of links) if (isWithin(folder, link.from) && link.from.length > (best?.from.length ?? 0)) best = link;
  return best === undefined ? folder : best.to + folder.slice(best.from.length);
}

/** Whether a path is the folder or inside it. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
