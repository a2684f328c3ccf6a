// Cursor names a project's folder by its path with `-` for everything else: what it was is found by looking for folders whose names fit.

const slugOf = (name: string): string => name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
/** So many folders are looked into at most. */
const patience = 500;

/** The folder that exists and has this slug; undefined where there is none. `names` lists a folder. */
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
