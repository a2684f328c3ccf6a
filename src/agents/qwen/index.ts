// Qwen Code: ~/.qwen/projects/<folder>/chats/<session>.jsonl, subagents in
// subagents/<session>/agent-<role>-<call>.jsonl. Lines are nearly Claude Code's, a tree by parentUuid; messages are in
// the form of Google's API.

import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Agent, ParsedEntry, ParsedItem, ParsedLine, TranscriptFile } from '../agent.ts';
import { readMessage } from '../gemini/messages.ts';
import { filesOfArgs, isClients, promptOfParts, responsesIn, textOfParts } from '../google-parts.ts';
import { readHookPayload } from '../hook-payload.ts';
import { asObject, asString, asTime, isEmpty } from '../json.ts';
import { isPulledBy, readAbout } from '../pulled-lines.ts';
import { unknownKind } from '../unknown-kind.ts';
import { carryIntoQwen } from './carry.ts';
import { qwenHooks, qwenMcp } from './install.ts';
import { qwenHome, qwenPull, wholeKey } from './pull.ts';

type Json = Record<string, unknown>;

export const qwen: Agent = {
  name: 'qwen',
  readerVersion: 3,
  title: agentTitles.qwen,
  idKey: 'uuid',

  root: (env, home) => path.join(qwenHome(env, home), 'projects'),

  pull: qwenPull,

  // A ledger of prompts may be beside a session.
  isTranscript: (key) =>
    wholeKey.test(key) ||
    /(?:^|\/)(?:chats\/(?:archive\/)?[^/]+|subagents\/[^/]+\/agent-[^/]+)(?<!\.ledger)\.jsonl$/.test(key),

  recognises: (lines) => {
    if (isPulledBy('qwen', lines)) return true;
    const [first] = lines;
    const { uuid, sessionId, message, provenance, type } = asObject(first);
    const isQwen = Array.isArray(asObject(message).parts) || typeof provenance === 'string';
    return isQwen && [uuid, sessionId, type].every((field) => typeof field === 'string');
  },

  describe(key) {
    const [, session, name] = /(?:^|\/)subagents\/([^/]+)\/agent-([^/]+)\.jsonl$/.exec(key) ?? [];
    return session === undefined || name === undefined
      ? { session: path.posix.basename(key, '.jsonl').replace(/^whole-/, '') }
      : { session, subagent: name };
  },

  retells: ({ subtype }) => retelling.has(subtype),
  cannotMatter: (line) => line.includes('"subtype":"ui_telemetry"') && !line.includes('"type":"user"'),

  read(value, file) {
    const line = asObject(value);
    const at = asTime(line.timestamp);
    const uuid = asString(line.uuid);
    if (wholeKey.test(file.key))
      return {
        at,
        items: readAbout(line) ?? [],
        ...(line.type === 'message' ? readMessage(asObject(line.message), at, file.state) : {}),
      };
    if (typeof line.type !== 'string' || uuid === undefined) return { at, items: [] };
    return { at, ...readLine(line, line.type, uuid, at, file) };
  },

  readHook: readHookPayload,
  hooks: qwenHooks,
  mcp: qwenMcp,
  carry: carryIntoQwen,

  resume: (session) => ['qwen', '--resume', session],
};

function readLine(
  line: Json,
  type: string,
  uuid: string,
  at: number | undefined,
  file: TranscriptFile,
): Omit<ParsedLine, 'at'> {
  const place = {
    session: asString(line.sessionId),
    cwd: asString(line.cwd),
    branch: branchOf(line.gitBranch),
    forkOf: asString(asObject(line.forkedFrom).sessionId),
  };
  const { parts } = asObject(line.message);
  switch (type) {
    case 'user':
      return { items: [...resultsOf(parts, line), ...readPrompt(line, { uuid, at, ...place }, file)] };
    case 'assistant': {
      const toolUses = callsIn(parts, uuid);
      const text = textOfParts(parts ?? []);
      const said = { role: 'assistant', author: 'model', text, toolUses } as const;
      return { items: isEmpty(said) ? [] : [{ kind: 'entry', uuid, at, ...place, ...said }] };
    }
    case 'tool_result':
      return { items: resultsOf(parts, line) };
    case 'system':
      return readSystem(line, { uuid, at, ...place });
    default:
      return { items: [], unknown: type };
  }
}

const branchOf = (branch: unknown): string | undefined => (branch === 'HEAD' ? undefined : asString(branch));

