// Pi: one JSONL file per session. Version 1 has no ids; versions 2 and 3 are a tree by id and parentId.
import { join } from 'node:path';
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
import { asObject, asString, asTime, isEmpty, textOfBlocks, textsAt } from '../json.ts';
import { takeJump } from '../jump.ts';
import { unknownKind } from '../unknown-kind.ts';
import { piUsage } from '../usage.ts';

type Json = Record<string, unknown>;

const derive = (...parts: readonly (string | number)[]): string => derivedId('pi', ...parts);

/** `…/2026-05-02T09-12-44-103Z_<id>.jsonl` names the session after the last underscore. */
const sessionInPath = (path: string): string =>
  (path.split(/[/\\]/).pop() ?? path).replace(/\.jsonl$/, '').replace(/^.*_/, '');

const textOf = (content: unknown): string =>
  (typeof content === 'string' ? content : textOfBlocks(content).join('\n')).trim();

const skillBlock = /^<skill name="([^"\n]{1,200})" location="[^"\n]{1,4000}">\n/;

/** What the person typed: Pi puts the text of a skill in place of its command, and the content of files before a prompt. */
function typedOf(text: string): string {
  let left = text;
  while (left.startsWith('<file name="')) {
    const end = left.indexOf('</file>');
    if (end < 0) break;
    left = left.slice(end + '</file>'.length).trimStart();
  }
  const name = skillBlock.exec(left)?.[1];
  const end = name === undefined ? -1 : left.indexOf('\n</skill>');
  return end < 0 ? left.trim() : `/skill:${name} ${left.slice(end + '\n</skill>'.length).trim()}`.trim();
}

function readHeader(line: Json, state: AgentState): ParsedItem[] {
  const session = asString(line.id);
  const cwd = asString(line.cwd);
  if (session !== undefined && session !== state.session) {
    for (const key of Object.keys(state)) delete state[key];
    state.session = session;
    const born = asTime(line.timestamp);
    if (born !== undefined) state.bornAt = born;
    const origin = asString(line.branchedFrom);
    if (origin !== undefined) state.origin = sessionInPath(origin);
  }
  const origin = asString(line.branchedFrom) ?? asString(line.parentSession);
  return [
    { kind: 'header', ...(session === undefined ? {} : { session }), ...(cwd === undefined ? {} : { cwd }) },
    ...(origin === undefined ? [] : [{ kind: 'fact', fact: 'fork-of', value: sessionInPath(origin) } as const]),
  ];
}

/**
 * Records in the state where the next entry continues from, if not from the line before. Lines that yield nothing (a
 * branch summary, a change of model) are also links of the chain, so a jump waits for the entry that follows.
 */
function follow(line: Json, state: AgentState): void {
  const id = asString(line.id);
  if (id === undefined) return;
  const parent = asString(line.parentId);
  // Without a parent the session starts over, as if only its header came before.
  const from = parent ?? (line.parentId === null ? state.session : undefined);
  if (state.last !== undefined && from !== undefined && from !== state.last) state.jump = from;
  state.last = id;
}

/** Contract: called once for each message line of version 1, in order, whatever the line yields. */
function uuidOf(line: Json, file: TranscriptFile, at: number | undefined): string {
  const { state } = file;
  const id = asString(line.id);
  // Ids have 8 hex digits and are only unique within a session; a fork copies the id and the time of a line.
  if (id !== undefined) return derive(id, asString(line.timestamp) ?? String(state.session ?? file.key));
  const ordinal = typeof state.ordinal === 'number' ? state.ordinal : 0;
  state.ordinal = ordinal + 1;
  return derive(origin(file, at), ordinal);
}

/**
 * The session in which a line of version 1 was written first. A branch begins with a copy of its origin's lines. (A
 * branch of a branch names only the nearer one: there the oldest lines keep separate ids.)
 */
function origin({ state, key }: TranscriptFile, at: number | undefined): string {
  const copied =
    typeof state.origin === 'string' && typeof state.bornAt === 'number' && at !== undefined && at < state.bornAt;
  return String((copied ? state.origin : state.session) ?? key);
}

/** What Pi puts in place of earlier messages. In version 1 it has no id, and its time is its name. */
function readCompaction(line: Json, file: TranscriptFile): ParsedItem[] {
  const { state } = file;
  const text = asString(line.summary)?.trim() ?? '';
  const time = asString(line.timestamp);
  const at = asTime(line.timestamp);
  if (text === '' || time === undefined) return [];
  const uuid = asString(line.id) === undefined ? derive(origin(file, at), 'compaction', time) : uuidOf(line, file, at);
  const continues = takeJump(state);
  return [
    {
      ...{ kind: 'entry', uuid, session: asString(state.session), at, cwd: undefined },
      ...{ role: 'assistant', author: 'machine', form: 'compaction', text, toolUses: [] },
      ...(continues === undefined ? {} : { continues }),
    },
  ];
}

const filesOf = (tool: string, input: unknown): string[] => {
  const [file] = textsAt(input, ['path', 'file_path']);
  return file !== undefined && /^(read|write|edit)$/i.test(tool) ? [file] : [];
};

/** Some providers repeat the ids of tool calls; together with the entry that asked they are unique, even in a fork. */
const callId = (asker: unknown, id: string): string => `${String(asker)}:${id}`;

function toolUsesOf(content: unknown, uuid: string): ParsedToolUse[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part, index) => {
    const block = asObject(part);
    if (block.type !== 'toolCall') return [];
    const tool = asString(block.name) ?? 'unknown';
    const input = block.arguments ?? {};
    return [{ id: callId(uuid, asString(block.id) ?? String(index)), tool, input, files: filesOf(tool, input) }];
  });
}

