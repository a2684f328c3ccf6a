// Gemini CLI. Until 0.38 one JSON file per session, rewritten whole: see pull.ts. Since 0.39
// ~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl, subagents in chats/<session>/<id>.jsonl. A message is
// appended again, under the same id, when its tools are done; results come a second time as messages of the user;
// checkpoints repeat everything.

import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Agent, AgentState, ParsedItem, TranscriptFile } from '../agent.ts';
import { readHookPayload } from '../hook-payload.ts';
import { asObject, asString, asTime } from '../json.ts';
import { isPulledBy, readAbout } from '../pulled-lines.ts';
import { unknownKind } from '../unknown-kind.ts';
import { geminiUsage } from '../usage.ts';
import { carryIntoGemini } from './carry.ts';
import { geminiHooks, geminiMcp } from './install.ts';
import { readMessage, rewind } from './messages.ts';
import { geminiPull } from './pull.ts';

type Json = Record<string, unknown>;

export const gemini: Agent = {
  name: 'gemini',
  readerVersion: 3,
  title: agentTitles.gemini,
  idKey: 'id',
  usage: geminiUsage,

  root: (env, home) => path.join(env.GEMINI_CLI_HOME || home, '.gemini', 'tmp'),

  pull: geminiPull,

  isTranscript: (key) => /(?:^|\/)chats\/(?:[^/]+\/)?[^/]+\.jsonl$|^(?:[^/]+\/subagents\/)?[^/]+\.jsonl$/.test(key),

  isStarted: (key) => startedBy(key) !== undefined || /^[^/]+\/subagents\//.test(key),

  recognises(lines) {
    const [first] = lines;
    if (isPulledBy('gemini', lines)) return true;
    const { sessionId, projectHash, startTime, kind } = asObject(first);
    return [sessionId, startTime, projectHash ?? kind].every((field) => typeof field === 'string');
  },

  describe: (key) => ({ session: path.posix.basename(key, '.jsonl') }),

  mayHold: (key, session) => /(?:^|\/)session-[\dT-]+-([0-9a-f]{8})\.jsonl$/.exec(key)?.[1] === session.slice(0, 8),

  folderFile(key) {
    const inChats = /(?:^|\/)chats\/(?:([^/]+)\/)?[^/]+\.jsonl$/.exec(key);
    if (inChats === null) return undefined;
    return inChats[1] === undefined ? '../.project_root' : '../../.project_root';
  },

  cannotMatter: (line) => line.length < 60 && line.includes('{"$set":{"lastUpdated":"'),

  read(value, file) {
    const line = asObject(value);
    const at = asTime(line.timestamp) ?? asTime(line.startTime);
    if (line.type === 'message') return { at, ...readMessage(asObject(line.message), at, file.state) };
    const about = readAbout(line);
    if (about !== undefined) {
      if (about.some((item) => item.kind === 'header' && item.subagent !== undefined)) file.state.subagent = true;
      return { at, items: about };
    }
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

/** Changes to what came before. A patch hides outputs from the model, or puts messages in another order. */
const changes: ReadonlySet<unknown> = new Set(['$set', '$patch', '$rewindTo']);
