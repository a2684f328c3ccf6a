// Claude Code: ~/.claude/projects/<folder>/<session>.jsonl, subagents beside or below it; about forty kinds of lines,
// of which few matter.
import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Author, EntryForm } from '../../schema/entry.ts';
import type { Agent, ParsedEntry, ParsedItem, ParsedLine, ParsedToolUse, TranscriptFile } from '../agent.ts';
import { nothing } from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { readHookPayload } from '../hook-payload.ts';
import { asObject, asString, asTime, textOfBlocks, textsAt } from '../json.ts';
import { unknownKind } from '../unknown-kind.ts';
import { anthropicUsage } from '../usage.ts';
import { carryIntoClaudeCode } from './carry.ts';
import { claudeCodeHome } from './home.ts';
import { claudeCodeHooks } from './hooks.ts';
import { cannotMatter, knownKinds, retells } from './kinds.ts';
import { claudeCodeMcp } from './mcp.ts';
import { asTyped, formOf, machineMade, namedPictures, typedBlocks } from './prompt.ts';
import { leaveQueue, readQueuedCommand, readQueueLine } from './queue.ts';
import { notePlans, readReplies } from './replies.ts';
import { isWarmUp } from './warm-up.ts';

export const claudeCode: Agent = {
  name: 'claude-code',
  readerVersion: 2,
  title: agentTitles['claude-code'],
  idKey: 'uuid',
  usage: anthropicUsage,

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
    // Newer clients nest a subagent's file below its session; older ones put it beside, and only its lines name the
    // session.
    const nested = /([^/]+)\/subagents\/[^/]+$/.exec(key)?.[1];
    return { session: nested ?? name, subagent: name.slice('agent-'.length) };
  },

  cannotMatter,
  retells,

  read(value, file) {
    const line = asObject(value);
    const at = asTime(line.timestamp);
    if (line.type === 'user' || line.type === 'assistant') return { at, items: readMessage(line, at, file) };
    if (line.type === 'queue-operation' || line.type === 'attachment') return { at, items: readQueued(line, file) };
    if (line.type === 'system') return { at, items: readLocalCommand(line, at, file) };
    return { at, items: readAbout(line), ...unknownKind(knownKinds, line.type) };
  },

  readHook: readHookPayload,
  hooks: claudeCodeHooks,
  mcp: claudeCodeMcp,
  home: claudeCodeHome,
  carry: carryIntoClaudeCode,

  resume: (session) => ['claude', '--resume', session],
};

/**
 * For running the client ourselves: with the person's login, as if no session were around it, and without experiments.
 */
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

/**
 * For an agent that we host: there is no person to ask, it sends data only to the model, and root is allowed because it
 * runs in a sandbox.
 */
export const environmentOfHosted = (key: string): Record<string, string> => ({
  ANTHROPIC_API_KEY: key,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  IS_SANDBOX: '1',
});

/** What a line says about its session, or about another one. */
function readAbout(line: Record<string, unknown>): readonly ParsedItem[] {
  const title = asString(line.customTitle) ?? asString(line.aiTitle);
  if (line.type === 'custom-title' && title !== undefined) return [{ kind: 'title', title, by: 'person' }];
  if (line.type === 'ai-title' && title !== undefined) return [{ kind: 'title', title, by: 'agent' }];
  // A conversation's summary may be in any later file, and names the last line of that conversation.
  const [summary, leaf] = [asString(line.summary), asString(line.leafUuid)];
  if (line.type === 'summary' && summary !== undefined && leaf !== undefined && !clientsError.test(summary))
    return [{ kind: 'title', title: summary, by: 'agent', leaf }];
  if (line.type !== 'pr-link') return nothing.items;
  const [url, repository] = [asString(line.prUrl), asString(line.prRepository)];
  return [
    ...(url === undefined ? [] : [{ kind: 'fact', fact: 'link', value: url } as const]),
    ...(repository === undefined ? [] : [{ kind: 'fact', fact: 'repository', value: repository } as const]),
  ];
}

/** What older clients wrote as a summary when the model could not be asked for one. */
const clientsError =
  /^(?:API Error\b|Invalid API key\b|Credit balance is too low|Claude AI usage limit reached|Prompt is too long|OAuth token)/;

/** Called for every line. */
const isSubagent = (key: string): boolean => key.startsWith('agent-', key.lastIndexOf('/') + 1);

function readQueued(line: Record<string, unknown>, file: TranscriptFile): readonly ParsedItem[] {
  if (line.isSidechain === true || isSubagent(file.key)) return [];
  if (line.type === 'queue-operation') return readQueueLine(line, file.state);
  return asObject(line.attachment).type === 'queued_command' ? readQueuedCommand(line, file.state) : [];
}

