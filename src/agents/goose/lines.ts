// Until 1.9 Goose kept one file of JSON lines per session: its facts, then its messages. Later versions copy them into the database.
import path from 'node:path';
import { asObject, asString, parsedJson } from '../json.ts';
import { type PulledSession, type PullTools, pulledKey } from '../pull.ts';
import { aboutSession } from '../pulled-lines.ts';
import { type WholeMessage, wholeMessages } from '../rewritten-json.ts';
import { timeOf } from './time.ts';

/** Goose names them by the moment of their start. */
export const isSessionLines = (key: string): boolean => /(?:^|\/)\d{8}_\d{6}\.jsonl$/.test(key);

/** Undefined if the database beside the file has the session. */
export function sessionInLines(file: string, tools: PullTools): PulledSession | undefined {
  const id = path.basename(file, '.jsonl');
  if (isCopied(path.join(path.dirname(file), 'sessions.db'), id, tools)) return undefined;
  return {
    key: pulledKey(id),
    mark: tools.stamp(file),
    *records(_, seen) {
      const [facts = {}, ...lines] = (tools.text(file) ?? '').split('\n').map((line) => asObject(parsedJson(line)));
      const about = { cwd: asString(facts.working_dir), title: asString(facts.description) };
      const messages = lines.flatMap(messageOf);
      if (messages.length > 0)
        yield* wholeMessages('goose', id, aboutSession('goose', id, about, undefined), messages, seen);
    },
  };
}

function isCopied(database: string, id: string, tools: PullTools): boolean {
  if (tools.stamp(database) === '') return false;
  const db = tools.database(database);
  return db.hasTable('sessions') && db.rows('SELECT 1 FROM sessions WHERE id = ?', id).length > 0;
}

function messageOf({ id, role, created, content, metadata }: Record<string, unknown>): WholeMessage[] {
  if (role === undefined) return [];
  const hidden = asObject(metadata).userVisible === false ? { hidden: true } : {};
  return [{ id: asString(id), at: timeOf(created), message: { role, content, ...hidden } }];
}
