// ① Tool results → the uses that they belong to. Most results follow their use within one chunk, and are stored with it.
import type { NewEntry, NewToolResult, NewToolUse } from '../store/transcripts/port.ts';

interface Used {
  /** The use and its entry, by their indexes. */
  readonly entry: number;
  readonly use: number;
  readonly pos: number;
}

/**
 * Gives each use its result: a result belongs to the last use before it. Returns the results whose use is in an earlier chunk, or is not
 * certain; the store finds those uses.
 */
export function joinResults(
  entries: readonly NewEntry[],
  results: readonly NewToolResult[],
): { readonly entries: readonly NewEntry[]; readonly results: readonly NewToolResult[] } {
  if (results.length === 0) return { entries, results };
  const used = usesById(entries);
  const joined = new Map<number, Map<number, NewToolResult>>();
  const left: NewToolResult[] = [];
  for (const result of results) {
    const found = lastBefore(used.get(result.id) ?? [], result.pos);
    if (found === undefined) {
      left.push(result);
      continue;
    }
    const ofEntry = joined.get(found.entry) ?? new Map<number, NewToolResult>();
    joined.set(found.entry, ofEntry.set(found.use, result));
  }
  const withResults = entries.map((entry, i): NewEntry => {
    const ofEntry = joined.get(i);
    if (ofEntry === undefined) return entry;
    const toolUses = entry.toolUses.map((use, j): NewToolUse => {
      const result = ofEntry.get(j);
      return result === undefined ? use : { ...use, result };
    });
    return { ...entry, toolUses };
  });
  return { entries: withResults, results: left };
}

function usesById(entries: readonly NewEntry[]): ReadonlyMap<string, readonly Used[]> {
  const byId = new Map<string, Used[]>();
  for (const [entry, { toolUses, pos }] of entries.entries())
    for (const [use, { id }] of toolUses.entries()) {
      const known = byId.get(id);
      if (known === undefined) byId.set(id, [{ entry, use, pos }]);
      else known.push({ entry, use, pos });
    }
  return byId;
}

/** Undefined if there is none, or if several are at the same position. */
function lastBefore(uses: readonly Used[], pos: number): Used | undefined {
  let last: Used | undefined;
  let isCertain = true;
  for (const use of uses) {
    if (use.pos > pos || (last !== undefined && use.pos < last.pos)) continue;
    isCertain = last === undefined || use.pos > last.pos;
    last = use;
  }
  return isCertain ? last : undefined;
}
