// Claude Code: ~/.claude/projects/<folder>/<session>.jsonl, subagents beside or below it; about forty kinds of lines, of which few matter.
import path from 'node:path';
import type { Author } from '../schema/entry.ts';
import type { Agent, ParsedItem, ParsedLine, ParsedToolUse, TranscriptFile } from './agent.ts';
import { nothing } from './agent.ts';
import { readClaudeCodeHook } from './claude-code-events.ts';
import { claudeCodeHome } from './claude-code-home.ts';
import { claudeCodeHooks } from './claude-code-hooks.ts';
import { claudeCodeMcp } from './claude-code-mcp.ts';
import { asTyped, machineMade, typedBlocks } from './claude-code-prompt.ts';
import { leaveQueue, readQueuedCommand, readQueueLine } from './claude-code-queue.ts';
import { asObject, asString, asTime, textOfBlocks, usedTools } from './json.ts';

export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  idKey: 'uuid',

  root: (env, home) => path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), 'projects'),

  isTranscript: (key) => key.endsWith('.jsonl'),

  recognises: (lines) =>
    lines.some((line) => {
      const { sessionId, uuid, leafUuid, messageId, type } = asObject(line);
      return typeof type === 'string' && [sessionId, uuid, leafUuid, messageId].some((id) => typeof id === 'string');
    }),

  describe(key) {
    const name = path.posix.basename(key, '.jsonl');
    if (!isSubagent(key)) return { session: name };
    // Newer clients nest a subagent's file below its session; older ones put it beside, and only its lines name the session.
    const nested = /([^/]+)\/subagents\/[^/]+$/.exec(key)?.[1];
    return { session: nested ?? name, subagent: name.slice('agent-'.length) };
  },

  cannotMatter: (line) => !kindsThatMatter.some((kind) => line.includes(kind)),

  read(value, file) {
    const line = asObject(value);
    const at = asTime(line.timestamp);
    if (line.type === 'user' || line.type === 'assistant') return { at, items: readMessage(line, at, file) };
    if (line.type === 'queue-operation' || line.type === 'attachment') return { at, items: readQueued(line, file) };
    const field = titleFields.get(line.type);
    const title = field === undefined ? undefined : asString(line[field]);
    return title === undefined ? { ...nothing, at } : { at, items: [{ kind: 'title', title }] };
  },

  readHook: readClaudeCodeHook,
  hooks: claudeCodeHooks,
  mcp: claudeCodeMcp,
  home: claudeCodeHome,

  resume: (session) => ['claude', '--resume', session],
};

