// Code mode: instead of calling tools one by one, the model writes a script for the tool `exec` that calls them. Since
// about 0.149 an event tells how each of these calls ended; before, only the script says which commands it ran.
import type { AgentState, ParsedItem, ParsedToolUse } from '../agent.ts';
import { outputOf } from '../anthropic-blocks.ts';
import { asObject, asString } from '../json.ts';
import { mostFiles, patchedFiles } from '../patched-files.ts';

type Json = Record<string, unknown>;

/** Later versions write an event for each call of a script. A migration of an older file does not add them. */
const firstWithEvents = 149;

export const tellsCalls = (version: string | undefined): boolean =>
  Number(/^0\.(\d+)/.exec(version ?? '')?.[1] ?? 0) >= firstWithEvents || /^[1-9]/.test(version ?? '');

/** What a script did, as far as its text shows it: commands and patches that it names literally. */
export function scriptUses(id: string, script: string, state: AgentState): readonly ParsedToolUse[] {
  const whole = { id, tool: 'exec', input: { input: script }, files: [] };
  if (state.tellsCalls === true || !script.includes('tools.')) return [whole];
  const literals = [...literalsIn(script)];
  const commands = textsOf(literals.filter(({ before }) => commandField.test(before)));
  const patch = textsOf(literals.filter(({ text }) => text.startsWith('*** Begin Patch')));
  const files = script.includes('apply_patch') ? patchedFiles(script) : [];
  const command = { ...whole, input: { cmd: commands, input: script } };
  const edit = { id, tool: 'apply_patch', input: { input: patch === '' ? script : patch }, files };
  if (files.length === 0) return [commands === '' ? whole : command];
  return commands === '' ? [edit] : [command, { ...edit, id: patchOf(id) }];
}

const textsOf = (literals: readonly { readonly text: string }[]): string => literals.map(({ text }) => text).join('\n');

/** The id of the patch in a script that also ran commands. */
export const patchOf = (call: string): string => `${call}/patch`;

const mostLiterals = 500;

/** The string literals of a script, and the text before each. Linear: goes forward once. */
function* literalsIn(script: string): Generator<{ readonly before: string; readonly text: string }> {
  const next = /\/\/|\/\*|["'`]/g;
  for (let count = 0, found = next.exec(script); found !== null && count < mostLiterals; found = next.exec(script)) {
    const [mark] = found;
    const from = next.lastIndex;
    const isComment = mark.length > 1;
    const end = isComment ? script.indexOf(mark === '//' ? '\n' : '*/', from) : endOfLiteral(script, from, mark);
    if (end < 0) return;
    next.lastIndex = end + 1;
    if (isComment) continue;
    yield {
      before: script.slice(Math.max(0, found.index - 40), found.index),
      text: unescaped(script.slice(from, end)),
    };
    count++;
  }
}

function endOfLiteral(script: string, from: number, quote: string): number {
  for (let at = from; at < script.length; at++) {
    if (script[at] === '\\') at++;
    else if (script[at] === quote) return at;
  }
  return -1;
}

const commandField = /\b(?:cmd|command)["']?\s*:\s*$/;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const unescaped = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code: string | undefined, letter = '') =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** An event about a call that a script made; undefined for all other events. */
export function readScriptCall(item: Json, failed: boolean | undefined): ScriptCall | undefined {
  const id = asString(item.id);
  if (id === undefined || !id.startsWith('exec-') || failed === undefined) return undefined;
  const use = useOf(item, id);
  const said = asString(item.aggregated_output) ?? outputOf(asObject(item.result).content);
  const output = said === '' ? (asString(asObject(item.error).message) ?? '') : said;
  return use === undefined ? undefined : { use, result: { kind: 'tool-result', id, failed, output } };
}

interface ScriptCall {
  readonly use: ParsedToolUse;
  readonly result: Extract<ParsedItem, { kind: 'tool-result' }>;
}

function useOf(item: Json, id: string): ParsedToolUse | undefined {
  switch (item.type) {
    case 'CommandExecution': {
      const words = (Array.isArray(item.command) ? item.command : []).filter((word) => typeof word === 'string');
      const cmd = /^-l?c$/.test(words[1] ?? '') ? words[2] : words.join(' ');
      const workdir = asString(item.cwd)?.replace(/^file:\/\//, '');
      return { id, tool: 'exec_command', input: { cmd, workdir }, files: [] };
    }
    case 'FileChange': {
      const changes = Object.entries(asObject(item.changes)).slice(0, mostFiles);
      const input = ['*** Begin Patch', ...changes.flatMap(([file, change]) => patchFor(file, asObject(change)))];
      const files = changes.flatMap(([file, change]) => [file, ...movedTo(asObject(change))]);
      return { id, tool: 'apply_patch', input: { input: input.join('\n') }, files };
    }
    case 'McpToolCall': {
      const tool = `mcp__${asString(item.server) ?? 'unknown'}__${asString(item.tool) ?? 'unknown'}`;
      return { id, tool, input: item.arguments, files: [] };
    }
    default:
      return undefined;
  }
}

const movedTo = (change: Json): string[] => [change.move_path].filter((to): to is string => typeof to === 'string');

function patchFor(file: string, change: Json): string[] {
  const [diff, content] = [asString(change.unified_diff), asString(change.content)];
  if (change.type === 'add') return [`*** Add File: ${file}`, ...(content ?? '').split('\n').map((one) => `+${one}`)];
  if (change.type === 'delete') return [`*** Delete File: ${file}`];
  return [`*** Update File: ${file}`, diff ?? ''];
}