function readMessage(line: Json, message: Json, file: TranscriptFile): ParsedItem[] {
  const { state } = file;
  const at = asTime(line.timestamp) ?? asTime(message.timestamp);
  const uuid = uuidOf(line, file, at);
  const entry = (fields: Pick<ParsedEntry, 'role' | 'author' | 'text' | 'toolUses'>): ParsedEntry => {
    const continues = takeJump(state);
    return {
      kind: 'entry',
      uuid,
      session: asString(state.session),
      at,
      cwd: undefined,
      ...fields,
      ...(continues === undefined ? {} : { continues }),
    };
  };

  switch (message.role) {
    case 'user': {
      const text = typedOf(textOf(message.content));
      return text === '' ? [] : [entry({ role: 'user', author: 'person', text, toolUses: [] })];
    }
    case 'assistant': {
      const toolUses = toolUsesOf(message.content, uuid);
      if (toolUses.length > 0) state.asker = uuid;
      const said = { role: 'assistant', author: 'model', text: textOf(message.content), toolUses } as const;
      return isEmpty(said) ? [] : [entry(said)];
    }
    case 'toolResult': {
      const id = asString(message.toolCallId);
      if (id === undefined) return [];
      const result = { failed: message.isError === true, output: textOf(message.content) };
      return [{ kind: 'tool-result', id: callId(state.asker ?? state.session ?? file.key, id), ...result }];
    }
    case 'bashExecution': {
      const command = asString(message.command);
      // A person types `!!` to keep a command from the model, so it stays out of the memory too.
      if (command === undefined || message.excludeFromContext === true) return [];
      const id = callId(uuid, 'bash');
      const failed = message.cancelled === true || (typeof message.exitCode === 'number' && message.exitCode !== 0);
      return [
        entry({
          role: 'user',
          author: 'person',
          text: `!${command}`,
          toolUses: [{ id, tool: 'bash', input: { command }, files: [] }],
        }),
        { kind: 'tool-result', id, failed, output: asString(message.output) ?? '' },
      ];
    }
    case 'custom':
    case 'hookMessage': {
      // An extension's message to the model; hidden ones are state, not speech.
      const text = message.display === false ? '' : textOf(message.content);
      return text === '' ? [] : [entry({ role: 'user', author: 'machine', text, toolUses: [] })];
    }
    default:
      return [];
  }
}

function readItems(line: Json, file: TranscriptFile): readonly ParsedItem[] {
  if (line.type === 'session') return readHeader(line, file.state);
  follow(line, file.state);
  if (line.type === 'message') return readMessage(line, asObject(line.message), file);
  if (line.type === 'custom_message') return readMessage(line, { ...line, role: 'custom' }, file);
  if (line.type === 'session_info') {
    const title = asString(line.name)?.trim();
    return title === undefined || title === '' ? [] : [{ kind: 'title', title, by: 'person' }];
  }
  if (line.type === 'compaction') return readCompaction(line, file);
  return [];
}

function sessionsFolder(env: NodeJS.ProcessEnv, home: string): string {
  const expand = (path: string) => (path === '~' || path.startsWith('~/') ? home + path.slice(1) : path);
  if (env.PI_CODING_AGENT_SESSION_DIR) return expand(env.PI_CODING_AGENT_SESSION_DIR);
  if (env.PI_CODING_AGENT_DIR) return join(expand(env.PI_CODING_AGENT_DIR), 'sessions');
  return join(home, '.pi', 'agent', 'sessions');
}

const roles: ReadonlySet<unknown> = new Set(
  'user assistant toolResult bashExecution custom hookMessage branchSummary compactionSummary system'.split(' '),
);

const kinds: ReadonlySet<unknown> = new Set(
  'session message custom_message session_info model_change thinking_level_change compaction branch_summary label custom usage context_edit'.split(
    ' ',
  ),
);

/** Line kinds that yield nothing. With a parentId they are links of the tree, and must still be read. */
const idle = /^\{"type":"(?:model_change|thinking_level_change|branch_summary|label|custom)"/;

const retelling: ReadonlySet<unknown> = new Set(
  'compaction branch_summary label custom compactionSummary branchSummary custom_message'.split(' '),
);

export const pi: Agent = {
  name: 'pi',
  readerVersion: 2,
  title: agentTitles.pi,
  root: sessionsFolder,
  isTranscript: (key) => key.endsWith('.jsonl'),
  recognises(lines) {
    const first = asObject(lines[0]);
    if (first.type !== 'session' || typeof first.id !== 'string') return false;
    return typeof first.cwd === 'string' || typeof first.version === 'number';
  },
  describe: (key) => ({ session: sessionInPath(key) }),
  cannotMatter: (line) => idle.test(line.toString('latin1', 0, 40)) && !line.includes('"parentId"'),
  retells: (line) => [line.type, asObject(line.message).role].some((kind) => retelling.has(kind)),
  read(value, file): ParsedLine {
    const line = asObject(value);
    const items = readItems(line, file);
    const unknown =
      line.type === 'message'
        ? unknownKind(roles, asObject(line.message).role, 'role ')
        : unknownKind(kinds, line.type);
    return { at: asTime(line.timestamp), items, ...unknown };
  },
  idKey: 'id',
  usage: piUsage,
  resume: (session) => ['pi', '--session', session],
};
