// Cursor: JSON lines without ids and times, appended to or rewritten whole. Each line is pulled once, identified by its
// words and by how many lines before it say the same.
import path from 'node:path';
import type { Agent, ParsedItem } from '../agent.ts';
import { readMessageOf } from '../anthropic-blocks.ts';
import { readHookPayload } from '../hook-payload.ts';
import { withoutInjected } from '../injected.ts';
import { asObject, asString, parsedJson } from '../json.ts';
import { type PulledSession, type PullTools, pulledKey } from '../pull.ts';
import { aboutSession } from '../pulled-lines.ts';
import { describePulled, pulledReader, type ReadPulled } from '../pulled-reader.ts';
import { type WholeMessage, wholeMessages } from '../rewritten-json.ts';
import { unknownKind } from '../unknown-kind.ts';
import { cursorHooks, cursorMcp } from './install.ts';
import { folderInPath, folderOfSlug } from './slug.ts';

/** Lines without a role that contain nothing for us. */
const idleLines: ReadonlySet<unknown> = new Set(['turn_ended']);

const source = /(?:^|\/)([^/]+)\/agent-transcripts\/(?:([^/]+)\/(subagents\/)?)?([^/]+)\.jsonl$/;

export const cursor: Agent = {
  name: 'cursor',
  readerVersion: 2,
  title: 'Cursor',
  ...pulledReader('cursor', 'message', (message, place) => readMessage(message, place)),
  root: (_, home) => path.join(home, '.cursor', 'projects'),
  pull: {
    isSource: (key) => source.test(key),
    concerns: (key) => source.test(key),
    leadsTo: (key) => !/(?:^|\/)(?:node_modules|terminals|mcps|assets|\.git)$/.test(key),
    *sessions(file, tools) {
      const session = sessionOf(file.split(path.sep).join('/'), tools);
      if (session !== undefined) yield session;
    },
  },
  readHook: readHookPayload,
  hooks: cursorHooks,
  mcp: cursorMcp,
  resume: (session) => ['cursor-agent', '--resume', session],
};

function sessionOf(file: string, tools: PullTools): PulledSession | undefined {
  const [, slug = '', folder, subagents, id = ''] = source.exec(file) ?? [];
  if (id === '') return undefined;
  const root = subagents === undefined ? undefined : folder;
  return {
    key: pulledKey(id, root),
    // Earlier versions did not read the last line.
    mark: `${tools.stamp(file)} 2`,
    *records(_, seen) {
      const written = tools.writtenAt(file);
      const messages = [...messagesIn(tools.text(file) ?? '', written)];
      const cwd = folderOfSlug(slug, tools.names) ?? folderInCalls(slug, messages);
      const about = aboutSession('cursor', root ?? id, { cwd }, undefined);
      yield* wholeMessages('cursor', id, about, messages, seen);
    },
  };
}

/** Cursor ends no file with a newline; half a line is no JSON. Lines after a prompt get the prompt's time, if it names one. */
function* messagesIn(text: string, written: number | undefined): Generator<WholeMessage> {
  let at = written === undefined ? undefined : Math.trunc(written);
  for (const line of text.split('\n')) {
    const value = asObject(parsedJson(line));
    const role = asString(value.role);
    const content = asObject(value.message).content ?? value.content;
    if (role === undefined && typeof value.type === 'string' && !idleLines.has(value.type))
      yield { id: `line ${line}`, at, message: value };
    if (role === undefined || content === undefined) continue;
    const said = role === 'user' ? timestampIn(JSON.stringify(content)) : undefined;
    if (said !== undefined) at = said;
    yield { at, message: { role, content } };
  }
}

/** The project's folder, if it is gone or on another machine: the paths in calls name it. */
function folderInCalls(slug: string, messages: readonly WholeMessage[]): string | undefined {
  for (const { message } of messages)
    for (const block of Array.isArray(message.content) ? message.content : []) {
      const { type, input } = asObject(block);
      const paths = type === 'tool_use' ? Object.values(asObject(input)) : [];
      for (const one of paths) {
        const folder = typeof one === 'string' ? folderInPath(slug, one) : undefined;
        if (folder !== undefined) return folder;
      }
    }
  return undefined;
}

function timestampIn(text: string): number | undefined {
  const stamp = /<timestamp>([^<]{4,80})<\/timestamp>/.exec(text)?.[1];
  // `Monday, Aug 24, 2026, 10:11 AM (UTC+2)`: the parser does not understand the zone in words.
  const time =
    stamp === undefined ? Number.NaN : Date.parse(stamp.replace(/\(UTC([+-]\d{1,2})(?::(\d\d))?\)/, 'GMT$1$2').trim());
  return Number.isNaN(time) ? undefined : time;
}

const readMessage: ReadPulled = (message, { uuid, at, file }) => {
  if (message.role === undefined) return { items: [], ...unknownKind(idleLines, message.type, 'line ') };
  const content = Array.isArray(message.content)
    ? message.content.map((block, i) => blockOf(asObject(block), `${uuid}-${i}`))
    : message.content;
  const { items, unknown } = readMessageOf({ ...message, content }, { uuid, at }, { typed, failed: () => false });
  if (describePulled(file.key).subagent === undefined) return { items, unknown };
  // The agent that started it wrote its orders.
  const asMachine = (item: ParsedItem): ParsedItem =>
    item.kind === 'entry' && item.role === 'user' ? { ...item, author: 'machine' } : item;
  return { items: items.map(asMachine), unknown };
};

/** Tool uses have no ids and no results; a model may write more into a name than the name. Thoughts are in the texts, made unreadable. */
function blockOf(block: Record<string, unknown>, id: string): Record<string, unknown> {
  if (block.type === 'tool_use') return { id, ...block, name: /^\S+/.exec(asString(block.name) ?? '')?.[0] };
  if (block.type !== 'text' || typeof block.text !== 'string') return block;
  return { ...block, text: block.text.replace(/^\[REDACTED\]$/gm, '').trim() };
}

const [queryBegins, queryEnds] = ['<user_query>', '</user_query>'];

/** What the client says in the person's place, after a subagent or a task in the background has ended. */
const clientsOwn =
  /^(?:The (?:beginning of the )?above subagent result is already visible to the user|Briefly inform the user about the task result)/;

/** The person's words are in `<user_query>`, pasted tags included; a text without it is either only the client's, or plain. */
function typed(text: string): string {
  const [start, end] = [text.indexOf(queryBegins), text.lastIndexOf(queryEnds)];
  if (start >= 0 && end > start) {
    const query = withoutInjected(text.slice(start + queryBegins.length, end));
    return clientsOwn.test(query) ? '' : query;
  }
  const said = text.replace(/^\s*<timestamp>[^<]{0,80}<\/timestamp>/, '');
  return /^\s*<[a-z_]+[ >]/.test(said) ? '' : withoutInjected(said);
}
