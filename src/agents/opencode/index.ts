// OpenCode: SQLite since 1.2, JSON files before; both are pulled into our transcripts. Kilo is a fork of it with
// another root.
import path from 'node:path';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Agent, ParsedItem, ParsedLine, TranscriptFile } from '../agent.ts';
import { nothing } from '../agent.ts';
import { readHookPayload } from '../hook-payload.ts';
import { withoutInjected } from '../injected.ts';
import { asObject, asString, asTime } from '../json.ts';
import { isPulledBy, readAbout } from '../pulled-lines.ts';
import { carryIntoOpenCode } from './carry.ts';
import { openCodeHooks, openCodeMcp } from './install.ts';
import { openCodePull } from './pull.ts';

/** Where a program that follows the XDG rules keeps its data. */
const dataFolder = (env: NodeJS.ProcessEnv, home: string): string =>
  env.XDG_DATA_HOME || path.join(home, '.local', 'share');

export const openCode = openCodeLike({
  name: 'opencode',
  title: 'OpenCode',
  database: /^opencode(?:-[\w.-]+)?\.db$/,
  root: (env, home) => path.join(dataFolder(env, home), 'opencode'),
  program: 'opencode',
  install: { readHook: readHookPayload, hooks: openCodeHooks, mcp: openCodeMcp, carry: carryIntoOpenCode },
});

export function openCodeLike(about: {
  readonly name: AgentName;
  readonly title: string;
  readonly database: RegExp;
  readonly program: string;
  readonly install?: Pick<Agent, 'readHook' | 'hooks' | 'mcp' | 'carry'>;
  root(env: NodeJS.ProcessEnv, home: string): string;
}): Agent {
  const { name, title, root, database, program, install } = about;
  return {
    name,
    readerVersion: 1,
    title,
    idKey: 'id',
    root,
    pull: openCodePull(name, database),
    isTranscript: (key) => key.endsWith('.jsonl'),
    recognises: (lines) => isPulledBy(name, lines),
    describe,
    cannotMatter: () => false,
    read: readLine,
    ...install,
    resume: (session) => [program, '-s', session],
  };
}

function describe(key: string): { session: string; subagent?: string } {
  const id = path.posix.basename(key, '.jsonl');
  const root = /([^/]+)\/subagents\/[^/]+$/.exec(key)?.[1];
  return root === undefined ? { session: id } : { session: root, subagent: id };
}

function readLine(value: unknown, file: TranscriptFile): ParsedLine {
  const line = asObject(value);
  const at = asTime(line.timestamp);
  const about = readAbout(line);
  if (about !== undefined) return { at, items: about };
  const uuid = asString(line.id);
  if (line.type !== 'part' || uuid === undefined)
    return { ...nothing, at, ...(typeof line.type === 'string' ? { unknown: line.type } : {}) };
  const { part: said, role, cwd: folder, summary } = asObject(line.message);
  const part = asObject(said);
  const entry = { kind: 'entry', uuid, session: undefined, at, cwd: asString(folder) } as const;
  if (part.type === 'tool') return { at, items: readTool(part, entry) };
  if (part.type !== 'text') return { ...nothing, at, ...unknownKind(part.type) };
  // What the client has put beside the person's words.
  if (part.synthetic === true || part.ignored === true) return { ...nothing, at };
  if (role === 'user') {
    const isSubagent = describe(file.key).subagent !== undefined;
    const text = asTyped(withoutInjected(asString(part.text) ?? ''));
    const author = isSubagent ? 'machine' : 'person';
    return text === '' ? { ...nothing, at } : { at, items: [{ ...entry, role: 'user', author, text, toolUses: [] }] };
  }
  const text = (asString(part.text) ?? '').trim();
  if (role !== 'assistant' || text === '') return { ...nothing, at };
  const by = summary === true ? ({ author: 'machine', form: 'compaction' } as const) : ({ author: 'model' } as const);
  return { at, items: [{ ...entry, role: 'assistant', ...by, text, toolUses: [] }] };
}

/** Kinds of parts that contain nothing for us. */
const silent = new Set(['patch', 'file', 'agent', 'subtask', 'compaction']);

const unknownKind = (type: unknown): { unknown?: string } =>
  typeof type === 'string' && !silent.has(type) ? { unknown: `part ${type}` } : {};

/** `opencode run "a b"` stores the prompt with the quotes around it. */
function asTyped(text: string): string {
  const inside = /^"([^"]*)"$/.exec(text)?.[1];
  return inside === undefined ? text : inside.trim();
}

type Entry = { kind: 'entry'; uuid: string; session: undefined; at: number | undefined; cwd: string | undefined };

function readTool(part: Record<string, unknown>, entry: Entry): ParsedItem[] {
  const [tool, id] = [asString(part.tool), asString(part.callID)];
  if (tool === undefined || id === undefined) return [];
  const state = asObject(part.state);
  const input = asObject(state.input);
  const files = [input.filePath, input.path].filter((file): file is string => typeof file === 'string' && file !== '');
  const use = { id, tool, input, files };
  const items: ParsedItem[] = [{ ...entry, role: 'assistant', author: 'model', text: '', toolUses: [use] }];
  const { exit } = asObject(state.metadata);
  // The agent counts a failed command as completed.
  const failed = state.status === 'error' || (typeof exit === 'number' && exit !== 0);
  if (state.status === 'completed' || state.status === 'error')
    items.push({ kind: 'tool-result', id, failed, output: asString(state.output) ?? asString(state.error) ?? '' });
  return items;
}