/** For a run of the client by ourselves: with the person's login, as if no session were around it, and without trials of its own. */
export function environmentOfOwnRun(env: NodeJS.ProcessEnv, maxOutputTokens: number): NodeJS.ProcessEnv {
  const { CLAUDECODE, CLAUDE_CODE_ENTRYPOINT, CLAUDE_CODE_SSE_PORT, CLAUDE_CODE_SESSION_ID, ...kept } = env;
  return {
    ...kept,
    CLAUDE_CODE_MAX_RETRIES: '0',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}

/** For an agent that we host: nobody is there to be asked, nothing is sent but to the model, and root is allowed, since a sandbox is around it. */
export const environmentOfHosted = (key: string): Record<string, string> => ({
  ANTHROPIC_API_KEY: key,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  IS_SANDBOX: '1',
});

const titleFields: ReadonlyMap<unknown, string> = new Map([
  ['custom-title', 'customTitle'],
  ['ai-title', 'aiTitle'],
]);

/** Asked for every line. */
const isSubagent = (key: string): boolean => key.startsWith('agent-', key.lastIndexOf('/') + 1);

const kindsThatMatter = ['user', 'assistant', 'queue-operation', 'queued_command', ...titleFields.keys()].map((kind) =>
  Buffer.from(`"${kind}"`),
);

function readQueued(line: Record<string, unknown>, file: TranscriptFile): readonly ParsedItem[] {
  if (line.isSidechain === true || isSubagent(file.key)) return [];
  if (line.type === 'queue-operation') return readQueueLine(line, file.state);
  return asObject(line.attachment).type === 'queued_command' ? readQueuedCommand(line, file.state) : [];
}

function readMessage(line: Record<string, unknown>, at: number | undefined, file: TranscriptFile): ParsedLine['items'] {
  const inSubagent = isSubagent(file.key);
  if (line.isMeta === true || (line.isSidechain === true && !inSubagent)) return [];
  const message = asObject(line.message);
  const uuid = asString(line.uuid);
  const items: ParsedItem[] = [];
  if (line.type === 'user') items.push(...toolResults(message.content));
  const { text, author, toolUses } =
    line.type === 'user' ? readPrompt(line, message, inSubagent) : readAnswer(line, message);
  if (uuid !== undefined && text !== '') {
    if (author === 'person') items.push(...leaveQueue(text, at, file.state));
    items.push({
      kind: 'entry',
      uuid,
      session: asString(line.sessionId),
      role: line.type === 'user' ? 'user' : 'assistant',
      author,
      at,
      cwd: asString(line.cwd),
      text,
      toolUses,
      // Only a prompt can leave a branch; the small forks of parallel tool calls are none.
      continues: line.type === 'user' ? asString(line.parentUuid) : undefined,
    });
  }
  return items;
}

interface Content {
  readonly text: string;
  readonly author: Author;
  readonly toolUses: readonly ParsedToolUse[];
}

function readPrompt(line: Record<string, unknown>, message: Record<string, unknown>, inSubagent: boolean): Content {
  const { blocks, own } = typedBlocks(message.content);
  // Nothing but injected text is left as it came, and marked as the machine's.
  const text = own.length > 0 ? asTyped(own.join('\n')) : blocks.join('\n').trim();
  const machine = inSubagent || own.length === 0 || line.isCompactSummary === true || !typedByPerson(line, text);
  return { text, author: machine ? 'machine' : 'person', toolUses: [] };
}

function readAnswer(line: Record<string, unknown>, message: Record<string, unknown>): Content {
  const toolUses: ParsedToolUse[] = [];
  for (const part of Array.isArray(message.content) ? message.content : []) {
    const block = asObject(part);
    const id = asString(block.id);
    const tool = asString(block.name);
    if (block.type !== 'tool_use' || id === undefined || tool === undefined) continue;
    toolUses.push({ id, tool, input: block.input, files: filesOf(block.input) });
  }
  const said = typeof message.content === 'string' ? [message.content] : textOfBlocks(message.content);
  const synthetic = message.model === '<synthetic>' || line.isApiErrorMessage === true;
  return { text: usedTools(said.join('\n').trim(), toolUses), author: synthetic ? 'machine' : 'model', toolUses };
}

function toolResults(content: unknown): ParsedItem[] {
  const items: ParsedItem[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    const block = asObject(part);
    const id = asString(block.tool_use_id);
    if (block.type !== 'tool_result' || id === undefined) continue;
    const output = typeof block.content === 'string' ? block.content : textOfBlocks(block.content).join('\n');
    items.push({ kind: 'tool-result', id, failed: block.is_error === true, output });
  }
  return items;
}

/** Newer clients say who made a prompt; for older ones its first words tell. */
function typedByPerson(line: Record<string, unknown>, text: string): boolean {
  const origin = asString(asObject(line.origin).kind);
  if (line.promptSource === 'system' || (origin !== undefined && origin !== 'human')) return false;
  if (line.promptSource === 'typed') return true;
  return !machineMade.test(text);
}

function filesOf(input: unknown): string[] {
  const { file_path, notebook_path, path: folder } = asObject(input);
  return [file_path, notebook_path, folder].filter((file) => typeof file === 'string' && file !== '') as string[];
}
