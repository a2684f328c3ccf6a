// Which session belongs to which group: at most one, permanently. A group's
// transcripts can only add to the group's own sessions.

import type { SessionKey } from '../sessions/port.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { Chunk } from '../transcripts/port.ts';

export function groupSessions(connection: Connection) {
  const owner = connection
    .statement<[string, string], string>('SELECT group_name FROM group_sessions WHERE agent = ? AND session = ?')
    .pluck();
  const isKnown = connection.statement<[string, string]>('SELECT 1 FROM sessions WHERE session = ? AND agent = ?');
  const add = connection.statement('INSERT INTO group_sessions (agent, session, group_name) VALUES (?, ?, ?)');
  const holder = connection.statement<[string], SessionKey>(
    'SELECT s.agent, s.session FROM entries e JOIN sessions s ON s.id = e.session_id WHERE e.uuid = ?',
  );
  const of = ({ agent, session }: SessionKey): string | undefined => owner.get(agent, session);

  /** False if the session belongs to another group, or was the person's own before. */
  function claim(group: string, key: SessionKey): boolean {
    const before = of(key);
    if (before !== undefined) return before === group;
    if (isKnown.get(key.session, key.agent) !== undefined) return false;
    add.run(key.agent, key.session, group);
    return true;
  }

  return {
    of,
    claim,
    /** A group's agent writes its transcripts itself, so what they say about other sessions and entries is ignored. */
    ownOnly(chunk: Chunk): Chunk {
      const { agent, group } = chunk;
      if (group === undefined) return chunk;
      const named = new Set([...chunk.sessions, ...chunk.entries].map(({ session }) => session));
      const own = new Set([...named].filter((session) => claim(group, { agent, session })));
      return {
        ...chunk,
        sessions: chunk.sessions.filter(({ session }) => own.has(session)),
        entries: chunk.entries.filter(({ session, uuid }) => {
          if (!own.has(session)) return false;
          const held = holder.get(uuid);
          return held === undefined || of(held) === group;
        }),
      };
    },
  };
}
