// Live events → server-sent events. A timer runs only while somebody listens.
import type { ServerResponse } from 'node:http';
import type { LiveEvents } from '../schema/live-event.ts';

export interface EventStreams {
  add(response: ServerResponse): void;
  close(): void;
}

/** More than any person's open viewers, and few enough to leave connections for hooks. */
const maxStreams = 32;
/** One that has this much unread has stopped reading. */
const maxUnread = 1 << 20;

export function eventStreams(events: LiveEvents, heartbeatMs = 25_000): EventStreams {
  const streams = new Set<ServerResponse>();
  let heartbeat: NodeJS.Timeout | undefined;
  let unsubscribe: (() => void) | undefined;

  const send = (text: string) => {
    for (const stream of streams) {
      if (stream.writableLength > maxUnread) stream.destroy();
      else stream.write(text);
    }
  };

  function forget(stream: ServerResponse): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(heartbeat);
    unsubscribe?.();
    heartbeat = unsubscribe = undefined;
  }

  return {
    add(response) {
      const [oldest] = streams;
      if (oldest !== undefined && streams.size >= maxStreams) {
        forget(oldest);
        oldest.end();
      }
      response.socket?.setTimeout(0);
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(': welcome\n\n');
      response.once('close', () => forget(response));
      streams.add(response);
      // Something must travel now and then, or neither side learns that the other is gone.
      heartbeat ??= setInterval(() => send(': still here\n\n'), heartbeatMs).unref();
      unsubscribe ??= events.subscribe((event) => send(`data: ${JSON.stringify(event)}\n\n`));
    },
    close() {
      for (const stream of [...streams]) {
        forget(stream);
        stream.end();
      }
    },
  };
}
