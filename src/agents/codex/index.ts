// Codex: $CODEX_HOME/sessions/<year>/<month>/<day>/rollout-<time>-<thread>.jsonl, and archived_sessions/. Three
// formats: bare lines (0.20), lines in an envelope with events about prompts (until about 0.148), and "paginated" ones
// whose events are items. The envelope's `response_item`s, which the model saw, are the same in both.

import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type {
  Agent,
  AgentState,
  ParsedEntry,
  ParsedItem,
  ParsedLine,
  ParsedToolUse,
  TranscriptFile,
} from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { readHookPayload } from '../hook-payload.ts';
import { asObject, asString, asTime } from '../json.ts';
import { takeJump } from '../jump.ts';
import { unknownKind } from '../unknown-kind.ts';
import { codexUsage } from '../usage.ts';
import { carryIntoCodex } from './carry.ts';
import { callEntryId, enterTurn, followCopy, idOf, promptsInTurn, rollBack, scopeOf } from './ids.ts';
import { codexHooks, codexMcp } from './install.ts';
import { idleEvents, idleItems, idleLines, idleThreadItems, retells } from './kinds.ts';
import { readMeta } from './meta.ts';
import { contentOf, pictureNamed, shellLine, typedText } from './prompt.ts';
import { codexPull } from './pull.ts';
import { answersTo, noteQuestion } from './questions.ts';
import { readScriptCall } from './scripts.ts';
import { failedIn, noteWait, readCall, readEnd, readOutput } from './tools.ts';
import { answersIn, isTypedKind, mayLackEvent, noteEarly, withdrawEarly } from './unmirrored.ts';

type Json = Record<string, unknown>;

export const codex: Agent = {
  name: 'codex',
  readerVersion: 4,
  title: agentTitles.codex,
  idKey: 'turn_id',
  usage: codexUsage,

  root: (env, home) => env.CODEX_HOME || path.join(home, '.codex'),

  pull: codexPull,

  isTranscript: (key) => /^(?:.*\/)?(?:(?:packed-)?rollout-[^/]*\.jsonl|session_index\.jsonl)$/.test(key),

  // Caches, worktrees and the like are beside them.
  enters: (key) => /^(?:archived_)?sessions(?:\/|$)/.test(key),

  isIndex: (key) => isIndex(key),

  recognises([first]) {
    const line = asObject(first);
    if (line.type === 'session_meta') return asString(asObject(line.payload).id) !== undefined;
    const isBare = ['instructions', 'cli_version'].some((field) => field in line);
    return asString(line.id) !== undefined && line.type === undefined && isBare;
  },

  describe: (key) => ({ session: threadIn(key) }),

  cannotMatter: (line) => idle.test(line.toString('latin1', 0, 400)),
  retells,

  read(value, file) {
    const outer = asObject(value);
    const line = outer.type === 'rollout' ? asObject(outer.message) : outer;
    const at = asTime(line.timestamp);
    const { state } = file;
    state.thread ??= threadIn(file.key);
    if (isIndex(file.key)) return { at, items: readName(line) };
    if (line.payload === undefined) return state.own === true ? { at, items: [] } : readBare(line, state);
    const read = readEnveloped(line, at, file);
    return state.internal === true ? { at, items: [] } : { at, ...read };
  },

  readHook: readHookPayload,
  hooks: codexHooks,
  mcp: codexMcp,
  carry: carryIntoCodex,

  resume: (session) => ['codex', 'resume', session],
};

const isIndex = (key: string): boolean => key.endsWith('session_index.jsonl');

/** `rollout-2026-11-16T00-31-42-<thread>.jsonl`, and `…-<thread>_<rollout>.jsonl` after a revert. */
function threadIn(key: string): string {
  const name = path.posix.basename(key, '.jsonl');
  return /^(?:packed-)?rollout-[\dT-]{19}-([^_]+)/.exec(name)?.[1] ?? name;
}