/** Newer clients write a command that needs no model as a system line. */
function readLocalCommand(
  line: Record<string, unknown>,
  at: number | undefined,
  file: TranscriptFile,
): readonly ParsedItem[] {
  const [uuid, content] = [asString(line.uuid), asString(line.content)];
  const isOwn = line.isMeta !== true && line.isSidechain !== true && !isSubagent(file.key);
  if (line.subtype !== 'local_command' || uuid === undefined || content === undefined || !isOwn) return [];
  const text = asTyped(content.trim());
  if (!text.startsWith('/')) return [];
  const { branch, forkOf } = whereOf(line);
  const said = { role: 'user', author: 'person', form: 'command', text, toolUses: [] } as const;
  return [
    ...leaveQueue(text, at, file.state),
    { kind: 'entry', uuid, session: asString(line.sessionId), at, cwd: asString(line.cwd), ...said, branch, forkOf },
  ];
}

/** A detached head is not a branch. */
const whereOf = (line: Record<string, unknown>): Pick<ParsedEntry, 'branch' | 'forkOf'> => ({
  branch: line.gitBranch === 'HEAD' ? undefined : asString(line.gitBranch),
  forkOf: line.forkedFrom === undefined ? undefined : asString(asObject(line.forkedFrom).sessionId),
});

function readMessage(line: Record<string, unknown>, at: number | undefined, file: TranscriptFile): ParsedLine['items'] {
  const inSubagent = isSubagent(file.key);
  if (line.isMeta === true || (line.isSidechain === true && !inSubagent)) return [];
  if (inSubagent && isWarmUp(line, file.state)) return [];
  const message = asObject(line.message);
  const uuid = asString(line.uuid);
  const items: ParsedItem[] = [];
  if (line.type === 'user') items.push(...toolResults(message.content));
  const { text, author, toolUses, form, typed } =
    line.type === 'user' ? readPrompt(line, message, inSubagent) : readAnswer(line, message);
  if (uuid === undefined) return items;
  const { branch, forkOf } = whereOf(line);
  const said = { session: asString(line.sessionId), at, cwd: asString(line.cwd), branch, forkOf };
  if (line.type === 'assistant') notePlans(toolUses, file.state);
  else if (!inSubagent)
    for (const reply of readReplies(line, message.content, file.state)) {
      const id = text === '' && !items.some(({ kind }) => kind === 'entry') ? uuid : derivedId(uuid, reply.use);
      const words = { role: 'user', author: 'person', text: reply.text, form: reply.form, toolUses: [] } as const;
      items.push({ kind: 'entry', uuid: id, ...said, ...words, queued: 'given' });
    }
  if (text !== '' || toolUses.length > 0) {
    if (author === 'person') items.push(...leaveQueue(typed ?? text, at, file.state));
    items.push({
      kind: 'entry',
      uuid,
      ...said,
      role: line.type === 'user' ? 'user' : 'assistant',
      author,
      form,
      text,
      toolUses,
      // Only a prompt can leave a branch; the small forks of parallel tool calls do not count.
      continues: line.type === 'user' ? asString(line.parentUuid) : undefined,
    });
  }
  return items;
}

interface Content {
  readonly text: string;
  readonly author: Author;
  readonly toolUses: readonly ParsedToolUse[];
  readonly form?: EntryForm | undefined;
  /** The text alone, if names of pictures were added to it. */
  readonly typed?: string;
}

function readPrompt(line: Record<string, unknown>, message: Record<string, unknown>, inSubagent: boolean): Content {
  const { blocks, own } = typedBlocks(message.content);
  const typed = asTyped(own.join('\n'));
  const pictures = namedPictures(message.content, typed);
  // A message of nothing but injected text stays as it came, marked as the machine's.
  const isEmpty = own.length === 0 && pictures.length === 0;
  const text = isEmpty ? blocks.join('\n').trim() : [typed, ...pictures].filter((part) => part !== '').join('\n');
  const machine = inSubagent || isEmpty || line.isCompactSummary === true || !typedByPerson(line, text);
  const form = line.isCompactSummary === true ? 'compaction' : machine ? undefined : formOf(message.content, text);
  return { text, author: machine ? 'machine' : 'person', toolUses: [], form, typed };
}

function readAnswer(line: Record<string, unknown>, message: Record<string, unknown>): Content {
  const toolUses: ParsedToolUse[] = [];
  for (const part of Array.isArray(message.content) ? message.content : []) {
    const block = asObject(part);
    const id = asString(block.id);
    const tool = asString(block.name);
    if (block.type !== 'tool_use' || id === undefined || tool === undefined) continue;
    toolUses.push({ id, tool, input: block.input, files: textsAt(block.input, fileFields) });
  }
  const said = typeof message.content === 'string' ? [message.content] : textOfBlocks(message.content);
  const synthetic = message.model === '<synthetic>' || line.isApiErrorMessage === true;
  return { text: said.join('\n').trim(), author: synthetic ? 'machine' : 'model', toolUses };
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

/** Newer clients say who wrote a prompt; for older ones its first words decide. */
function typedByPerson(line: Record<string, unknown>, text: string): boolean {
  const origin = asString(asObject(line.origin).kind);
  if (line.promptSource === 'system' || (origin !== undefined && origin !== 'human')) return false;
  if (line.promptSource === 'typed') return true;
  return !machineMade.test(text);
}

const fileFields = ['file_path', 'notebook_path', 'path'];
