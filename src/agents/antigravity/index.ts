// Antigravity's `agy`: ~/.gemini/antigravity-cli/brain/<session>/.system_generated/logs/transcript_full.jsonl, one line
// per step. Written from others' descriptions, without a real transcript. `transcript.jsonl` beside it holds the
// same steps.
import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Agent, AgentState, ParsedItem, ParsedLine, TranscriptFile } from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { asObject, asString, asTime, isEmpty, parsedJson, textsAt } from '../json.ts';
import { unknownKind } from '../unknown-kind.ts';

type Json = Record<string, unknown>;

const results: ReadonlySet<unknown> = new Set(
  'RUN_COMMAND VIEW_FILE CODE_ACTION GREP_SEARCH LIST_DIRECTORY SEARCH_WEB READ_URL_CONTENT INVOKE_SUBAGENT GENERIC'.split(
    ' ',
  ),
);

/** What the client tells the model between the steps. */
const idle: ReadonlySet<unknown> = new Set(
  'CONVERSATION_HISTORY KNOWLEDGE_ARTIFACTS EPHEMERAL_MESSAGE SYSTEM_MESSAGE'.split(' '),
);

export const antigravity: Agent = {
  name: 'antigravity',
  readerVersion: 2,
  title: agentTitles.antigravity,
  idKey: 'step_index',

  root: (_, home) => path.join(home, '.gemini', 'antigravity-cli', 'brain'),

  isTranscript: (key) => /(?:^|\/)\.system_generated\/logs\/transcript(?:_full)?\.jsonl$/.test(key),

  recognises([first]) {
    const { step_index, source, type } = asObject(first);
    return typeof step_index === 'number' && typeof source === 'string' && typeof type === 'string';
  },

  describe: (key) => ({ session: sessionIn(key) }),

  cannotMatter: () => false,

  read(value, file) {
    const line = asObject(value);
    const at = timeOf(line.created_at);
    // A step that still runs is written again when it is done.
    if (typeof line.type !== 'string' || line.status === 'RUNNING' || typeof line.step_index !== 'number')
      return { at, items: [] };
    return { at, ...readStep(line, line.type, at, file) };
  },

  // `agy --conversation` reads its own database.
  resume: (session) => ['agy', '--conversation', session],
};

const sessionIn = (key: string): string =>
  /([^/]+)\/\.system_generated\/logs\/[^/]+$/.exec(key)?.[1] ?? path.posix.basename(key, '.jsonl');

/** In seconds, as a number or as a date. */
const timeOf = (value: unknown): number | undefined =>
  asTime(typeof value === 'number' && Math.abs(value) < 1e11 ? value * 1000 : value);

function readStep(line: Json, type: string, at: number | undefined, file: TranscriptFile): Omit<ParsedLine, 'at'> {
  const session = sessionIn(file.key);
  const step = line.step_index as number;
  const text = asString(line.content)?.trim() ?? '';
  const entry = { kind: 'entry', session: undefined, at, cwd: undefined, toolUses: [] } as const;
  const uuid = derivedId('antigravity', session, step);
  if (type === 'USER_INPUT') {
    const typed = requestIn(text);
    const author = line.source === 'USER_EXPLICIT' ? 'person' : 'machine';
    return { items: typed === '' ? [] : [{ ...entry, uuid, role: 'user', author, text: typed }] };
  }
  if (type === 'CHECKPOINT') {
    const said = { role: 'assistant', author: 'machine', form: 'compaction', text } as const;
    return { items: text === '' ? [] : [{ ...entry, uuid, ...said }] };
  }
  if (type === 'PLANNER_RESPONSE') return { items: readPlan(line, text, uuid, at, file.state) };
  if (idle.has(type)) return { items: [] };
  const items = line.source === 'MODEL' || results.has(type) ? readResult(line, text, file.state) : [];
  return { items, ...unknownKind(results, type) };
}

/** The text inside the tag around a prompt. Linear: searches forward once. */
function requestIn(text: string): string {
  const [open, close] = ['<USER_REQUEST>', '</USER_REQUEST>'];
  const start = text.indexOf(open);
  const end = start < 0 ? -1 : text.indexOf(close, start);
  return end < 0 ? text : text.slice(start + open.length, end).trim();
}

function readPlan(
  line: Json,
  text: string,
  uuid: string,
  at: number | undefined,
  state: AgentState,
): readonly ParsedItem[] {
  const calls = Array.isArray(line.tool_calls) ? line.tool_calls : [];
  const folders: string[] = [];
  const toolUses = calls.slice(0, mostCalls).map((call, index) => {
    const { name, args } = asObject(call);
    const input = argsOf(args);
    folders.push(...textsAt(input, ['Cwd']));
    const files = textsAt(input, ['TargetFile', 'AbsolutePath']);
    return { id: `${uuid}#${index}`, tool: asString(name)?.replace(/^default_api:/, '') ?? 'unknown', input, files };
  });
  // Results name no call: they follow in the order of the calls.
  if (toolUses.length > 0) state.open = toolUses.map(({ id }) => id).join(' ');
  const place = { uuid, session: undefined, at, cwd: undefined } as const;
  const entry = { kind: 'entry', ...place, role: 'assistant', author: 'model' } as const;
  const [cwd] = folders;
  return [
    ...(cwd === undefined ? [] : [{ kind: 'header', cwd } as const]),
    ...(isEmpty({ text, toolUses }) ? [] : [{ ...entry, text, toolUses }]),
  ];
}

const mostCalls = 50;

/** In `transcript.jsonl` each value is JSON inside a string. */
function argsOf(args: unknown): Json {
  return Object.fromEntries(
    Object.entries(asObject(args)).map(([key, value]) => {
      const inside = typeof value === 'string' && /^["[{]/.test(value) ? parsedJson(value) : undefined;
      return [key, inside ?? value];
    }),
  );
}

const longestVerdict = 400;

function readResult(line: Json, text: string, state: AgentState): readonly ParsedItem[] {
  const [id, ...left] = typeof state.open === 'string' ? state.open.split(' ') : [];
  if (id === undefined) return [];
  if (left.length > 0) state.open = left.join(' ');
  else delete state.open;
  // What comes after this word is the command's own output.
  const end = text.search(/^\s*Output:/m);
  const said = end < 0 ? text.slice(0, longestVerdict) : text.slice(0, end);
  const failed = line.status === 'ERROR' || /^\s*The command failed with exit code:? (?!0\b)-?\d/m.test(said);
  return [{ kind: 'tool-result', id, failed, output: text }];
}
