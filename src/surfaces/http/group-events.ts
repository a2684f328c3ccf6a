// Messages of a group → server-sent events. The ids are the store's, so a client that reconnects with the last id, even
// to another worker or host, misses nothing. Parts of an answer that is being written have no id: they are not stored.
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { known, openNamed } from '../../operations/groups/groups.ts';
import type { Context } from '../../operations/operation.ts';
import type { Born } from '../../processes/access/tokens.ts';
import { OutgoingMessage } from '../../schema/group-message.ts';
import { listenToHost } from '../../sessions/groups/bell.ts';
import { numberIn } from './own-routes.ts';
import { type Route, route } from './route.ts';
import { taken } from './taken.ts';

const maxStreams = 64;
const maxUnread = 1 << 20;
/** If the host cannot be heard, polling finds what it has said. */
const lookMs = 1000;
const pageSize = 100;

export interface GroupStreams {
  readonly route: Route;
  close(): void;
}

export function groupStreams(context: Context, heartbeatMs = 25_000): GroupStreams {
  const streams = new Set<{ end(): void }>();

  function open({ name: group, createdAt }: Born, response: ServerResponse, from: number): void {
    let [seen, sending, over] = [from, false, false];
    const write = (text: string) => {
      if (response.writableLength > maxUnread) response.destroy();
      else response.write(text);
    };
    async function look(): Promise<void> {
      if (sending || over) return;
      sending = true;
      try {
        // A listener of a removed group must not hear a new group of the same name.
        if ((await context.store.groups.get(group))?.createdAt !== createdAt) return stream.end();
        for (;;) {
          const found = await context.store.messages.outgoing(group, seen, pageSize);
          for (const out of found) {
            if (over) return;
            write(`event: ${out.kind}\nid: ${out.id}\ndata: ${JSON.stringify(out)}\n\n`);
            seen = out.id;
            await taken(response);
          }
          if (over || found.length < pageSize) return;
        }
      } catch {
        // The store is busy or closing: the next look tries again, and nothing was counted as sent.
      } finally {
        sending = false;
      }
    }
    const hear = () =>
      listenToHost(context.config, group, {
        word: ({ part, trouble, retryAt }) => {
          if (part !== undefined) write(`event: part\ndata: ${JSON.stringify({ text: part })}\n\n`);
          else if (trouble !== undefined)
            write(`event: trouble\ndata: ${JSON.stringify({ text: trouble, retryAt })}\n\n`);
          else void look();
        },
        gone() {
          // The next look tries to hear the next host.
          listening = undefined;
        },
      });
    let listening: ReturnType<typeof listenToHost> | undefined = hear();
    const timers = [
      setInterval(() => write(': still here\n\n'), heartbeatMs).unref(),
      setInterval(() => {
        listening ??= hear();
        void look();
      }, lookMs).unref(),
    ];
    const stream = {
      end() {
        over = true;
        for (const timer of timers) clearInterval(timer);
        listening?.close();
        streams.delete(stream);
        response.end();
      },
    };
    streams.add(stream);
    response.once('close', stream.end);
    response.socket?.setTimeout(0);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // An id without an event: a client that is cut off before the first event reconnects with it.
    write(`: welcome\nretry: 1000\nid: ${seen}\n\n`);
    void look();
  }

  return {
    close() {
      for (const stream of [...streams]) stream.end();
    },
    route: route({
      method: 'GET',
      path: '/api/groups/{group}/events',
      summary: 'Live messages of a group: server-sent events with ids to continue from',
      access: 'group',
      type: 'text/event-stream',
      input: z.object({
        group: z.string().min(1).describe('name of the group'),
        after: z.int().min(0).optional().describe('send events after this id, if there is no header Last-Event-ID'),
      }),
      output: OutgoingMessage,
      async run({ group, after }, { request, response }) {
        const { name } = await openNamed(context, group);
        const born = await known(context, name);
        const [oldest] = streams;
        if (streams.size >= maxStreams) oldest?.end();
        const last = numberIn(request.headers['last-event-id']) ?? after;
        open(born, response, last ?? (await context.store.messages.lastOutgoing()));
      },
    }),
  };
}
