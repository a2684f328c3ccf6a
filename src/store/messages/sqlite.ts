// The port of messages, composed from its parts.
import type { Connection } from '../sqlite/connection.ts';
import { incomingMessages } from './incoming.ts';
import { outgoingMessages } from './outgoing.ts';
import type { MessagesPort } from './port.ts';

export function messagesPort(connection: Connection): MessagesPort {
  const { add, get, waiting, unanswered, hand, release } = incomingMessages(connection);
  const { putOut, outgoingSince, outgoing, lastOutgoing, seenInChat, noteSeen, dropOld } = outgoingMessages(connection);
  return {
    add,
    get,
    waiting,
    unanswered,
    hand,
    release,
    putOut,
    outgoingSince,
    outgoing,
    lastOutgoing,
    seenInChat,
    noteSeen,
    dropOld,
  };
}
