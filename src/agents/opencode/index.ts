// OpenCode: SQLite since 1.2, JSON files before; both are pulled into our transcripts. Kilo is a fork of it with
// another root.
import path from 'node:path';
import type { AgentName } from '../../schema/agent-name.ts';
import type { Agent, ParsedItem } from '../agent.ts';
import { nothing } from '../agent.ts';
import { readHookPayload } from '../hook-payload.ts';
import { withoutInjected } from '../injected.ts';
import { asObject, asString, textsAt } from '../json.ts';
import { filesOfPatch } from '../patched-files.ts';
import { describePulled, pulledReader, type ReadPulled } from '../pulled-reader.ts';
import { roles, unknownKind } from '../unknown-kind.ts';
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
    readerVersion: 3,
    title,
    ...pulledReader(name, 'part', (message, place) => readPart(message, place)),
    root,
    pull: openCodePull(name, database),
    ...install,
    resume: (session) => [program, '-s', session],
  };
}

const readPart: ReadPulled = ({ part: said, role, cwd: folder, summary }, { uuid, at, file }) => {
  const part = asObject(said);
  const entry = { kind: 'entry', uuid, session: undefined, at, cwd: asString(folder) } as const;
  if (part.type === 'tool') return { items: readTool(part, entry) };
  if (part.type !== 'text') return { ...nothing, ...unknownKind(silent, part.type, 'part ') };
  // What the client has put beside the person's words.
  if (part.synthetic === true || part.ignored === true) return nothing;
  if (role === 'user') {
    const isSubagent = describePulled(file.key).subagent !== undefined;
    const text = asTyped(withoutInjected(asString(part.text) ?? ''));
    const author = isSubagent ? 'machine' : 'person';
    return text === '' ? nothing : { items: [{ ...entry, role: 'user', author, text, toolUses: [] }] };
  }
  const text = (asString(part.text) ?? '').trim();
  if (role !== 'assistant') return { ...nothing, ...unknownKind(roles, role, 'role ') };
  if (text === '') return nothing;
  const by = summary === true ? ({ author: 'machine', form: 'compaction' } as const) : ({ author: 'model' } as const);
  return { items: [{ ...entry, role: 'assistant', ...by, text, toolUses: [] }] };
};

/** Kinds of parts that contain nothing for us. */
const silent: ReadonlySet<unknown> = new Set(['patch', 'file', 'agent', 'subtask', 'compaction']);

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
  const use = { id, tool, input, files: [...textsAt(input, ['filePath', 'path']), ...filesOfPatch(input)] };
  const items: ParsedItem[] = [{ ...entry, role: 'assistant', author: 'model', text: '', toolUses: [use] }];
  const { exit } = asObject(state.metadata);
  const output = asString(state.output) ?? asString(state.error) ?? '';
  // The agent counts a failed command as completed.
  const failed =
    state.status === 'error' || (typeof exit === 'number' && exit !== 0) || stopped.test(output.slice(-1000));
  if (state.status === 'completed' || state.status === 'error') items.push({ kind: 'tool-result', id, failed, output });
  return items;
}

/** A command that ran for too long, or that the person stopped, has no exit code. */
const stopped =
  /<(?:bash|shell)_metadata>\s*(?:[^\n]{0,80}terminated command after exceeding timeout|User aborted the command)/;
