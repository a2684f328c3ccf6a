// Codex's tools: what was asked for, and whether it succeeded. No status field says that a command failed; only its
// exit code does.
import type { AgentState, ParsedToolResult, ParsedToolUse } from '../agent.ts';
import { asObject, asString, parsedJson, textsAt } from '../json.ts';
import { patchedFiles } from '../patched-files.ts';
import { patchOf, scriptUses } from './scripts.ts';

type Json = Record<string, unknown>;

/** What a call does; a script may do several things. `newId`: for calls without an id. */
export function readCall(payload: Json, state: AgentState, newId: () => string): readonly ParsedToolUse[] {
  const id = asString(payload.call_id) ?? asString(payload.id) ?? newId();
  switch (payload.type) {
    case 'function_call': {
      const input = argumentsIn(payload.arguments);
      return [{ id, tool: nameOf(payload), input, files: filesOf(input) }];
    }
    case 'custom_tool_call': {
      const tool = nameOf(payload);
      if (tool === 'exec' && typeof payload.input === 'string')
        return noted(scriptUses(id, payload.input, state), state);
      return [{ id, tool, input: { input: payload.input }, files: patchedFiles(payload.input) }];
    }
    case 'local_shell_call':
      return [{ id, tool: 'local_shell', input: payload.action, files: [] }];
    case 'web_search_call':
      return [{ id, tool: 'web_search', input: payload.action, files: [] }];
    default:
      return [];
  }
}

function noted(uses: readonly ParsedToolUse[], state: AgentState): readonly ParsedToolUse[] {
  const [first, second] = uses;
  if (first !== undefined && second !== undefined) remember(state, 'patched', first.id);
  return uses;
}

/** Names tools of MCP servers as other clients do; older versions write `server__tool`. */
function nameOf({ name, namespace }: Json): string {
  const [tool, space] = [asString(name) ?? 'unknown', asString(namespace)];
  if (space?.startsWith('mcp__')) return `${space.replace(/_+$/, '')}__${tool.replace(/^_+/, '')}`;
  return tool.startsWith('holdfast__') ? `mcp__${tool}` : tool;
}

const argumentsIn = (text: unknown): unknown =>
  typeof text === 'string' ? (parsedJson(text) ?? { arguments: text }) : text;

function filesOf(input: unknown): string[] {
  const { command, cmd } = asObject(input);
  const named = textsAt(input, ['path', 'file_path']);
  const script = [command, cmd].flat().find((part) => isPatch(part));
  return [...named, ...(script === undefined ? [] : patchedFiles(script))];
}

const isPatch = (text: unknown): boolean => typeof text === 'string' && text.includes('*** Begin Patch');

/**
 * What the model was told about a call's end. If it waited for a command in several calls, the result also goes to the
 * first of them.
 */
export function readOutput(payload: Json, state: AgentState): ParsedToolResult[] {
  const id = asString(payload.call_id);
  if (id === undefined) return [];
  const text = textOf(payload.output);
  const { output, failed, ended } = judged(text, payload.output);
  const own: ParsedToolResult = { kind: 'tool-result', id, failed: failed || remembers(state, 'failed', id), output };
  const started = startedIn(headOf(text));
  if (started !== undefined && find(state, 'running', started) === undefined)
    remember(state, 'running', `${started}:${id}`);
  const waitedFor = find(state, 'waits', id);
  const first = ended && waitedFor !== undefined ? find(state, 'running', waitedFor) : undefined;
  const results = first === undefined ? [own] : [own, { ...own, id: first, failed }];
  const patches = results.filter((result) => remembers(state, 'patched', result.id));
  // The patch in a script fails only with the whole script, not with a command beside it.
  const patchFailed = text.startsWith('Script failed');
  return [...results, ...patches.map((result) => ({ ...result, id: patchOf(result.id), failed: patchFailed }))];
}

/** A command or script that continues after its call has returned. */
function startedIn(head: string): string | undefined {
  const process = /^Process running with session ID (\d{1,12})$/m.exec(head)?.[1];
  const cell = /^Script running with cell ID ([\w-]{1,60})$/m.exec(head)?.[1];
  return process ?? (cell === undefined ? undefined : cellOf(cell));
}

const cellOf = (id: string): string => `cell-${id}`;

/** A call that continues a running command. */
export function noteWait({ id, tool, input }: ParsedToolUse, state: AgentState): void {
  const { session_id, cell_id } = asObject(input);
  if (tool === 'write_stdin' && typeof session_id === 'number') remember(state, 'waits', `${id}:${session_id}`);
  if (tool === 'wait' && asString(cell_id) !== undefined) remember(state, 'waits', `${id}:${cellOf(String(cell_id))}`);
}

function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output))
    return output
      .map((part) => asString(asObject(part).text))
      .filter((text) => text !== undefined)
      .join('\n');
  return asString(asObject(output).content) ?? asString(asObject(output).body) ?? '';
}

interface Judged {
  readonly output: string;
  readonly failed: boolean;
  /** The command has ended, with an exit code. */
  readonly ended: boolean;
}

