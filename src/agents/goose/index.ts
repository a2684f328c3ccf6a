// Goose: SQLite, and lines before 1.10. A compaction rewrites all rows of a session, so its time and words identify a message, not its row.
import path from 'node:path';
import type { Agent, ParsedItem, ParsedToolUse } from '../agent.ts';
import { outputOf } from '../anthropic-blocks.ts';
import { derivedId } from '../derived-id.ts';
import { withoutInjected } from '../injected.ts';
import { asObject, asString, isEmpty, parsedJson, textOfBlocks, textsAt } from '../json.ts';
import { type PulledLine, type PulledSession, pulledKey, type SourceDatabase } from '../pull.ts';
import { aboutSession, isTitle, pulledLine } from '../pulled-lines.ts';
import { pulledReader, type ReadPulled } from '../pulled-reader.ts';
import { saysExitCode } from '../tools/exit-code.ts';
import { roles, unknownBlock, unknownKind } from '../unknown-kind.ts';
import { gooseMcp } from './install.ts';
import { isSessionLines, sessionInLines } from './lines.ts';
import { timeOf } from './time.ts';

const page = 200;

export const goose: Agent = {
  name: 'goose',
  readerVersion: 2,
  title: 'Goose',
  ...pulledReader('goose', 'message', (message, place) => readMessage(message, place)),
  root: (env, home) =>
    env.GOOSE_PATH_ROOT
      ? path.join(env.GOOSE_PATH_ROOT, 'data', 'sessions')
      : path.join(env.XDG_DATA_HOME || path.join(home, '.local', 'share'), 'goose', 'sessions'),
  pull: {
    isSource: (key) => /(?:^|\/)sessions\.db$/.test(key) || isSessionLines(key),
    concerns: (key) => /(?:^|\/)sessions\.db(?:-wal)?$/.test(key) || isSessionLines(key),
    leadsTo: (key) => !/(?:^|\/)(?:node_modules|\.git)$/.test(key),
    also: (_, home) => [path.join(home, 'Library', 'Application Support', 'Block', 'goose', 'sessions')],
    *sessions(file, tools) {
      if (isSessionLines(file.split(path.sep).join('/'))) {
        const session = sessionInLines(file, tools);
        if (session !== undefined) yield session;
        return;
      }
      const db = tools.database(file);
      if (!db.hasTable('sessions') || !db.hasTable('messages')) return;
      const sessions = db.rows(
        `SELECT s.*, m.last AS last_message, m.count AS message_count FROM sessions s
         JOIN (SELECT session_id, max(id) AS last, count(*) AS count FROM messages GROUP BY session_id) m ON m.session_id = s.id`,
      );
      for (const row of sessions) if (row.session_type !== 'hidden') yield pulledSession(db, row);
    },
  },
  mcp: gooseMcp,
  resume: (session) => ['goose', 'session', '-r', '--session-id', session],
};

function pulledSession(db: SourceDatabase, row: Record<string, unknown>): PulledSession {
  const id = String(row.id);
  const isSubagent = row.session_type === 'sub_agent';
  const facts = {
    cwd: asString(row.working_dir),
    title: asString(row.name) ?? asString(row.description),
    titled: row.user_set_name === 1,
    ...(isSubagent ? { subagent: 'sub_agent' } : {}),
  };
  return {
    key: pulledKey(id),
    mark: `${row.last_message} ${row.message_count} ${row.name ?? ''}`,
    *records(from, seen) {
      const held = seen();
      const about = aboutSession('goose', id, facts, undefined).filter((line) => !held.has(line.id));
      for (const line of about) if (!isTitle(line)) yield { line };
      for (const { messages, last } of pagesOf(db, id, typeof from === 'number' ? from : 0)) {
        for (const message of messages) {
          const line = lineOf(id, message, isSubagent);
          if (!held.has(line.id)) yield { line };
        }
        yield { cursor: last };
      }
      for (const line of about) if (isTitle(line)) yield { line };
    },
  };
}

/** The messages of a session after a row, a page at a time, and the last row that the page reaches. */
function* pagesOf(db: SourceDatabase, session: string, from: number) {
  const select = `SELECT * FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ${page}`;
  for (let last = from; ; ) {
    const messages = db.rows(select, session, last);
    last = Number(messages.at(-1)?.id ?? last);
    yield { messages, last };
    if (messages.length < page) return;
  }
}

function lineOf(session: string, message: Record<string, unknown>, isSubagent: boolean): PulledLine {
  const content = parsedJson(message.content_json);
  const hidden = asObject(parsedJson(message.metadata_json)).userVisible === false;
  const said = {
    role: message.role,
    content,
    ...(hidden ? { hidden } : {}),
    ...(isSubagent ? { subagent: true } : {}),
  };
  const created = String(message.created_timestamp);
  const uuid = derivedId('goose', session, created, String(message.role), JSON.stringify(content));
  return pulledLine('message', uuid, timeOf(message.created_timestamp), said);
}

const knownBlocks: ReadonlySet<unknown> = new Set(
  (
    'text image toolRequest toolResponse toolConfirmationRequest frontendToolRequest actionRequired thinking redactedThinking reasoning ' +
    'contextLengthExceeded summarizationRequested conversationCompacted systemNotification'
  ).split(' '),
);

const readMessage: ReadPulled = ({ role, content, hidden, subagent }, { uuid, at }) => {
  const blocks = Array.isArray(content) ? content.map(asObject) : [];
  const entry = { kind: 'entry', uuid, session: undefined, at, cwd: undefined } as const;
  const items: ParsedItem[] = blocks.flatMap(resultOf);
  const text = textOfBlocks(content).map(withoutInjected).filter(Boolean).join('\n\n');
  if (role === 'user' && text !== '' && hidden !== true) {
    const author = subagent === true ? 'machine' : 'person';
    items.push({ ...entry, role: 'user', author, text, toolUses: [] });
  } else if (role === 'assistant') {
    const toolUses = blocks.flatMap(useOf);
    // A summary for the model only, which a compaction leaves.
    const by = hidden === true ? ({ author: 'machine', form: 'compaction' } as const) : ({ author: 'model' } as const);
    if (!isEmpty({ text, toolUses })) items.push({ ...entry, role: 'assistant', ...by, text, toolUses });
  }
  return { items, ...unknownBlock(knownBlocks, content), ...unknownKind(roles, role, 'role ') };
};

const requests: ReadonlySet<unknown> = new Set(['toolRequest', 'frontendToolRequest']);

function useOf(block: Record<string, unknown>): ParsedToolUse[] {
  const call = asObject(asObject(block.toolCall).value);
  const [id, tool] = [asString(block.id), asString(call.name)];
  if (!requests.has(block.type) || id === undefined || tool === undefined) return [];
  return [{ id, tool, input: call.arguments, files: textsAt(call.arguments, ['path', 'file_path']) }];
}

function resultOf(block: Record<string, unknown>): ParsedItem[] {
  const id = asString(block.id);
  if (block.type !== 'toolResponse' || id === undefined) return [];
  const { status, value, error } = asObject(block.toolResult);
  const output = outputOf(Array.isArray(value) ? value : asObject(value).content) || (asString(error) ?? '');
  const { exit_code } = asObject(asObject(value).structuredContent);
  const hasExited = typeof exit_code === 'number' && exit_code !== 0;
  const isError = status === 'error' || asObject(value).isError === true || hasExited;
  return [
    {
      kind: 'tool-result',
      id,
      failed: isError || saysExitCode.test(output.slice(-400)),
      output,
    },
  ];
}
