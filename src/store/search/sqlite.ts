// The port of search, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { keywordSearch } from './keywords.ts';
import type { SearchPort } from './port.ts';
import { keywordRanking } from './ranking.ts';
import { sessionTouches } from './session-touches.ts';
import { termRows } from './term-rows.ts';
import { touchSearch } from './touches.ts';
import { useRows } from './uses.ts';

export function searchPort(connection: Connection): SearchPort {
  const { keywords, keywordCounts } = keywordSearch(connection);
  const { rankKeywords, rankToolUses } = keywordRanking(connection);
  const { toolNames, toolUsers } = useRows(connection);
  const { touches, countedTouches } = sessionTouches(connection);
  const { touchedFiles, sessionsTouching, fileTouches, turnMatches } = touchSearch(connection);
  return {
    keywords,
    keywordCounts,
    rankKeywords,
    rankToolUses,
    ...termRows(connection),
    toolNames,
    toolUsers,
    touches,
    countedTouches,
    touchedFiles,
    sessionsTouching,
    fileTouches,
    turnMatches,
  };
}
