// The port of removal, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { deletion } from './deletion.ts';
import { doomedSessions } from './doomed.ts';
import { forgetting } from './forgetting.ts';
import type { RemovalPort } from './port.ts';
import { textRewriting } from './rewrite.ts';
import { takingTombstones } from './taking-tombstones.ts';

export function removalPort(connection: Connection): RemovalPort {
  const { rewriteTexts, finishRewriting } = textRewriting(connection);
  const { deleteSessions } = deletion(connection);
  const { remembered, countConversations, sessionFiles } = doomedSessions(connection);
  const { forget, unfinishedForgetting, finishForgetting } = forgetting(connection);
  const { tombstones, takeTombstones } = takingTombstones(connection);
  return {
    rewriteTexts,
    finishRewriting,
    deleteSessions,
    remembered,
    countConversations,
    sessionFiles,
    forget,
    tombstones,
    takeTombstones,
    unfinishedForgetting,
    finishForgetting,
  };
}
