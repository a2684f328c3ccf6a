// Codex's tools: what was asked for, and whether it succeeded. No status field says that a command failed; only its
// exit code does.
import type { AgentState, ParsedToolResult, ParsedToolUse } from '../agent.ts';
import { asObject, asString, parsedJson, textsAt } from '../json.ts';

type Json = Record<string, unknown>;

/** `newId`: for calls without an id. */
export function readCall(payload: Json, newId: () => string): ParsedToolUse | undefined {
  const id = asString(payload.call_id) ?? asString(payload.id) ?? newId();
  switch (payload.type) {
    case 'function_call': {
      const input = argumentsIn(payload.arguments);
      return { id, tool: nameOf(payload), input, files: filesOf(input) };
    }
    case 'custom_tool_call':
      return { id, tool: nameOf(payload), input: { input: payload.input }, files: patchedFiles(payload.input) };
    case 'local_shell_call':
      return { id, tool: 'local_shell', input: payload.action, files: [] };
    case 'web_search_call':
      return { id, tool: 'web_search', input: payload.action, files: [] };
    default:
      return undefined;
  }
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
  const script = Array.isArray(command) ? command.find((part) => isPatch(part)) : cmd;
  return [...named, ...(isPatch(script) ? patchedFiles(script) : [])];
}

const isPatch = (text: unknown): boolean => typeof text === 'string' && text.includes('*** Begin Patch');

const mostFiles = 200;

function patchedFiles(patch: unknown): string[] {
  if (typeof patch !== 'string') return [];
  const files = new Set<string>();
  for (const [, file = ''] of patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)) {
    if (files.size === mostFiles) break;
    files.add(file.trim());
  }
  return [...files];
}

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
  const process = /^Process running with session ID (\d{1,12})$/m.exec(headOf(text))?.[1];
  if (process !== undefined && find(state, 'running', process) === undefined)
    remember(state, 'running', `${process}:${id}`);
  const waitedFor = find(state, 'waits', id);
  const first = ended && waitedFor !== undefined ? find(state, 'running', waitedFor) : undefined;
  return first === undefined ? [own] : [own, { kind: 'tool-result', id: first, failed, output }];
}

/** A call that continues a running command. */
export function noteWait({ id, tool, input }: ParsedToolUse, state: AgentState): void {
  const { session_id } = asObject(input);
  if (tool === 'write_stdin' && typeof session_id === 'number') remember(state, 'waits', `${id}:${session_id}`);
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
  if (head.startsWith('Script ')) return { output: body, failed: scriptFailed(head, body), ended: false };
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
  /^(?:(?:Chunk ID|Wall time|Process exited|Process running|Original token count|Exit code|Total output lines|Script completed|Script failed)[^\n]{0,200}\n){1,8}Output:\n?/;

/** A script succeeds although a command in it failed; it often prints the command's result as JSON. */
const scriptFailed = (head: string, body: string): boolean =>
  head.startsWith('Script failed') || /^\s*\{"exit_code":-?[1-9]/.test(body.slice(0, 200));

/** How outputs begin that are the client's own words about a failure. */
const saysFailure =
  /^(?:apply_patch verification failed|(?:exec_command|write_stdin|shell|view_image|apply_patch) failed|failed to|aborted by user|execution error|unsupported call|tool call error|tool call failed|err: |error: |command (?:timed out|failed)|sandbox error|patch rejected|exec (?:rejected|denied))/i;

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

function failedIn(kind: unknown, item: Json): boolean | undefined {
  if (kind === 'CommandExecution' || kind === 'exec_command_end')
    return typeof item.exit_code === 'number' ? item.exit_code !== 0 : item.status === 'failed' ? true : undefined;
  if (kind === 'FileChange') return item.status === 'failed' || item.status === 'declined';
  if (kind === 'patch_apply_end') return item.success === false;
  if (kind === 'McpToolCall') return item.status === 'failed' || item.error != null || isMcpError(item.result);
  if (kind === 'mcp_tool_call_end') return asObject(item.result).Err !== undefined || isMcpError(item.result);
  return undefined;
}

function isMcpError(result: unknown): boolean {
  const inner = asObject(asObject(result).Ok ?? result);
  return inner.isError === true || inner.is_error === true;
}

type List = 'failed' | 'running' | 'waits';

const longestList = 16;

const listed = (state: AgentState, list: List): string[] =>
  typeof state[list] === 'string' ? state[list].split(' ') : [];

function remember(state: AgentState, list: List, item: string): void {
  if (/^[^ ]{1,200}$/.test(item)) state[list] = [...listed(state, list), item].slice(-longestList).join(' ');
}

const remembers = (state: AgentState, list: List, item: string): boolean => listed(state, list).includes(item);

/** The value of the last `name:value` of a list with this name. */
const find = (state: AgentState, list: List, name: string): string | undefined =>
  listed(state, list)
    .findLast((item) => item.startsWith(`${name}:`))
    ?.slice(name.length + 1);
