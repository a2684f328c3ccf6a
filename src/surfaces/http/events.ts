// Live events → server-sent events. Changes carry the store's own numbers, so a client that reconnects, even to a
// restarted worker, gets every missed change exactly once. Timers run only while a client listens.
import type { ServerResponse } from 'node:http';
import type { LiveEvents } from '../../schema/live-event.ts';
import type { Work, WorkSource } from '../../schema/work.ts';
import type { Store } from '../../store/store.ts';
import { taken } from './taken.ts';

export interface EventStreams {
  /** `known`: the number of the last change that this client has seen. */
  add(response: ServerResponse, known: number | undefined): Promise<void>;
  close(): void;
}

interface Stream {
  readonly response: ServerResponse;
  /** The number of the last change that was sent. */
  seen: number;
  sending: boolean;
}

/** More than any person's open viewers, and few enough to leave connections for hooks. */
const maxStreams = 32;
/** A client with this much unread has stopped reading. */
const maxUnread = 1 << 20;
/** Other processes write too: commands, imports, distilling. */
const lookMs = 1000;
const pageSize = 500;
/** Without an id: a client that reconnects gets the current state. */
const workEvent = (work: readonly Work[]): string => `event: work\ndata: ${JSON.stringify({ work })}\n\n`;

export function eventStreams(
  events: LiveEvents,
  store: Pick<Store, 'changes'>,
  {
    heartbeatMs = 25_000,
    work,
  }: { readonly heartbeatMs?: number | undefined; readonly work?: WorkSource | undefined } = {},
): EventStreams {
  const streams = new Set<Stream>();
  let timers: NodeJS.Timeout[] = [];
  let unsubscribe: (() => void)[] = [];

  const write = ({ response }: Stream, text: string) => {
    if (response.writableLength > maxUnread) response.destroy();
    else response.write(text);
  };
  const toAll = (text: string) => {
    for (const stream of streams) write(stream, text);
  };

  function forget(stream: Stream): void {
    streams.delete(stream);
    if (streams.size > 0) return;
    for (const timer of timers) clearInterval(timer);
    timers = [];
    for (const stop of unsubscribe) stop();
    unsubscribe = [];
  }

  async function sendChanges(stream: Stream): Promise<void> {
    // A call for this stream is already running. It, or the next look, finds what has just arrived.
    if (stream.sending) return;
    stream.sending = true;
    try {
      for (;;) {
        const changes = await store.changes.after(stream.seen, pageSize);
        if (!streams.has(stream)) return;
        for (const change of changes) {
          stream.seen = change.seq;
          write(stream, `event: change\nid: ${change.seq}\ndata: ${JSON.stringify(change)}\n\n`);
        }
        if (changes.length < pageSize) return;
        await taken(stream.response);
      }
    } catch {
      // The store is busy or closing: the next look tries again, and nothing was counted as sent.
    } finally {
      stream.sending = false;
    }
  }

  const look = () => {
    for (const stream of streams) void sendChanges(stream);
  };

  return {
    async add(response, known) {
      const last = await store.changes.last();
      const [oldest] = streams;
      if (oldest !== undefined && streams.size >= maxStreams) {
        forget(oldest);
        oldest.response.end();
      }
      const stream: Stream = { response, seen: Math.min(known ?? last, last), sending: false };
      response.socket?.setTimeout(0);
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      // An id without an event: a client that is cut off before the first change reconnects with it.
      response.write(`: welcome\nretry: 1000\nid: ${stream.seen}\n\n`);
      // This store never gave that number, so it is another store, and everything may have changed.
      if (known !== undefined && known > last) response.write(`event: reset\ndata: {}\n\n`);
      response.once('close', () => forget(stream));
      streams.add(stream);
      if (timers.length === 0)
        timers = [
          // Send something now and then, or neither side notices that the other is gone.
          setInterval(() => toAll(': still here\n\n'), heartbeatMs).unref(),
          setInterval(look, lookMs).unref(),
        ];
      const current = work?.now() ?? [];
      if (current.length > 0) write(stream, workEvent(current));
      if (unsubscribe.length === 0)
        unsubscribe = [
          events.subscribe((event) => {
            toAll(`data: ${JSON.stringify(event)}\n\n`);
            look();
          }),
          ...(work ? [work.subscribe((now) => toAll(workEvent(now)))] : []),
        ];
      await sendChanges(stream);
    },
    close() {
      for (const stream of [...streams]) {
        forget(stream);
        stream.response.end();
      }
    },
  };
}
