// The briefings that sessions received at their start.

import type { GivenBriefing } from '../../schema/briefing.ts';
import { toMoment } from '../../schema/time.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { BriefingsPort, NewBriefing } from './port.ts';

type Row = Omit<GivenBriefing, 'at'> & { at: number };

const columns = 'agent, session, project, at, source, text';

export function briefingsPort(connection: Connection): BriefingsPort {
  const { read, write } = connection;
  const last = connection.statement<[string, string], { source: string; text: string }>(
    'SELECT source, text FROM briefings WHERE session = ? AND agent = ? ORDER BY at DESC, id DESC LIMIT 1',
  );
  const add = connection.statement<NewBriefing>(
    `INSERT INTO briefings (${columns}) VALUES (@agent, @session, @project, @at, @source, @text)`,
  );
  const newest = connection.statement<[number], Row>(`SELECT ${columns} FROM briefings ORDER BY id DESC LIMIT ?`);
  const ofSession = connection.statement<[string, string, number], Row>(
    `SELECT ${columns} FROM briefings WHERE session >= ? AND session < ? || x'f48fbfbf' ORDER BY at DESC, id DESC LIMIT ?`,
  );

  const drop = connection.statement('DELETE FROM briefings WHERE at >= ?');

  return {
    async drop(since) {
      return write(() => drop.run(since).changes);
    },
    async save(briefing) {
      write(() => {
        // A hook may report twice.
        const before = last.get(briefing.session, briefing.agent);
        if (before?.source !== briefing.source || before.text !== briefing.text) add.run({ ...briefing });
      });
    },
    async list({ session, limit }) {
      return read(() =>
        (session === undefined ? newest.all(limit) : ofSession.all(session, session, limit)).map((row) => ({
          ...row,
          at: toMoment(row.at),
        })),
      );
    },
  };
}
