// As much of the Messages API as Claude Code needs, scripted by the prompt: `MOCK:[{"tool":"Bash","input":{…}},{"text":"done"}]`. The
// person's newest message with a script counts, and the number of answers after it says which step comes next. So the mock keeps no state,
// and works across resumed and forked sessions.
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { distillerMark } from '../../src/schema/distiller.ts';

export interface Step {
  readonly text?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly delay?: number;
  /** The answer waits for `go`, so the turn lasts as long as the test needs. */
  readonly held?: boolean;
  /** Answers with this HTTP status. */
  readonly status?: number;
}

export interface Asked {
  readonly kind: 'main' | 'compact' | 'other';
  /** When the request was complete, and when the answer was. */
  readonly at: number;
  answeredAt: number;
  /** System prompt and messages. */
  readonly text: string;
  /** The tools that the model sees. */
  readonly tools: readonly string[];
}

export interface Mock {
  readonly url: string;
  readonly asked: Asked[];
  /** Answers every held request, and holds none from then on. */
  go(): void;
  close(): Promise<void>;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { type: string; text?: string }[];
}

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name?: string; readonly defer_loading?: boolean }[];
  readonly messages: readonly Message[];
}

export async function startMock(): Promise<Mock> {
  const asked: Asked[] = [];
  let go = () => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const at = performance.timeOrigin + performance.now();
    if (!request.url?.startsWith('/v1/messages') || request.url.includes('count_tokens'))
      return void json(response, 200, { input_tokens: 1, data: [] });
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Body;
    const kind = kindOf(body);
    const entry: Asked = {
      kind,
      at,
      answeredAt: at,
      text: JSON.stringify([body.system, body.messages]),
      tools: (body.tools ?? []).filter((tool) => tool.defer_loading !== true).map(({ name = '' }) => name),
    };
    asked.push(entry);
    const step = stepFor(kind, body);
    if (step.held) await gone;
    if (step.delay) await new Promise((done) => setTimeout(done, step.delay));
    if (step.status) json(response, step.status, { type: 'error', error: { type: 'api_error', message: 'scripted' } });
    else if (body.stream) stream(response, answer(body, step));
    else json(response, 200, answer(body, step));
    entry.answeredAt = performance.timeOrigin + performance.now();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    go,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('\n');

function kindOf(body: Body): Asked['kind'] {
  const last = body.messages.findLast((message) => message.role === 'user');
  if (last && /create a detailed summary|Do NOT call any tools/i.test(textOf(last))) return 'compact';
  // Holdfast's distiller asks without tools, as the client itself does for a title.
  if (last && textOf(last).includes(distillerMark)) return 'main';
  return body.max_tokens === 1 || !body.tools?.length ? 'other' : 'main';
}

function stepFor(kind: Asked['kind'], { messages }: Body): Step {
  if (kind === 'compact') return { text: '<summary>What was done so far.</summary>' };
  if (kind === 'other') return { text: '{"title": "Scripted"}' };
  const at = messages.findLastIndex((message) => message.role === 'user' && textOf(message).includes('MOCK:['));
  const script = at < 0 ? [] : scriptIn(textOf(messages[at] as Message));
  return script[messages.slice(at + 1).filter(({ role }) => role === 'assistant').length] ?? { text: 'script over' };
}

/** The last script in a text, which may continue after it. A script inside another belongs to that one: it is what a subagent is told. */
function scriptIn(text: string): Step[] {
  let last: Step[] = [];
  for (let from = text.indexOf('MOCK:['); from >= 0; ) {
    const { steps, end } = scriptAt(text, from + 'MOCK:'.length);
    last = steps;
    from = text.indexOf('MOCK:[', end);
  }
  return last;
}

function scriptAt(text: string, from: number): { steps: Step[]; end: number } {
  for (let end = text.indexOf(']', from); end >= 0; end = text.indexOf(']', end + 1)) {
    try {
      return { steps: JSON.parse(text.slice(from, end + 1)), end };
    } catch {
      // A bracket inside the script.
    }
  }
  return { steps: [], end: text.length };
}

function answer({ model }: Body, { text, tool, input }: Step) {
  const id = () => randomBytes(12).toString('hex');
  const content: Record<string, unknown>[] = [];
  if (text !== undefined) content.push({ type: 'text', text });
  if (tool !== undefined) content.push({ type: 'tool_use', id: `toolu_${id()}`, name: tool, input: input ?? {} });
  return {
    id: `msg_${id()}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: tool === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
}

function json(response: http.ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function stream(response: http.ServerResponse, message: ReturnType<typeof answer>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  message.content.forEach((block, index) => {
    const tool = block.type === 'tool_use';
    send('content_block_start', { index, content_block: tool ? { ...block, input: {} } : { type: 'text', text: '' } });
    const delta = tool
      ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      : { type: 'text_delta', text: block.text };
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  });
  send('message_delta', { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage });
  send('message_stop', {});
  response.end();
}