const patchVerdict = /^(?:\{"output":|Exit code: |apply_patch verification failed)/;

function judged(text: string, raw: unknown): Judged {
  if (asObject(raw).success === false) return { output: text, failed: true, ended: false };
  if (text.startsWith('{"output"')) {
    const { output, metadata } = asObject(parsedJson(text));
    const { exit_code } = asObject(metadata);
    if (typeof output === 'string')
      return { output, failed: typeof exit_code === 'number' && exit_code !== 0, ended: true };
  }
  const head = headOf(text);
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(head)?.[1];
  const body = head === '' ? text : text.slice(head.length);
  if (code !== undefined) return { output: body, failed: code !== '0', ended: true };
  // A patch that Codex takes out of a command has the head of the command, and its own verdict after it.
  if (/^Wall time[^\n]*\nOutput:/.test(head) && patchVerdict.test(body)) return judged(body, raw);
  if (head.startsWith('Script '))
    return { output: body, failed: scriptFailed(head, body), ended: !head.startsWith('Script running') };
  return { output: body, failed: saysFailure.test(text), ended: false };
}

/** The lines that Codex puts before the output of a command or script, up to `Output:`. Some versions repeat the command first. */
function headOf(text: string): string {
  const from = text.startsWith('Command: ') ? text.slice(0, longestCommand).search(/^Chunk ID: /m) : 0;
  const head = from < 0 ? undefined : headLines.exec(text.slice(from))?.[0];
  return head === undefined ? '' : text.slice(0, from + head.length);
}

const longestCommand = 20_000;
const headLines =
  /^(?:(?:Chunk ID|Wall time|Process exited|Process running|Original token count|Exit code|Total output lines|Script completed|Script failed|Script running|Script terminated)[^\n]{0,200}\n){1,8}Output:\n?/;

/** A script succeeds although a command in it failed; it often prints the command's result as JSON. */
const scriptFailed = (head: string, body: string): boolean =>
  /^Script (?:failed|terminated)/.test(head) || printedFailure.test(body.slice(0, longestCommand));

const printedFailure =
  /^[^\S\n]*\{\s*(?:"(?:chunk_id|wall_time_seconds|session_id)":[^,\n]{1,60},\s*){0,3}"exit_code":\s*-?[1-9]/m;

/** How outputs begin that are the client's own words about a failure. */
const saysFailure =
  /^(?:apply_patch verification failed|(?:exec_command|write_stdin|shell|view_image|apply_patch) failed|failed to|aborted(?: by user|$)|execution (?:error|denied)|unsupported (?:custom tool )?call|tool call error|tool call failed|err: |error: |script error:|command (?:timed out|failed|blocked)|sandbox (?:error|denied)|approval (?:required by policy|policy is|request (?:aborted|failed|denied))|this action was rejected|user (?:rejected|cancelled|declined)|unknown agent_type|request_user_input (?:is unavailable|was cancelled)|collab \w{1,20} failed|agent (?:depth|thread) limit|patch detected without|[^\n]{0,400}\brejected(?::| by (?:the )?user| by configuration))/i;

/** Events about the end of a call, which contain more than the model was told. */
export function readEnd(kind: unknown, item: Json, state: AgentState): ParsedToolResult | undefined {
  const id = asString(item.call_id) ?? asString(item.id);
  const failed = id === undefined ? undefined : failedIn(kind, item);
  if (id === undefined || failed === undefined) return undefined;
  if (failed) remember(state, 'failed', id);
  // Only commands have an output here; other outputs come with the line that tells the model.
  const output = asString(item.aggregated_output) ?? asString(item.formatted_output);
  return output === undefined ? undefined : { kind: 'tool-result', id, failed, output };
}

export function failedIn(kind: unknown, item: Json): boolean | undefined {
  if (kind === 'CommandExecution' || kind === 'exec_command_end')
    return typeof item.exit_code === 'number' ? item.exit_code !== 0 : isBad(item.status) ? true : undefined;
  if (kind === 'FileChange') return isBad(item.status);
  if (kind === 'patch_apply_end') return item.success === false;
  if (kind === 'McpToolCall') return item.status === 'failed' || item.error != null || isMcpError(item.result);
  if (kind === 'CollabAgentToolCall') return isBad(item.status);
  if (kind === 'DynamicToolCall') return isBad(item.status) || item.success === false;
  if (kind === 'mcp_tool_call_end') return asObject(item.result).Err !== undefined || isMcpError(item.result);
  return undefined;
}

const isBad = (status: unknown): boolean => status === 'failed' || status === 'declined';

function isMcpError(result: unknown): boolean {
  const inner = asObject(asObject(result).Ok ?? result);
  return inner.isError === true || inner.is_error === true;
}

type List = 'failed' | 'running' | 'waits' | 'patched' | 'asked';

const longestList = 16;

const listed = (state: AgentState, list: List): string[] =>
  typeof state[list] === 'string' ? state[list].split(' ') : [];

export function remember(state: AgentState, list: List, item: string): void {
  if (/^[^ ]{1,200}$/.test(item)) state[list] = [...listed(state, list), item].slice(-longestList).join(' ');
}

export const remembers = (state: AgentState, list: List, item: string): boolean => listed(state, list).includes(item);

/** The value of the last `name:value` of a list with this name. */
const find = (state: AgentState, list: List, name: string): string | undefined =>
  listed(state, list)
    .findLast((item) => item.startsWith(`${name}:`))
    ?.slice(name.length + 1);
