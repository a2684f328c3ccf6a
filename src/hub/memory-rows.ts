// What is remembered about a project, as rows of its share. Other machines of the same person get what pages are made of; the team gets
// what the pages say.

import { redact } from '../capture/redaction/redact.ts';
import { redactRow } from '../capture/transfer/import-lines.ts';
import { homesOf } from '../distill/memory/homes.ts';
import { projectPage } from '../distill/memory/place.ts';
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
  const homes = homesOf(await store.projectPlaces());
  const pages = new Set(folders.map(({ path, name }) => projectPage(homes.get(path) ?? name)));
  const row = (kind: string, key: string, at: number, line: string) => ({
    kind,
    key,
    at,
    line,
    print: null,
    session: null,
    hash: hash53(line),
  });
  const found = (await store.exportedMemory())
    .filter((line) => isOf(line, pages, names))
    .map((line) => {
      const text = JSON.stringify(redactRow(line));
      return row(line.is, String(hash53(text)), 'at' in line && typeof line.at === 'number' ? line.at : 0, text);
    });
  if (share.audience !== 'team') return found;
  for (const page of pages)
    for (const { id, title, text, at, session } of await store.memories({ page, group: '' })) {
      const line: SharedMemory = { id, page, title: redact(title), text: redact(text), at, session };
      found.push(row('memory', id, Date.parse(at), JSON.stringify(line)));
    }
  return found;
}

function isOf(line: ExportedRow, pages: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  if (line.is === 'statement') return pages.has(line.page) || names.has(line.project);
  return (line.is === 'edit' || line.is === 'merge') && pages.has(line.page);
}
