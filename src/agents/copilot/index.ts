// GitHub Copilot CLI: ~/.copilot/session-state/<session>/events.jsonl, before 1.0 session-state/<session>.jsonl. A
// chain by parentId, about ninety kinds of events; subagents are in the same file and have an agentId.

import path from 'node:path';
import { agentTitles } from '../../schema/agent-titles.ts';
import type { Agent, ParsedEntry, ParsedItem, ParsedLine } from '../agent.ts';
import { readHookPayload } from '../hook-payload.ts';
import { withoutInjected } from '../injected.ts';
import { asObject, asString, asTime, isEmpty, parsedJson, textsAt } from '../json.ts';
import { filesOfPatch } from '../patched-files.ts';
import { carryIntoCopilot } from './carry.ts';
import { copilotHooks, copilotMcp } from './install.ts';
import { copilotPull, namesKey } from './pull.ts';

type Json = Record<string, unknown>;

export const copilot: Agent = {
  name: 'copilot',
  readerVersion: 3,
  title: agentTitles.copilot,
  idKey: 'id',

  root: (env, home) => path.join(env.COPILOT_HOME || path.join(home, '.copilot'), 'session-state'),

  pull: copilotPull,

  isTranscript: (key) => /^(?:.*\/)?events\.jsonl$|^[^/]+\.jsonl$/.test(key),

  isIndex: (key) => namesKey.test(key),

  recognises: ([first]) => {
    const { type, data, id } = asObject(first);
    return typeof type === 'string' && type.includes('.') && typeof id === 'string' && typeof data === 'object';
  },

  describe: (key) => ({
    session: key.endsWith('events.jsonl')
      ? path.posix.basename(path.posix.dirname(key))
      : (namesKey.exec(key)?.[1] ?? path.posix.basename(key, '.jsonl')),
  }),

  cannotMatter: (line) => idleStart.test(line.toString('latin1', 0, 60)),

  read(value) {
    const line = asObject(value);
    const at = asTime(line.timestamp);
    const [uuid, type] = [asString(line.id), asString(line.type)];
    if (type === 'name') return { at, items: readName(asObject(line.message)) };
    if (uuid === undefined || type === undefined) return { at, items: [] };
    return { at, ...readEvent(type, asObject(line.data), uuid, at, line) };
  },

  readHook: readHookPayload,
  hooks: copilotHooks,
  mcp: copilotMcp,
  carry: carryIntoCopilot,

  resume: (session) => ['copilot', `--resume=${session}`],
};

/** A line that Holdfast wrote, from the file beside the events. */
function readName({ title: said, leaf: session }: Json): readonly ParsedItem[] {
  const [title, leaf] = [asString(said), asString(session)];
  return title === undefined || leaf === undefined ? [] : [{ kind: 'title', title, by: 'person', leaf }];
}

/** Kinds that yield nothing, by family. */
const idle =
  /^(?:hook|subagent|assistant|system|permission|user_input|elicitation|external_tool|command|exit_plan_mode|mcp|mcp_server|session|tool|skill|pending_messages|sampling|abort|auto_mode|custom_agents|capabilities|extensions|model|user)(?:\.|$)/;

