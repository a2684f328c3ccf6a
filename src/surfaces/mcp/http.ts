// MCP over HTTP: one request, one answer, no session between them. The caller was admitted before.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../../operations/operation.ts';
import { mcpServers } from './server.ts';

export interface McpHttp {
  /** Contract: the protocol answers any body, whatever it contains. */
  answer(request: IncomingMessage, body: string, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/** Nothing here changes while it runs, so no client needs to listen for long. */
const maxSubscriptions = 8;

export async function openMcpHttp(context: Context): Promise<McpHttp> {
  const { createMcpHandler } = await import('./sdk.ts');
  const server = await mcpServers({
    config: () => context.config,
    context: async () => context,
    folder: undefined,
  });
  const handler = createMcpHandler(server, { maxSubscriptions });
  return {
    close: () => handler.close(),
    async answer(request, asked, response) {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const answer = await handler.fetch(
        new Request(`http://127.0.0.1${request.url}`, { method: 'POST', headers, body: asked, signal: gone.signal }),
      );
      const fields = Object.fromEntries(answer.headers);
      if (fields['content-type']?.startsWith('text/event-stream') !== true) {
        const body = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, { ...fields, 'content-length': body.length }).end(body);
        return;
      }
      response.writeHead(answer.status, fields);
      for await (const part of answer.body ?? []) {
        if (gone.signal.aborted) break;
        response.write(part);
      }
      response.end();
    },
  };
}
