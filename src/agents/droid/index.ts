// Droid: ~/.factory/sessions/<folder>/<session>.jsonl. A fork is a new file with the copied lines, under the same ids and times.

import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Agent, ParsedItem, ParsedToolUse, TranscriptFile } from '../agent.ts';
import { toolResultsIn, toolUsesIn } from '../anthropic-blocks.ts';
import { derivedId } from '../derived-id.ts';
import { readHookPayload } from '../hook-payload.ts';
import { withoutInjected } from '../injected.ts';
import { asObject, asString, asTime, isEmpty, textOfBlocks } from '../json.ts';
import { unknownKind } from '../unknown-kind.ts';
import { carryIntoDroid } from './carry.ts';
import { droidHooks, droidMcp } from './install.ts';

type Json = Record<string, unknown>;

export const droid: Agent = {
  name: 'droid',
  readerVersion: 2,
  title: agentTitles.droid,
  idKey: 'id',

  root: (_, home) => path.join(home, '.factory', 'sessions'),

  isTranscript: (key) => key.endsWith('.jsonl'),

  recognises: ([first]) => asObject(first).type === 'session_start' && asString(asObject(first).id) !== undefined,

  describe: (key) => ({ session: path.posix.basename(key, '.jsonl') }),

  cannotMatter: (line) => line.includes('"visibility":"user_only"') && line.includes('"content":[]'),

  read(value, file) {
    const line = asObject(value);
    const at = asTime(line.timestamp);
    switch (line.type) {
      case 'session_start':
        return { at, items: readStart(line) };
      case 'message':
        return { at, items: readMessage(line, asObject(line.message), at, file) };
      case 'compaction_state':
        return { at, items: readSummary(line, at, file) };
      default:
        return { at, items: [], ...unknownKind(idle, line.type) };
    }
  },

  retells: ({ type }) => type === 'todo_state' || type === 'agent_turn_outcome',

  readHook: readHookPayload,
  hooks: droidHooks,
  mcp: droidMcp,
  carry: carryIntoDroid,

  resume: (session) => ['droid', '--resume', session],
};

const idle: ReadonlySet<unknown> = new Set('agent_turn_outcome todo_state session_end settings'.split(' '));

function readStart(line: Json): readonly ParsedItem[] {
  const caller = asString(line.callingSessionId);
  // The name of a session, if it has one, is beside its first words.
  const title = asString(line.sessionTitle) ?? asString(line.title);
  const by = line.isSessionTitleManuallySet === true ? 'person' : 'agent';
  return [
    {
      kind: 'header',
      session: asString(line.id),
      cwd: asString(line.cwd),
      forkOf: asString(line.parent),
      parent: caller,
      subagent: caller === undefined ? undefined : (asString(line.agentType) ?? 'subagent'),
    },
    ...(title === undefined ? [] : [{ kind: 'title', title, by } as const]),
  ];
}

/** What the client puts in place of earlier turns. */
function readSummary(line: Json, at: number | undefined, file: TranscriptFile): readonly ParsedItem[] {
  const text = asString(line.summaryText);
  if (text === undefined) return [];
  const uuid = idOf(line, file);
  const said = { role: 'assistant', author: 'machine', form: 'compaction', text, toolUses: [] } as const;
  return [{ kind: 'entry', uuid, session: undefined, at, cwd: undefined, ...said }];
}

/** Older versions give messages no ids: such a message is known by its place in the file. */
function idOf(line: Json, { key, state }: TranscriptFile): string {
  const id = asString(line.id);
  if (id !== undefined) return id;
  const place = typeof state.unnamed === 'number' ? state.unnamed : 0;
  state.unnamed = place + 1;
  return derivedId('droid', path.posix.basename(key), place);
}

function readMessage(line: Json, message: Json, at: number | undefined, file: TranscriptFile): readonly ParsedItem[] {
  const { role, content } = message;
  // What hooks did, and what the client tells the model about itself.
  if (message.visibility === 'user_only' || asString(line.id)?.startsWith('context-')) return [];
  const uuid = idOf(line, file);
  const said = { kind: 'entry', uuid, session: undefined, at, cwd: undefined } as const;
  if (role === 'assistant') {
    const toolUses = callsIn(content);
    const text = textsOf(content).join('\n').trim();
    return isEmpty({ text, toolUses }) ? [] : [{ ...said, role, author: 'model', text, toolUses }];
  }
  if (role !== 'user') return [];
  const typed = textsOf(content)
    .map((text) => withoutInjected(text))
    .filter((text) => text !== '')
    .join('\n');
  const author = message.visibility === 'llm_only' || message.hookEventName !== undefined ? 'machine' : 'person';
  const continues = asString(line.parentId);
  return [
    ...toolResultsIn(content, hasFailed),
    ...(typed === '' ? [] : [{ ...said, role, author, text: typed, toolUses: [], continues } as const]),
  ];
}

const textsOf = (content: unknown): string[] =>
  (Array.isArray(content) ? content : [content]).flatMap((part) =>
    typeof part === 'string' ? [part] : textOfBlocks([part]),
  );

const callsIn = (content: unknown): ParsedToolUse[] =>
  toolUsesIn(content).map((use) => ({ ...use, tool: use.tool.replace(/^holdfast___?/, 'mcp__holdfast__') }));

/** The last line of a command's output says how it ended. */
function hasFailed(_: Json, output: string): boolean {
  const code = /\n?\[Process exited with code (-?\d+)\]\s*$/.exec(output.slice(-200))?.[1];
  return code !== undefined && code !== '0';
}