type Where = Pick<ParsedEntry, 'uuid' | 'at' | 'session' | 'cwd' | 'branch' | 'forkOf'>;

function readPrompt(line: Json, where: Where, file: TranscriptFile): readonly ParsedItem[] {
  // Newer versions also say what was typed: the message may contain whole files that the person named.
  const display = asString(asObject(line.systemPayload).displayText);
  const text = promptOfParts(display ?? asObject(line.message).parts ?? []);
  if (text === '') return [];
  const isMidTurn = line.subtype === 'mid_turn_user_message';
  const inSubagent = line.isSidechain === true || qwen.describe(file.key).subagent !== undefined;
  const isTyped =
    line.provenance === undefined ? line.subtype === undefined || isMidTurn : line.provenance === 'real_user';
  const author = isTyped && !inSubagent && !machineMade.test(text) && !isClients(text) ? 'person' : 'machine';
  const said = { role: 'user', author, text, toolUses: [], continues: asString(line.parentUuid) } as const;
  return [{ kind: 'entry', ...where, ...said, ...(isMidTurn ? { queued: 'given' } : {}) }];
}

const machineMade = /^<(?:task-notification|system-reminder|session_context|state_snapshot)/;

function callsIn(parts: unknown, uuid: string) {
  return (Array.isArray(parts) ? parts : []).flatMap((part, index) => {
    const { functionCall } = asObject(part);
    if (functionCall === undefined) return [];
    const { id, name, args } = asObject(functionCall);
    return [
      {
        id: asString(id) ?? `${uuid}#${index}`,
        tool: asString(name) ?? 'unknown',
        input: args,
        files: filesOfArgs(args),
      },
    ];
  });
}

function resultsOf(parts: unknown, line: Json): ParsedItem[] {
  const { callId, status } = asObject(line.toolCallResult);
  return responsesIn(parts ?? []).flatMap(({ id, failed, output }) => {
    const use = id ?? asString(callId);
    const ended = status === 'error' || status === 'cancelled' || failed;
    return use === undefined ? [] : [{ kind: 'tool-result', id: use, failed: ended, output } as const];
  });
}

const idle: ReadonlySet<unknown> = new Set(
  (
    'ui_telemetry attribution_snapshot notification rewind branch_checkpoint file_history_snapshot at_command ' +
    'parent_session slash_command custom_title session_artifact_event cron mid_turn_user_message session_model turn_result goal_runtime'
  ).split(' '),
);

/** The history after a compression begins with its summary, before the messages that stay. */
const summaryIn = (history: unknown): string | undefined =>
  (Array.isArray(history) ? history.slice(0, 4) : [])
    .map((content) => textOfParts(asObject(content).parts))
    .find((text) => text.includes('<state_snapshot>'))
    ?.trim();

const retelling: ReadonlySet<unknown> = new Set(
  'attribution_snapshot chat_compression notification file_history_snapshot goal_runtime turn_result'.split(' '),
);

function readSystem(line: Json, where: Where): Omit<ParsedLine, 'at'> {
  const payload = asObject(line.systemPayload);
  const { subtype } = line;
  if (subtype === 'custom_title') {
    const title = asString(payload.customTitle) ?? asString(payload.title);
    return {
      items:
        title === undefined ? [] : [{ kind: 'title', title, by: payload.titleSource === 'auto' ? 'agent' : 'person' }],
    };
  }
  if (subtype === 'slash_command') {
    const text = asString(payload.rawCommand);
    const isTyped = text?.startsWith('/') === true && (payload.phase === undefined || payload.phase === 'invocation');
    const said = { role: 'user', author: 'person', form: 'command', text: text ?? '', toolUses: [] } as const;
    return { items: isTyped ? [{ kind: 'entry', ...where, ...said }] : [] };
  }
  if (subtype === 'chat_compression') {
    const text = summaryIn(payload.compressedHistory);
    const said = { role: 'assistant', author: 'machine', form: 'compaction', text: text ?? '', toolUses: [] } as const;
    return { items: text === undefined ? [] : [{ kind: 'entry', ...where, ...said }] };
  }
  if (subtype === 'parent_session') {
    const forkOf = asString(payload.parentSessionId) ?? asString(payload.sessionId);
    return { items: forkOf === undefined ? [] : [{ kind: 'fact', fact: 'fork-of', value: forkOf }] };
  }
  return { items: [], ...unknownKind(idle, subtype, 'system ') };
}
