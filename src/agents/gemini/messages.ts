// What a message yields, in the form of Gemini CLI and of Qwen Code's first versions.
import type { AgentState, ParsedItem, ParsedLine } from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { filesOfArgs, hasFailed, isClients, promptOfParts, responsesIn, textOfParts } from '../google-parts.ts';
import { asObject, asString, asTime } from '../json.ts';
import { jumpTo, takeJump } from '../jump.ts';
import { unknownKind } from '../unknown-kind.ts';

type Json = Record<string, unknown>;

const rememberedIds = 100;

const idsOf = (state: AgentState): string[] => (typeof state.ids === 'string' ? state.ids.split(' ') : []);

function noteId(state: AgentState, id: string): void {
  const ids = idsOf(state);
  if (!/^[\w-]{1,64}$/.test(id) || ids.includes(id)) return;
  if (ids.length === rememberedIds) state.idsAreCut = true;
  state.ids = [...ids, id].slice(-rememberedIds).join(' ');
}

/** A message and all after it were taken back: the next one continues from the one before. */
export function rewind(state: AgentState, to: string | undefined): void {
  const ids = idsOf(state);
  if (to === undefined || !ids.includes(to)) return;
  const left = ids.slice(0, ids.indexOf(to));
  // If ids were forgotten here, they may be what is left.
  if (left.length === 0 && state.idsAreCut === true) return;
  if (left.length > 0) state.ids = left.join(' ');
  else delete state.ids;
  jumpTo(state, left.at(-1));
}

/** States of a call that has not ended. */
const open: ReadonlySet<unknown> = new Set(['validating', 'scheduled', 'executing', 'awaiting_approval']);

const idle: ReadonlySet<unknown> = new Set(['info', 'error', 'warning']);

export function readMessage(line: Json, at: number | undefined, state: AgentState): Omit<ParsedLine, 'at'> {
  const id = asString(line.id);
  if (typeof line.type !== 'string' || id === undefined) return { items: [] };
  if (line.type === 'user') return { items: readPrompt(line, id, at, state) };
  if (line.type === 'gemini' || line.type === 'qwen') return { items: readAnswer(line, id, at, state) };
  return { items: [], ...unknownKind(idle, line.type) };
}

function readPrompt(line: Json, id: string, at: number | undefined, state: AgentState): readonly ParsedItem[] {
  // Responses to calls are also stored with the calls.
  const text = promptOfParts(line.displayContent ?? line.content);
  if (text === '' || text.startsWith('<session_context>')) return [];
  noteId(state, id);
  const author = state.subagent === true || isClients(text) ? 'machine' : 'person';
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
