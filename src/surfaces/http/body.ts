// The body of a request → JSON, or the reason why not. Read only after the caller was admitted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HoldfastError } from '../../system/errors.ts';

export async function readJson(request: IncomingMessage, response: ServerResponse, limit: number): Promise<unknown> {
  const { headers } = request;
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers['content-type'] ?? ''))
    throw new HoldfastError('BAD_TYPE', 'The body must be JSON', { hint: 'Send Content-Type: application/json' });
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new HoldfastError('BAD_TYPE', 'A compressed body is not accepted');
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  if (headers.expect !== undefined) response.writeContinue();
  return parseJson((await collect(request, limit)).toString('utf8'));
}

/** The body as it is, for a handler that checks it itself. */
export async function readBody(request: IncomingMessage, response: ServerResponse, limit: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  if (request.headers.expect !== undefined) response.writeContinue();
  return (await collect(request, limit)).toString('utf8');
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= limit) parts.push(part);
      else {
        parts.length = 0;
        request.removeAllListeners('data');
        reject(tooLarge(limit));
      }
    });
    request.once('end', () => resolve(Buffer.concat(parts)));
    request.once('error', reject);
  });
}

/** Drops a key that names the prototype, so that no later code has to consider it. */
export function parseJson(text: string): unknown {
  try {
    // The reviver is slow, so use it only if such a key may occur, plain or with escaped letters.
    return /__proto__|\\u00[567]/i.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text);
  } catch (error) {
    throw new HoldfastError('BAD_INPUT', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

const withoutPrototype = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value);

const tooLarge = (limit: number): HoldfastError =>
  new HoldfastError('TOO_LARGE', `The body is larger than ${limit >> 20} MB`);
