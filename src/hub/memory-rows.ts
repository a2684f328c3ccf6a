// What is remembered about a project, as rows of its share. The person's other machines get the rows that pages are made of;
// the team gets the text of the pages.

import { redact } from '../capture/redaction/redact.ts';
import { redactRow } from '../capture/transfer/import-lines.ts';
import { isEmptied } from '../distill/memory/edits.ts';
import { homesOf } from '../distill/memory/homes.ts';
import { groupOf } from '../distill/memory/memories-on.ts';
import { projectPage, targetHash } from '../distill/memory/place.ts';
import type { ExportedRow } from '../schema/exported.ts';
import type { BatchRow } from './batch.ts';
import type { HubDeps, LocalProject, Share } from './local.ts';
import { hash53 } from './words.ts';

/** A memory as the team sees it. */
export interface SharedMemory {
  readonly id: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
  readonly at: string;
  readonly session: string;
}

export async function memoryRowsOf(
  { store }: Pick<HubDeps, 'store'>,
  share: Share,
  folders: readonly LocalProject[],
): Promise<Omit<BatchRow, 'share'>[]> {
  const names = new Set(folders.map(({ name }) => name));
  const homes = homesOf(await store.projects.places());
  const pages = new Set(folders.map(({ path, name }) => projectPage(homes.get(path) ?? name)));
  const row = (kind: string, key: string, at: number, line: string, print: string | null) => ({
    kind,
    key,
    at,
    line,
    print,
    session: null,
    hash: hash53(line),
  });
  const found = (await store.hub.exportedMemory())
    .filter((line) => isOf(line, pages, names))
    .map((line) => {
      const text = JSON.stringify(redactRow(line));
      const at = 'at' in line && typeof line.at === 'number' ? line.at : 0;
      return row(line.is, String(hash53(text)), at, text, hashOf(line));
    });
  if (share.audience !== 'team') return found;
  for (const page of pages)
    for (const { id, title, text, at, session, target } of await store.memory.list({ page, group: '' })) {
      const line: SharedMemory = { id, page, title: redact(title), text: redact(text), at, session };
      found.push(row('memory', id, Date.parse(at), JSON.stringify(line), hubHash(targetHash(page, target))));
    }
  return found;
}

/** The form in which the hub keeps hashes: the first half. */
export const hubHash = (print: string): string => print.slice(0, 32);

/** The hash of the group on the page that a forgetting names. An emptied line says nothing, and stays. */
function hashOf(line: ExportedRow): string | null {
  if (line.is !== 'statement' && line.is !== 'edit') return null;
  if (line.is === 'edit' && isEmptied(line)) return null;
  return hubHash(targetHash(line.page, groupOf(line.target)));
}

function isOf(line: ExportedRow, pages: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  if (line.is === 'statement') return pages.has(line.page) || names.has(line.project);
  return (line.is === 'edit' || line.is === 'merge') && pages.has(line.page);
}
