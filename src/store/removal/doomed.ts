// What deleting sessions would take with it.
import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { RemovalPort } from './port.ts';
import { sessionSets } from './session-sets.ts';

export function doomedSessions(
  connection: Connection,
): Pick<RemovalPort, 'sessionFiles' | 'remembered' | 'countConversations'> {
  const { countConversations, named, alone, idsOf } = sessionSets(connection);
  const { read } = connection;
  const archivesOf = connection.statement<{ ids: string }, { folder: string; file: string; fileHash: string }>(
    `SELECT folder, file, file_print AS fileHash FROM archives WHERE (agent, session) IN ${named}`,
  );
  const giving = connection.statement<[string], SessionKey>(
    `SELECT DISTINCT agent, session FROM extractions WHERE (agent, session) IN
       (SELECT json_extract(value, '$.agent'), json_extract(value, '$.session') FROM json_each(?))`,
  );

  return {
    async sessionFiles(keys) {
      return read(() => {
        const ids = JSON.stringify(idsOf(keys));
        return { copies: alone.all({ ids }), archives: archivesOf.all({ ids }) };
      });
    },
    async remembered(keys) {
      return read(() => giving.all(JSON.stringify(keys)));
    },
    async countConversations(keys) {
      return read(() => countConversations(JSON.stringify(idsOf(keys))));
    },
  };
}
