// Cursor names a project's folder by its path with `-` for every other character: looks for existing folders whose
// names fit.

const slugOf = (name: string): string => name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
/** The most folders to look into. */
const patience = 500;

/** The existing folder with this slug; undefined if there is none. `names` lists a folder. */
export function folderOfSlug(slug: string, names: (folder: string) => readonly string[]): string | undefined {
  let left = patience;
  const find = (folder: string, rest: string): string | undefined => {
    if (rest === '') return folder || '/';
    if (left-- <= 0) return undefined;
    for (const name of names(folder || '/')) {
      const part = slugOf(name);
      if (part === '' || (rest !== part && !rest.startsWith(`${part}-`))) continue;
      const found = find(`${folder}/${name}`, rest.slice(part.length + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find('', slug);
}

const longestPath = 4096;

/** The folder with this slug among those that an absolute path leads through. */
export function folderInPath(slug: string, file: string): string | undefined {
  if (!file.startsWith('/') || file.length > longestPath || file.includes('\n')) return undefined;
  for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1)) {
    const folder = file.slice(0, end);
    if (slugOf(folder) === slug) return folder;
  }
  return undefined;
}
