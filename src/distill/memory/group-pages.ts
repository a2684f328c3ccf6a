// Pages of groups lie below a folder of their own, so that nothing that a group says is ever placed beside what the person said.

const folder = 'groups/';

/** A page as the group has it; without a group, as the person has it. */
export const pageOfGroup = (group: string, page: string): string => (group === '' ? page : `${folder}${group}/${page}`);

/** The group that a page belongs to, empty for the person's, and the page as that owner has it. */
export function ownerOf(page: string): { readonly group: string; readonly own: string } {
  const [, group, own] = /^groups\/([^/]+)\/(.+)$/.exec(page) ?? [];
  return group === undefined || own === undefined ? { group: '', own: page } : { group, own };
}
