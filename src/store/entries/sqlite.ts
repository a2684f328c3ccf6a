// The port of entries, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { activityRows } from './activity.ts';
import { entryLookup } from './lookup.ts';
import { placedPrompts } from './placed-prompts.ts';
import type { EntriesPort } from './port.ts';
import { sessionUses } from './session-uses.ts';
import { timelines } from './timeline.ts';
import { transcripts } from './transcript.ts';
import { turnRows } from './turns.ts';

export function entriesPort(connection: Connection): EntriesPort {
  const { counts, find, at, beginningsAt, containing, usesAt, toolUses, toolUsesAt } = entryLookup(connection);
  const { transcript, order, page } = transcripts(connection);
  const { promptsOf } = placedPrompts(connection);
  const { usesIn } = sessionUses(connection);
  const { prompts, turns } = turnRows(connection);
  const { timeline } = timelines(connection);
  const { activity } = activityRows(connection);
  return {
    counts,
    find,
    at,
    beginningsAt,
    containing,
    usesAt,
    toolUses,
    toolUsesAt,
    transcript,
    order,
    page,
    promptsOf,
    usesIn,
    prompts,
    turns,
    timeline,
    activity,
  };
}