/** Lines that yield nothing, by how they begin. Half of a file or more. */
const idle =
  /^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"(?:world_state"|token_usage_record"|compacted"|response_item","payload":\{"type":"reasoning"|event_msg","payload":\{"type":"(?:token_count|agent_message|agent_reasoning)"|event_msg","payload":\{"type":"item_completed","thread_id":"[^"]*","turn_id":"[^"]*","item":\{"type":"(?:AgentMessage|Reasoning)")/;

/** One file beside all threads holds the person's names for them. */
function readName(line: Json): readonly ParsedItem[] {
  const [leaf, title] = [asString(line.id), asString(line.thread_name)];
  return leaf === undefined || title === undefined ? [] : [{ kind: 'title', title, by: 'person', leaf }];
}

function readEnveloped(line: Json, at: number | undefined, file: TranscriptFile): Omit<ParsedLine, 'at'> {
  const payload = asObject(line.payload);
  const { state } = file;
  if (state.copyOf !== undefined) followCopy(state, beginsTurn(line.type, payload), at);
  switch (line.type) {
    case 'session_meta':
      return { items: readMeta(payload, at, state) };
    case 'turn_context': {
      enterTurn(state, asString(payload.turn_id));
      const cwd = asString(payload.cwd);
      return { items: cwd === undefined ? [] : [{ kind: 'header', cwd }] };
    }
    case 'response_item':
      return readItem(payload, line, at, state);
    case 'event_msg':
      return readEvent(payload, at, state);
    default:
      return { items: [], ...unknownKind(idleLines, line.type) };
  }
}

/** Whether a turn may begin with this line. */
const beginsTurn = (type: unknown, payload: Json): boolean =>
  type === 'turn_context' ||
  (type === 'response_item' && payload.type === 'message' && payload.role === 'user') ||
  (type === 'event_msg' && turnEvents.has(payload.type));

const turnEvents: ReadonlySet<unknown> = new Set(['user_message', 'task_started', 'turn_started']);

function readItem(payload: Json, line: Json, at: number | undefined, state: AgentState): Omit<ParsedLine, 'at'> {
  switch (payload.type) {
    case 'message':
      return { items: readMessage(payload, line, at, state) };
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call': {
      const uses = readCall(payload, state, () => idOf(state, 'answers', undefined));
      const [use] = uses;
      if (use === undefined) return { items: [] };
      noteWait(use, state);
      noteQuestion(use, state);
      return { items: [callEntry(uses, use.id, at, state)] };
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { items: [...readOutput(payload, state), ...readChoice(payload, at, state)] };
    default:
      return { items: [], ...unknownKind(idleItems, payload.type, 'response_item ') };
  }
}

const callEntry = (
  toolUses: readonly ParsedToolUse[],
  id: string,
  at: number | undefined,
  state: AgentState,
): ParsedEntry => entry(callEntryId(state, id), at, { role: 'assistant', author: 'model', text: '', toolUses });

type Said = Pick<ParsedEntry, 'role' | 'author' | 'text' | 'toolUses'> &
  Partial<Pick<ParsedEntry, 'form' | 'queued' | 'continues'>>;

const entry = (uuid: string, at: number | undefined, said: Said): ParsedEntry => ({
  kind: 'entry',
  uuid,
  session: undefined,
  at,
  cwd: undefined,
  ...said,
});

function readMessage(payload: Json, line: Json, at: number | undefined, state: AgentState): readonly ParsedItem[] {
  const { text, pictures } = contentOf(payload.content);
  if (payload.role === 'assistant') {
    const uuid = idOf(state, 'answers', asString(payload.id));
    if (text === '') return [];
    const summary = asObject(line.metadata).compaction_output === true;
    const author = summary ? 'machine' : 'model';
    const form = summary ? 'compaction' : undefined;
    return [entry(uuid, at, { role: 'assistant', author, form, text, toolUses: [] })];
  }
  if (payload.role !== 'user') return [];
  const shell = shellLine(text);
  if (shell !== undefined) return readShell(shell, idOf(state, 'shells', asString(payload.id)), at);
  // If the file has events about prompts, they say what the person typed. Before the first event, the file may be of
  // the kind without them.
  if (state.events === true || state.surelyEvents === true) return readEarly(payload, text, pictures, at, state);
  if (!byPerson(payload, state)) return [];
  const typed = [typedText(text, false), ...pictures].filter((part) => part !== '').join('\n');
  if (typed === '') return [];
  return [promptEntry(idOf(state, 'items', undefined), at, typed, state, false)];
}

function readEarly(
  payload: Json,
  text: string,
  pictures: readonly string[],
  at: number | undefined,
  state: AgentState,
): readonly ParsedItem[] {
  const said = [answersIn(text) ?? typedText(text, true), ...pictures].filter((part) => part !== '').join('\n');
  if (said === '' || state.subagent === true || !mayLackEvent(payload, text)) return [];
  const uuid = derivedId('codex', scopeOf(state), 'early', asString(payload.id) ?? said);
  noteEarly(state, uuid, text);
  const isReply = answersIn(text) !== undefined;
  const more = isReply ? ({ form: 'choice', queued: 'given' } as const) : {};
  return [entry(uuid, at, { role: 'user', author: 'person', text: said, toolUses: [], ...more })];
}

function readChoice(payload: Json, at: number | undefined, state: AgentState): readonly ParsedItem[] {
  const call = asString(payload.call_id);
  const text = call === undefined ? undefined : answersTo(call, payload.output, state);
  if (call === undefined || text === undefined) return [];
  const uuid = derivedId('codex', scopeOf(state), 'choice', call);
  const more = { form: 'choice', queued: 'given' } as const;
  return [entry(uuid, at, { role: 'user', author: 'person', text, toolUses: [], ...more })];
}

/** Newer versions name the origin of each part of a message; other programs vary. */
function byPerson(payload: Json, state: AgentState): boolean {
  const { content_item_metadata, content_item_kinds } = asObject(payload.internal_chat_message_metadata_passthrough);
  if (Array.isArray(content_item_kinds) && content_item_kinds.length > 0) return content_item_kinds.some(isTypedKind);
  if (!Array.isArray(content_item_metadata) || content_item_metadata.length === 0) return state.newer !== true;
  return content_item_metadata.some((part) => asObject(asObject(part).provenance).type === 'user');
}

function readShell(
  { command, failed, output }: NonNullable<ReturnType<typeof shellLine>>,
  uuid: string,
  at: number | undefined,
): readonly ParsedItem[] {
  const use = { id: uuid, tool: 'shell', input: { command }, files: [] };
  return [
    entry(uuid, at, { role: 'user', author: 'person', form: 'shell', text: `! ${command}`, toolUses: [use] }),
    { kind: 'tool-result', id: uuid, failed, output },
  ];
}

function promptEntry(
  uuid: string,
  at: number | undefined,
  text: string,
  state: AgentState,
  isQueued: boolean,
): ParsedEntry {
  // For a subagent, the thread that started it speaks.
  const author = state.subagent === true ? 'machine' : 'person';
  const continues = takeJump(state);
  return entry(uuid, at, {
    role: 'user',
    author,
    text,
    toolUses: [],
    ...(isQueued ? { queued: 'given' } : {}),
    ...(continues === undefined ? {} : { continues }),
  });
}

function readEvent(payload: Json, at: number | undefined, state: AgentState): Omit<ParsedLine, 'at'> {
  switch (payload.type) {
    case 'user_message': {
      // Older versions report the context that they give in the same way.
      if (payload.kind !== undefined && payload.kind !== 'plain') return { items: [] };
      const pictures = [payload.images, payload.local_images].flatMap((list) => (Array.isArray(list) ? list : []));
      const names = pictures.map((picture) =>
        String(picture).startsWith('data:') ? '[Image]' : pictureNamed(picture),
      );
      return { items: readPrompt(asString(payload.message) ?? '', names, at, state) };
    }
    case 'item_completed':
      return readCompleted(asObject(payload.item), at, state);
    case 'task_started':
    case 'turn_started':
      enterTurn(state, asString(payload.turn_id));
      // Later ids depend on this line, so it must stay in a copy from which something is forgotten.
      return { items: [{ kind: 'header' }] };
    case 'thread_rolled_back':
      rollBack(state, payload.num_turns);
      return { items: [{ kind: 'header' }] };
    case 'thread_name_updated': {
      const title = asString(payload.thread_name)?.trim();
      // A fork of an old file copies the events of its origin.
      const isOwn = (payload.thread_id ?? state.thread) === state.thread;
      return { items: isOwn && title ? [{ kind: 'title', title, by: 'agent' }] : [] };
    }
    case 'exec_command_end':
    case 'patch_apply_end':
    case 'mcp_tool_call_end': {
      const result = readEnd(payload.type, payload, state);
      return { items: result === undefined ? [] : [result] };
    }
    default:
      return { items: [], ...unknownKind(idleEvents, payload.type, 'event_msg ') };
  }
}

function readCompleted(item: Json, at: number | undefined, state: AgentState): Omit<ParsedLine, 'at'> {
  switch (item.type) {
    case 'UserMessage': {
      const { text, pictures } = contentOf(item.content);
      return { items: readPrompt(text, pictures, at, state) };
    }
    case 'CommandExecution':
    case 'FileChange':
    case 'CollabAgentToolCall':
    case 'DynamicToolCall':
    case 'McpToolCall': {
      const made = readScriptCall(item, failedIn(item.type, item));
      if (made !== undefined) return { items: [callEntry([made.use], made.use.id, at, state), made.result] };
      const result = readEnd(item.type, item, state);
      return { items: result === undefined ? [] : [result] };
    }
    default:
      return { items: [], ...unknownKind(idleThreadItems, item.type, 'item ') };
  }
}

function readPrompt(
  message: string,
  pictures: readonly string[],
  at: number | undefined,
  state: AgentState,
): readonly ParsedItem[] {
  state.events = true;
  const answers = answersIn(message);
  const text = [answers ?? typedText(message, true), ...pictures].filter((part) => part !== '').join('\n');
  // Not everything that a migration reports as a prompt was one in the file before.
  if (text === '' && message.trim() !== '') return [];
  const isQueued = promptsInTurn(state) > 0;
  const uuid = idOf(state, 'users', undefined);
  if (text === '') return [];
  const prompt = promptEntry(uuid, at, text, state, isQueued || answers !== undefined);
  return [...withdrawEarly(state, message), answers === undefined ? prompt : { ...prompt, form: 'choice' }];
}

/**
 * Version 0.20: the header, then what the model saw, without times. All of it counts as said when the session began.
 */
function readBare(line: Json, state: AgentState): ParsedLine {
  if (line.type === undefined && line.record_type === undefined) {
    const [id, at] = [asString(line.id), asTime(line.timestamp)];
    if (id === undefined) return { at, items: [] };
    state.bare = true;
    state.thread = id;
    if (at !== undefined) state.begun = at;
    const git = asObject(line.git);
    const [branch, repository] = [asString(git.branch), asString(git.repository_url)];
    return { at, items: [{ kind: 'header', session: id, cwd: asString(line.cwd), branch, repository }] };
  }
  if (typeof line.type !== 'string') return { items: [] };
  state.bare = true;
  const at = typeof state.begun === 'number' ? state.begun : undefined;
  const cwd = line.role === 'user' ? folderIn(contentOf(line.content).text) : undefined;
  const { items, unknown } = readItem(line, {}, at, state);
  return { at, items: cwd === undefined ? items : [{ kind: 'header', cwd }, ...items], unknown };
}

/** Only the client's message to the model names the folder. */
const folderIn = (text: string): string | undefined =>
  text.startsWith('<environment_context>')
    ? (/<cwd>([^<\n]+)<\/cwd>/.exec(text) ?? /Current working directory: ([^\n]+)/.exec(text))?.[1]
    : undefined;
