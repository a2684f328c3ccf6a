// Gemini CLI. Until 0.38 one JSON file per session, rewritten whole: see pull.ts. Since 0.39
// ~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl, subagents in chats/<session>/<id>.jsonl. A message is
// appended again, under the same id, when its tools are done; results come a second time as messages of the user;
// checkpoints repeat everything.

import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Agent, AgentState, ParsedItem, ParsedLine, TranscriptFile } from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { filesOfArgs, hasFailed, promptOfParts, responsesIn, textOfParts } from '../google-parts.ts';
import { readHookPayload } from '../hook-payload.ts';
import { asObject, asString, asTime } from '../json.ts';
import { jumpTo, takeJump } from '../jump.ts';
import { isPulledBy, readAbout } from '../pulled-lines.ts';
import { unknownKind } from '../unknown-kind.ts';
import { geminiUsage } from '../usage.ts';
import { carryIntoGemini } from './carry.ts';
import { geminiHooks, geminiMcp } from './install.ts';
import { geminiPull } from './pull.ts';

type Json = Record<string, unknown>;

export const gemini: Agent = {
  name: 'gemini',
  readerVersion: 2,
  title: agentTitles.gemini,
  idKey: 'id',
  usage: geminiUsage,

  root: (env, home) => path.join(env.GEMINI_CLI_HOME || home, '.gemini', 'tmp'),

  pull: geminiPull,

  isTranscript: (key) => /(?:^|\/)chats\/(?:[^/]+\/)?[^/]+\.jsonl$|^[^/]+\.jsonl$/.test(key),

  isStarted: (key) => startedBy(key) !== undefined,

  recognises(lines) {
    const [first] = lines;
    if (isPulledBy('gemini', lines)) return true;
    const { sessionId, projectHash, startTime, kind } = asObject(first);
    return [sessionId, startTime, projectHash ?? kind].every((field) => typeof field === 'string');
  },

  describe: (key) => ({ session: path.posix.basename(key, '.jsonl') }),

  mayHold: (key, session) => /(?:^|\/)session-[\dT-]+-([0-9a-f]{8})\.jsonl$/.exec(key)?.[1] === session.slice(0, 8),

  cannotMatter: (line) => line.length < 60 && line.includes('{"$set":{"lastUpdated":"'),

  read(value, file) {
    const line = asObject(value);
    const at = asTime(line.timestamp) ?? asTime(line.startTime);
    if (line.type === 'message') return { at, ...readMessage(asObject(line.message), at, file.state) };
    const about = readAbout(line);
    if (about !== undefined) return { at, items: about };
    if (line.$set !== undefined) return { at, items: readChange(asObject(line.$set), file.state) };
    const change = Object.keys(line).find((name) => name.startsWith('$'));
    if (line.$rewindTo !== undefined) rewind(file.state, asString(line.$rewindTo));
    else if (change !== undefined) return { at, items: [], ...unknownKind(changes, change) };
    else if (line.sessionId !== undefined) return { at, items: readHeader(line, file) };
    else if (line.type !== undefined) return { at, ...readMessage(line, at, file.state) };
    return { at, items: [] };
  },

  readHook: readHookPayload,
  hooks: geminiHooks,
  mcp: geminiMcp,
  carry: carryIntoGemini,

  resume: (session) => ['gemini', '--resume', session],
};

const startedBy = (key: string): string | undefined => /(?:^|\/)chats\/([^/]+)\/[^/]+$/.exec(key)?.[1];

function readHeader(line: Json, { key, state }: TranscriptFile): readonly ParsedItem[] {
  const session = asString(line.sessionId);
  const [cwd] = Array.isArray(line.directories) ? line.directories : [];
  const isSubagent = line.kind === 'subagent';
  if (isSubagent) state.subagent = true;
  const title = asString(line.summary);
  return [
    {
      kind: 'header',
      session,
      cwd: asString(cwd),
      parent: isSubagent ? startedBy(key) : undefined,
      subagent: isSubagent ? 'subagent' : undefined,
    },
    ...(title === undefined ? [] : [{ kind: 'title', title, by: 'agent' } as const]),
  ];
}

/**
 * A checkpoint repeats what was said, under new times. Only the client's initial context is useful: it names the
 * folder.
 */
function readChange(change: Json, state: AgentState): readonly ParsedItem[] {
  const items: ParsedItem[] = [];
  const title = asString(change.summary);
  if (title !== undefined) items.push({ kind: 'title', title, by: 'agent' });
  const [first] = Array.isArray(change.messages) && state.placed !== true ? change.messages : [];
  const cwd = folderIn(asObject(first).content);
  if (cwd !== undefined) {
    state.placed = true;
    items.push({ kind: 'header', cwd });
  }
  return items;
}

