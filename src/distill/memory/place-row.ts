// ③ An extraction → its row and its statements, without what was forgotten.
import { Extraction } from '../../schema/extraction.ts';
import type { ExtractionRow, PlacedExtraction } from '../../store/memory/port.ts';
import { homeOf, homesOf } from './homes.ts';
import type { MemoryDeps } from './librarian.ts';
import { place, withoutForgotten } from './place.ts';

export async function placeRow(
  { store, config }: Pick<MemoryDeps, 'store' | 'config'>,
  row: Omit<ExtractionRow, 'json'>,
  extraction: Extraction,
  forgotten: ReadonlySet<string>,
  homes?: ReadonlyMap<string, string>,
): Promise<PlacedExtraction> {
  const home = await homeOf(store, homes ?? homesOf(await store.projects.places()), row);
  const left = withoutForgotten(extraction, place(row, extraction, config.settings.timeZone, home), forgotten);
  return { row: { ...row, json: JSON.stringify(left.extraction) }, statements: left.statements };
}

/** The extractions that contain something forgotten, with it removed. */
export async function rowsWithout(deps: MemoryDeps, forgotten: ReadonlySet<string>): Promise<PlacedExtraction[]> {
  const changed: PlacedExtraction[] = [];
  for (const { json, ...row } of await deps.store.memory.extractions()) {
    const { data } = Extraction.safeParse(JSON.parse(json));
    if (data === undefined) continue;
    const placed = await placeRow(deps, row, data, forgotten);
    if (placed.row.json !== JSON.stringify(data)) changed.push(placed);
  }
  return changed;
}
