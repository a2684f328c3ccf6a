// Claude with the person's own login, through the Claude Agent SDK. It runs without tools, hooks, settings and MCP servers, and saves no session.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environmentOfOwnRun } from '../../agents/claude-code/index.ts';
import { findClaudeSdk, installClaudeSdk } from '../../agents/claude-code/sdk.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { ModelError, type OpenModel, type Question, type Reply } from './model.ts';

/** The part of the SDK that this file uses. Holdfast does not depend on the SDK; the person installs it. */
interface Sdk {
  query(given: { prompt: string; options: Record<string, unknown> }): AsyncIterable<Message>;
}

interface Message {
  readonly type: string;
  readonly subtype?: string;
  readonly is_error?: boolean;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly stop_reason?: string | null;
  readonly api_error_status?: number | null;
  readonly usage?: Readonly<Record<string, unknown>>;
}

export const openClaude: OpenModel = async ({ home, environment, settings: { distill } }) => {
  const sdk = await load(home);
  const model = distill.modelName ?? 'haiku';
  // An empty folder of our own: it belongs to no project and holds no files for Claude Code to read.
  const cwd = join(home, 'distiller');
  makeFolder(home, cwd);
  return {
    name: `claude/${model}`,
    parallel: 1,
    async ask(question, signal) {
      const timeout = AbortSignal.timeout(distill.timeoutSeconds * 1000);
      const abortController = new AbortController();
      const stop = () => abortController.abort();
      for (const one of [signal, timeout]) one.addEventListener('abort', stop);
      if (signal.aborted) stop();
      try {
        const messages = sdk.query({
          prompt: promptOf(question),
          options: {
            abortController,
            cwd,
            model,
            env: environmentOfOwnRun(environment, question.maxOutputTokens),
            systemPrompt: systemOf(question),
            maxTurns: 1,
            persistSession: false,
            // A transcript may contain instructions. Without tools, Claude cannot act on them.
            tools: [],
            allowedTools: [],
            mcpServers: {},
            strictMcpConfig: true,
            hooks: {},
            plugins: [],
            skills: [],
            settingSources: [],
            permissionMode: 'dontAsk',
            thinking: { type: 'disabled' },
            ...(distill.program === undefined ? {} : { pathToClaudeCodeExecutable: distill.program }),
          },
        });
        for await (const message of messages) if (message.type === 'result') return toReply(message);
        throw new ModelError('failed', 'Claude Code ended without an answer');
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted)
          throw new ModelError('failed', `no answer within ${distill.timeoutSeconds} s`, { cause: error });
        throw error instanceof ModelError ? error : troubleOf(error);
      } finally {
        for (const one of [signal, timeout]) one.removeEventListener('abort', stop);
      }
    },
  };
};

async function load(home: string): Promise<Sdk> {
  const found = findClaudeSdk(home);
  if (found !== undefined) return (await import(/* @vite-ignore */ pathToFileURL(found).href)) as Sdk;
  throw new ModelError('setup', 'The Claude Agent SDK is not installed', {
    hint: installClaudeSdk(home),
  });
}

const systemOf = ({ system, shape }: Question): string =>
  `${system}\n\nAnswer with one JSON object of this JSON Schema, and nothing else:\n${JSON.stringify(shape)}`;

/** A run takes a single prompt, so the prompt contains the earlier messages. */
const promptOf = ({ messages }: Question): string =>
  messages.map(({ role, text }) => (role === 'user' ? text : `You have answered:\n${text}`)).join('\n\n');

function toReply(message: Message): Reply {
  const count = (name: string): number => Number(message.usage?.[name] ?? 0) || 0;
  const usage = {
    calls: 1,
    input: count('input_tokens') + count('cache_creation_input_tokens') + count('cache_read_input_tokens'),
    output: count('output_tokens'),
  };
  const text = message.result ?? message.errors?.join('; ') ?? '';
  if (message.stop_reason === 'refusal') return { text, end: 'refused', usage };
  if (message.is_error !== true && message.subtype === 'success')
    return { text, end: message.stop_reason === 'max_tokens' ? 'cut' : 'whole', usage };
  throw troubleOf(text, message.api_error_status ?? undefined);
}

function troubleOf(error: unknown, status?: number): ModelError {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 300);
  const said = text || `Claude Code failed${status === undefined ? '' : ` (${status})`}`;
  const is = (pattern: RegExp, ...statuses: number[]) => pattern.test(text) || statuses.includes(status ?? 0);
  if (is(/rate.?limit|usage limit|overloaded|\b(429|529)\b/i, 429, 529, 503))
    return new ModelError('busy', said, { cause: error });
  if (is(/log ?in|authenticat|api key|oauth|\b(401|403)\b/i, 401, 403))
    return new ModelError('setup', said, { cause: error, hint: 'Log in with Claude Code: run claude, then /login' });
  if (is(/executable|binary|ENOENT|model.*(not exist|not found|access)/i, 404))
    return new ModelError('setup', said, { cause: error, hint: 'Check distill.modelName and distill.program.' });
  return new ModelError('failed', said, { cause: error });
}