function folderIn(content: unknown): string | undefined {
  const { text } = asObject(Array.isArray(content) ? content[0] : { text: content });
  return typeof text === 'string' && text.startsWith('<session_context>')
    ? /Workspace Directories:\**\n\s+- ([^\n]+)/.exec(text.slice(0, 20_000))?.[1]
    : undefined;
}

const rememberedIds = 100;

const idsOf = (state: AgentState): string[] => (typeof state.ids === 'string' ? state.ids.split(' ') : []);

function noteId(state: AgentState, id: string): void {
  const ids = idsOf(state);
  if (!/^[\w-]{1,64}$/.test(id) || ids.includes(id)) return;
  if (ids.length === rememberedIds) state.idsAreCut = true;
  state.ids = [...ids, id].slice(-rememberedIds).join(' ');
}

/** A message and all after it were taken back: the next one continues from the one before. */
function rewind(state: AgentState, to: string | undefined): void {
  const ids = idsOf(state);
  if (to === undefined || !ids.includes(to)) return;
  const left = ids.slice(0, ids.indexOf(to));
  // If ids were forgotten here, they may be what is left.
  if (left.length === 0 && state.idsAreCut === true) return;
  if (left.length > 0) state.ids = left.join(' ');
  else delete state.ids;
  jumpTo(state, left.at(-1));
}

/** Changes to what came before. A patch hides outputs from the model, or puts messages in another order. */
const changes: ReadonlySet<unknown> = new Set(['$set', '$patch', '$rewindTo']);

/** States of a call that has not ended. */
const open: ReadonlySet<unknown> = new Set(['validating', 'scheduled', 'executing', 'awaiting_approval']);

const idle: ReadonlySet<unknown> = new Set(['info', 'error', 'warning']);

function readMessage(line: Json, at: number | undefined, state: AgentState): Omit<ParsedLine, 'at'> {
  const id = asString(line.id);
  if (typeof line.type !== 'string' || id === undefined) return { items: [] };
  if (line.type === 'user') return { items: readPrompt(line, id, at, state) };
  if (line.type === 'gemini') return { items: readAnswer(line, id, at, state) };
  return { items: [], ...unknownKind(idle, line.type) };
}

function readPrompt(line: Json, id: string, at: number | undefined, state: AgentState): readonly ParsedItem[] {
  // Responses to calls are also stored with the calls.
  const text = promptOfParts(line.displayContent ?? line.content);
  if (text === '' || text.startsWith('<session_context>')) return [];
  noteId(state, id);
  const author = state.subagent === true ? 'machine' : 'person';
  const said = { session: undefined, at, cwd: undefined, role: 'user', author, text, toolUses: [] } as const;
  const continues = takeJump(state);
  return [{ kind: 'entry', uuid: id, ...said, ...(continues === undefined ? {} : { continues }) }];
}

/** The text counts when it first appears; each call counts by itself, in any copy. */
function readAnswer(line: Json, id: string, at: number | undefined, state: AgentState): readonly ParsedItem[] {
  noteId(state, id);
  const said = { kind: 'entry', session: undefined, cwd: undefined, role: 'assistant', author: 'model' } as const;
  const text = textOfParts(line.content);
  const items: ParsedItem[] = text === '' ? [] : [{ ...said, uuid: id, at, text, toolUses: [] }];
  for (const [index, call] of (Array.isArray(line.toolCalls) ? line.toolCalls : []).entries()) {
    const { id: called, name, args, result, status, resultDisplay, timestamp } = asObject(call);
    const use = asString(called) ?? `${id}#${index}`;
    const toolUses = [{ id: use, tool: toolName(asString(name)), input: args, files: filesOfArgs(args) }];
    const uuid = derivedId('gemini', id, use);
    items.push({ ...said, uuid, at: asTime(timestamp) ?? at, text: '', toolUses });
    if (status === undefined || open.has(status)) continue;
    const [response] = responsesIn(result);
    const output = response?.output ?? asString(resultDisplay) ?? '';
    const failed = status === 'error' || status === 'cancelled' || response?.failed === true || hasFailed(output);
    items.push({ kind: 'tool-result', id: use, failed, output });
  }
  return items;
}

/** Tools of MCP servers are `mcp_<server>_<tool>` here; the name that all clients use identifies ours. */
const toolName = (name: string | undefined): string =>
  name === undefined
    ? 'unknown'
    : name.replace(/^mcp_+holdfast_+/, 'mcp__holdfast__').replace(/^holdfast__/, 'mcp__holdfast__');