const idleStart =
  /^\{"type":"(?:hook\.(?:start|end)|system\.message|session\.(?:usage_record|shutdown|model_change)|assistant\.(?:turn_start|turn_end|usage)|tool\.execution_start)"/;

function readEvent(type: string, data: Json, uuid: string, at: number | undefined, line: Json): Omit<ParsedLine, 'at'> {
  const said = {
    kind: 'entry',
    uuid,
    session: undefined,
    at,
    cwd: undefined,
    // Before 1.0 only the call that started a subagent names it.
    subagent: asString(line.agentId) ?? asString(data.parentToolCallId),
  } as const;
  switch (type) {
    case 'session.start':
    case 'session.resume':
    case 'session.context_changed':
      return { items: line.agentId === undefined ? readContext(data) : [] };
    case 'session.title_changed': {
      const title = asString(data.title) ?? asString(data.name);
      return { items: title === undefined ? [] : [{ kind: 'title', title, by: 'agent' }] };
    }
    case 'user.message':
      return { items: readPrompt(data, said, asString(line.parentId)) };
    case 'assistant.message': {
      const toolUses = callsIn(data.toolRequests);
      const text = asString(data.content)?.trim() ?? '';
      return {
        items: isEmpty({ text, toolUses }) ? [] : [{ ...said, role: 'assistant', author: 'model', text, toolUses }],
      };
    }
    case 'tool.user_requested':
      return { items: readShell(data, said, asString(line.parentId)) };
    case 'tool.execution_complete':
      return { items: readResult(data) };
    case 'session.compaction_complete': {
      const text = asString(data.summaryContent) ?? '';
      const summary = { role: 'assistant', author: 'machine', form: 'compaction', text, toolUses: [] } as const;
      return { items: text === '' ? [] : [{ ...said, ...summary }] };
    }
    default:
      return { items: [], ...(idle.test(type) ? {} : { unknown: type }) };
  }
}

function readContext(data: Json): readonly ParsedItem[] {
  const { cwd, branch, repository } = asObject(data.context ?? data);
  return [
    {
      kind: 'header',
      session: asString(data.sessionId),
      cwd: asString(cwd),
      branch: asString(branch),
      repository: asString(repository),
    },
  ];
}

type Said = Pick<ParsedEntry, 'kind' | 'uuid' | 'session' | 'at' | 'cwd' | 'subagent'>;

/** `content` is what was typed; what the client adds is only in `transformedContent`. */
function readPrompt(data: Json, said: Said, continues: string | undefined): readonly ParsedItem[] {
  const text = withoutInjected(asString(data.content) ?? '');
  if (text === '') return [];
  const source = asString(data.source);
  const typed = said.subagent === undefined && (source === undefined || source === 'user');
  const author = typed ? 'person' : 'machine';
  return [
    { ...said, role: 'user', author, text, toolUses: [], ...(typed && continues !== undefined ? { continues } : {}) },
  ];
}

/** A line for the shell that the person typed. */
function readShell(data: Json, said: Said, continues: string | undefined): readonly ParsedItem[] {
  const [id, tool] = [asString(data.toolCallId), asString(data.toolName)];
  const command = asString(asObject(data.arguments).command);
  if (id === undefined || tool === undefined || command === undefined) return [];
  const toolUses = [{ id, tool, input: data.arguments, files: [] }];
  const shell = { role: 'user', author: 'person', form: 'shell', text: `! ${command}`, toolUses } as const;
  return [{ ...said, ...shell, ...(continues === undefined ? {} : { continues }) }];
}

function callsIn(requests: unknown) {
  return (Array.isArray(requests) ? requests : []).flatMap((request) => {
    const { toolCallId, name, arguments: said } = asObject(request);
    const input = typeof said === 'string' ? (parsedJson(said) ?? { arguments: said }) : said;
    const id = asString(toolCallId);
    if (id === undefined) return [];
    const { file_paths } = asObject(input);
    const several = (Array.isArray(file_paths) ? file_paths : []).filter(
      (one) => typeof one === 'string' && one !== '',
    );
    return [
      {
        id,
        tool: asString(name)?.replace(/^holdfast-/, 'mcp__holdfast__') ?? 'unknown',
        input,
        files: [...textsAt(input, ['path', 'file_path']), ...(several as string[]), ...filesOfPatch(input)],
      },
    ];
  });
}

function readResult(data: Json): readonly ParsedItem[] {
  const id = asString(data.toolCallId);
  if (id === undefined) return [];
  const { content, detailedContent, stdout, stderr, exitCode: told } = asObject(data.result);
  const { exitCode = told } = asObject(data.shellExecution);
  const { message } = asObject(data.error);
  // Before 1.0 a command's result has two outputs.
  const printed = [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n');
  const output = [content, detailedContent, printed, message, data.error].map(asString).find(Boolean) ?? '';
  const said = /<(?:shellId: \S+ completed|command completed|exited) with exit code (-?\d+)>\s*$/.exec(
    output.slice(-200),
  )?.[1];
  const code = typeof exitCode === 'number' ? exitCode : Number(said ?? 0);
  return [{ kind: 'tool-result', id, failed: data.success === false || code !== 0, output }];
}
