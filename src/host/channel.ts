// Frames over a socket: four bytes of length, then JSON. Whatever the other side sends, the channel reads the next good frame.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { z } from 'zod';
import { HoldfastError } from '../system/errors.ts';

/** The maximum length of a frame in bytes. Long enough for any answer of a model, and short enough to keep in memory. */
export const maxFrame = 16 * 1024 * 1024;

/** What could not be read: the reason, and the first bytes. */
export type Quarantine = (reason: string, bytes: Buffer) => void;

export interface ChannelLimits {
  /** Maximum bytes of a frame. */
  readonly limit?: number;
  /** Called before each frame of the other side is processed. The frame waits for the promise. */
  readonly pace?: (bytes: number) => Promise<void> | undefined;
}

export interface Channel<In, Out> {
  /** The other side's frames, in order. The next one is read from the socket when this one is done. Ends with the connection. */
  readonly frames: AsyncIterable<In>;
  /** Resolves when there is room for more, or the connection is gone. Throws TOO_LARGE, and then sends nothing. */
  send(frame: Out): Promise<void>;
  /** Bytes that the other side has not taken yet. */
  pending(): number;
  /** Ends the connection after everything sent. */
  end(): void;
}

export function openChannel<In, Out>(
  socket: Socket,
  schema: z.ZodType<In>,
  quarantine: Quarantine,
  { limit = maxFrame, pace }: ChannelLimits = {},
): Channel<In, Out> {
  // A broken connection counts as an ended one: the reader sees the end of the frames.
  socket.on('error', () => socket.destroy());
  return {
    frames: read(socket, schema, quarantine, limit, pace),
    async send(frame) {
      const body = Buffer.from(JSON.stringify(frame), 'utf8');
      if (body.length > limit) throw new HoldfastError('TOO_LARGE', `A message of ${body.length} bytes is too large`);
      const head = Buffer.alloc(4);
      head.writeUInt32BE(body.length);
      if (socket.destroyed || socket.write(Buffer.concat([head, body]))) return;
      const over = new AbortController();
      const { signal } = over;
      // Whichever comes first; then stop waiting for the other.
      await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => {});
      over.abort();
    },
    pending: () => socket.writableLength,
    end: () => void socket.end(),
  };
}

async function* read<In>(
  socket: Socket,
  schema: z.ZodType<In>,
  quarantine: Quarantine,
  limit: number,
  pace: ChannelLimits['pace'],
): AsyncGenerator<In> {
  const split = frameSplitter(limit);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>)
      for (const piece of split(chunk)) {
        // Malformed frames cost the host time as well.
        await pace?.(piece.tooLong ?? piece.bytes.length);
        if (piece.tooLong !== undefined) {
          quarantine(`a frame of ${piece.tooLong} bytes`, piece.bytes);
          continue;
        }
        const frame = parse(schema, piece.bytes);
        if (frame.error === undefined) yield frame.value;
        else quarantine(frame.error, piece.bytes);
      }
  } catch {
    // The connection broke, which ends the frames.
  }
}

function parse<In>(schema: z.ZodType<In>, bytes: Buffer): { value: In; error?: undefined } | { error: string } {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { error: 'not JSON' };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  return { error: `not a known frame: ${issue?.path.join('.')} ${issue?.message}` };
}

interface Piece {
  readonly bytes: Buffer;
  /** The frame was longer than allowed, and this is its beginning. The rest was not kept. */
  readonly tooLong?: number;
}

/** Frames may arrive in any pieces. Each call returns the ones that are complete now. */
export function frameSplitter(limit: number): (chunk: Buffer) => Piece[] {
  /** How much of an oversized frame is kept for the log. */
  const shown = 2048;
  const head = Buffer.alloc(4);
  let [headRead, bodyRead] = [0, 0];
  let length = 0;
  // Bytes are copied here as they arrive. A list of pieces would need many times the memory of a frame that comes byte by byte.
  let body = Buffer.alloc(0);
  return (chunk) => {
    const pieces: Piece[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (headRead < 4) {
        head[headRead++] = chunk[at++] as number;
        if (headRead < 4) continue;
        length = head.readUInt32BE();
        bodyRead = 0;
        body = Buffer.allocUnsafe(length > limit ? Math.min(shown, length) : length);
      } else {
        const part = chunk.subarray(at, at + length - bodyRead);
        at += part.length;
        if (bodyRead < body.length) part.copy(body, bodyRead);
        bodyRead += part.length;
      }
      if (bodyRead < length) continue;
      pieces.push({ bytes: body, ...(length > limit ? { tooLong: length } : {}) });
      [headRead, body] = [0, Buffer.alloc(0)];
    }
    return pieces;
  };
}
