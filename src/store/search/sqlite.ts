// The port of search, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { keywordSearch } from './keywords.ts';
import type { SearchPort } from './port.ts';
import { keywordRanking } from './ranking.ts';
import { sessionTouches } from './session-touches.ts';
import { fileTouches } from './touches.ts';
import { useRows } from './uses.ts';

export const searchPort = (connection: Connection): SearchPort => ({
  ...keywordSearch(connection),
  ...keywordRanking(connection),
  ...useRows(connection),
  ...sessionTouches(connection),
  ...fileTouches(connection),
});
