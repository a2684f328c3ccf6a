// As much of the Anthropic Messages API and of OpenAI's chat completions as a model's answer needs. The test decides the answers.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Answer =
  | { readonly text: string; readonly stop?: string }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly message?: string }
  /** `cut`: half an answer, then the end of the connection. `silent`: no answer at all. */
  | 'cut'
  | 'silent';

export interface Request {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a body of either protocol, of which tests look at a few fields
  readonly body: any;
}

export interface ModelMock {
  readonly url: string;
  readonly asked: Request[];
}

/** Gives `answers` one after the other and repeats the last one. A function chooses for itself. */
export async function modelMock(
  answers: readonly Answer[] | ((request: Request, n: number) => Answer),
): Promise<ModelMock> {
  const asked: Request[] = [];
  const server = http.createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const request: Request = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: JSON.parse(Buffer.concat(parts).toString('utf8') || '{}'),
    };
    const n = asked.push(request) - 1;
    const answer =
      typeof answers === 'function' ? answers(request, n) : (answers[Math.min(n, answers.length - 1)] as Answer);
    if (answer === 'silent') return;
    const isAnthropic = request.path.endsWith('/messages');
    if (answer !== 'cut' && 'status' in answer) {
      const error = { type: 'scripted_error', message: answer.message ?? 'scripted' };
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      return void response.end(JSON.stringify(isAnthropic ? { type: 'error', error } : { error }));
    }
    const text = answer === 'cut' ? 'half an answer' : answer.text;
    const stop = answer === 'cut' ? undefined : answer.stop;
    const whole = JSON.stringify(isAnthropic ? message(request, text, stop) : completion(request, text, stop));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) });
    if (answer !== 'cut') return void response.end(whole);
    response.write(whole.slice(0, whole.length / 2));
    setTimeout(() => response.destroy(), 20);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

/** If the request wants the answer as a tool input, give it as one. */
function message({ body }: Request, text: string, stop = 'end_turn') {
  const asTool = body.tools?.length > 0 && text.startsWith('{');
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: asTool
      ? [{ type: 'tool_use', id: 'toolu_1', name: body.tools[0].name, input: JSON.parse(text) }]
      : [{ type: 'text', text }],
    stop_reason: asTool ? 'tool_use' : stop,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  };
}

const completion = ({ body }: Request, content: string, stop = 'stop') => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: body.model,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: stop }],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
});
