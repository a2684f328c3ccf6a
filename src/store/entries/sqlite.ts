// The port of entries, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { activityRows } from './activity.ts';
import { entryLookup } from './lookup.ts';
import type { EntriesPort } from './port.ts';
import { timelines } from './timeline.ts';
import { transcripts } from './transcript.ts';
import { turnRows } from './turns.ts';

export const entriesPort = (connection: Connection): EntriesPort => ({
  ...entryLookup(connection),
  ...transcripts(connection),
  ...turnRows(connection),
  ...timelines(connection),
  ...activityRows(connection),
});
