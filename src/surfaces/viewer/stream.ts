// Server-sent events by fetch: EventSource cannot send headers, and so cannot send the bearer.
import { asked } from './admission.ts';

export interface StreamEvent {
  readonly kind: string;
  readonly data: string;
  /** The last id in the stream. */
  readonly id: string | undefined;
}

export interface StreamListener {
  open?(): void;
  event(event: StreamEvent): void;
  /** The stream ended. It reconnects soon, unless it was refused. */
  lost?(refused: boolean): void;
}

const againAfterMs = 1000;

/** Reconnects with the last id seen, until it is closed or refused. Returns a function that closes it. */
export function openStream(path: string, listener: StreamListener): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  let last: string | undefined;
  const follow = async (): Promise<void> => {
    let refused = false;
    try {
      const headers = last === undefined ? {} : { 'last-event-id': last };
      const response = await asked(path, { headers, signal });
      if (response?.ok && response.body) {
        listener.open?.();
        for await (const event of eventsOf(response.body)) {
          if (signal.aborted) return;
          last = event.id ?? last;
          if (event.data !== '') listener.event({ ...event, id: last });
        }
      } else refused = response === undefined || response.status < 500;
    } catch {
      // The worker is down or restarting.
    }
    if (signal.aborted) return;
    listener.lost?.(refused);
    if (!refused) setTimeout(() => !signal.aborted && void follow(), againAfterMs);
  };
  void follow();
  return () => leaving.abort();
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (text + value).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) yield eventOf(part);
  }
}

function eventOf(part: string): StreamEvent {
  const fields = new Map<string, string>();
  for (const line of part.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    fields.set(name, name === 'data' && fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  return { kind: fields.get('event') ?? 'message', data: fields.get('data') ?? '', id: fields.get('id') };
}
