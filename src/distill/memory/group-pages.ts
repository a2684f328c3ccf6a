// Each group has its own folder of pages, so that a group's statements never end up on the person's pages.

const folder = 'groups/';

/** The page of a group; without a group, of the person. */
export const pageOfGroup = (group: string, page: string): string => (group === '' ? page : `${folder}${group}/${page}`);

/** The group that a page belongs to (empty for the person), and the page's name within that owner's folder. */
export function ownerOf(page: string): { readonly group: string; readonly own: string } {
  const [, group, own] = /^groups\/([^/]+)\/(.+)$/.exec(page) ?? [];
  return group === undefined || own === undefined ? { group: '', own: page } : { group, own };
}
