// Claude Code through its Agent SDK: one query for as long as the process lives, with messages streamed into it.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { claudeCodeHome } from '../../agents/claude-code/home.ts';
import type { FailureKind } from '../../schema/host-frame.ts';
import type { Drive, Driver } from './driver.ts';
import { serverOf, toolServer } from './tools.ts';

/** As much of the SDK as is used here. Holdfast does not install it. */
interface Sdk {
  query(given: { prompt: AsyncIterable<unknown>; options: Record<string, unknown> }): AsyncIterable<Said>;
}

/** All kinds of SDK messages. */
interface Said {
  readonly type: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly session_id?: string;
  readonly parent_tool_use_id?: string | null;
  readonly isReplay?: boolean;
  readonly command_uuid?: string;
  readonly state?: string;
  readonly is_error?: boolean;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly event?: { readonly type?: string; readonly delta?: { readonly type?: string; readonly text?: string } };
}

export const driveClaude: Driver = async (drive) => {
  const { query } = (await import(/* @vite-ignore */ pathToFileURL(path.join(drive.sdk, 'sdk.mjs')).href)) as Sdk;
  const first = await converse(drive, query, drive.start.resumeAt);
  if (first !== 'position') return first;
  console.error(`The session has no answer ${drive.start.resumeAt}: resuming from its newest`);
  const second = await converse(drive, query, undefined);
  if (second !== 'position') return second;
  await drive.say({
    type: 'failed',
    kind: 'other',
    message: 'The agent cannot find the resume position in the session',
  });
  return 'failed';
};

async function converse(
  drive: Drive,
  query: Sdk['query'],
  resumeAt: string | undefined,
): Promise<'closed' | 'failed' | 'position'> {
  const { start, say } = drive;
  const conversation = startConversation(drive);
  let trouble: string | undefined;
  try {
    for await (const said of query({ prompt: conversation.prompts(), options: optionsOf(drive, resumeAt) }))
      await conversation.hear(said);
    trouble = conversation.refusal();
    if (trouble === undefined) return 'closed';
  } catch (error) {
    trouble = conversation.refusal() ?? (error instanceof Error ? error.message : String(error));
  }
  const loss = conversation.hasSession() ? undefined : claudeCodeHome.loss(trouble);
  if (loss === 'position' && resumeAt !== undefined) return 'position';
  await say({ type: 'failed', kind: kindOf(loss, start.session, start.environment.HOME ?? ''), message: trouble });
  return 'failed';
}

/** What the agent says, one handler for each kind of message, and what the host must know of it. */
function startConversation({ say, taken, messages }: Drive) {
  /** Message ids by the agent's uuids. */
  const names = new Map<string, string>();
  const unanswered = new Set<string>();
  /** The messages with which a turn began. */
  const begun = new Set<string>();
  let session: string | undefined;
  let at: string | undefined;
  let refusal: string | undefined;

  async function* prompts() {
    for await (const { id, text } of messages()) {
      const uuid = randomUUID();
      names.set(uuid, id);
      yield { type: 'user', uuid, message: { role: 'user', content: text }, parent_tool_use_id: null };
    }
  }

  const takeOver = async (uuid: string) => {
    const id = names.get(uuid);
    if (id === undefined) return;
    names.delete(uuid);
    unanswered.add(id);
    await taken(id);
  };

  async function answer({ is_error, result, errors, session_id }: Said): Promise<void> {
    const ok = is_error !== true;
    const text = result ?? errors?.join('\n') ?? '';
    // Before the agent has named its session, this concerns the start, and the client ends.
    if (session === undefined) {
      refusal = text;
      return;
    }
    // The client answers some messages by itself and does not repeat them: a blank one, an unknown command.
    for (const uuid of begun) await takeOver(uuid);
    begun.clear();
    const answers = [...unanswered];
    unanswered.clear();
    const place = ok && at !== undefined ? { at } : {};
    await say({ type: 'result', answers, ok, text, session: session_id ?? session, ...place });
  }

  const handlers: Readonly<Record<string, (said: Said) => Promise<void> | void>> = {
    async 'system/init'({ session_id }) {
      if (session_id === session) return;
      session = session_id as string;
      at = undefined;
      await say({ type: 'session', session });
    },
    'system/compact_boundary'() {
      // Earlier positions can no longer be resumed.
      at = undefined;
    },
    async user({ isReplay, uuid }) {
      // The client repeats a message at the moment when it becomes part of the session.
      if (isReplay === true) await takeOver(uuid ?? '');
    },
    command_lifecycle({ state, command_uuid }) {
      if (state === 'started') begun.add(command_uuid ?? '');
    },
    assistant({ parent_tool_use_id, uuid }) {
      if (parent_tool_use_id === null) at = uuid;
    },
    async stream_event({ parent_tool_use_id, event }) {
      const { type, text = '' } = event?.delta ?? {};
      if (parent_tool_use_id === null && type === 'text_delta' && text !== '') await say({ type: 'delta', text });
    },
    result: answer,
  };

  return {
    prompts,
    async hear(said: Said): Promise<void> {
      const kind = said.type === 'system' ? `system/${said.subtype}` : said.type;
      if (Object.hasOwn(handlers, kind)) await handlers[kind]?.(said);
    },
    hasSession: () => session !== undefined,
    /** Why the agent did not start. */
    refusal: () => refusal,
  };
}

/** The client says the same about a missing transcript and about one in which it finds nothing to resume. */
function kindOf(loss: ReturnType<typeof claudeCodeHome.loss>, session: string | undefined, home: string): FailureKind {
  if (session === undefined || loss === undefined || loss === 'position') return 'other';
  if (loss === 'corrupt') return 'corrupt';
  const folder = path.join(home, claudeCodeHome.transcripts);
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.some((file) => path.basename(file) === `${session}.jsonl`) ? 'corrupt' : 'missing';
  } catch {
    // Without a folder, there is no transcript.
    return 'missing';
  }
}

/** The variables that curl, git, npm, pip and the client itself read. Addresses inside the sandbox need no proxy. */
function proxies(url: string | undefined): Record<string, string> {
  if (url === undefined) return {};
  const inside = 'localhost,127.0.0.1,::1';
  return Object.fromEntries(
    Object.entries({ HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: inside }).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}

function optionsOf({ start, program, modelUrl, proxyUrl, call, compacting }: Drive, resumeAt: string | undefined) {
  const archive = async (input: { session_id?: string }) => {
    if (input.session_id !== undefined) await compacting(input.session_id);
    return {};
  };
  return {
    cwd: process.cwd(),
    env: { ...start.environment, ...proxies(proxyUrl), ANTHROPIC_BASE_URL: modelUrl },
    systemPrompt: { type: 'preset', preset: 'claude_code', ...(start.append === '' ? {} : { append: start.append }) },
    // Like a person's client: the instructions and settings of its folder and of its home.
    settingSources: ['user', 'project', 'local'],
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    includePartialMessages: true,
    extraArgs: { 'replay-user-messages': null },
    hooks: { PreCompact: [{ hooks: [archive] }] },
    ...(start.tools.length === 0
      ? {}
      : { mcpServers: { [toolServer]: { type: 'sdk', name: toolServer, instance: serverOf(start.tools, call) } } }),
    ...(start.session === undefined ? {} : { resume: start.session }),
    ...(resumeAt === undefined ? {} : { resumeSessionAt: resumeAt }),
    ...(start.model === undefined ? {} : { model: start.model }),
    ...(program === undefined ? {} : { pathToClaudeCodeExecutable: program }),
    stderr: (text: string) => process.stderr.write(text),
  };
}
