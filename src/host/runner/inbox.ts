// Messages on their way to the agent. A message that the agent has not taken is given again to the next reader.
import type { Message } from './driver.ts';

export interface Inbox {
  push(message: Message): void;
  /** Later messages are not for this process. */
  close(): void;
  taken(id: string): void;
  messages(): AsyncGenerator<Message>;
}

export function openInbox(): Inbox {
  const waiting: Message[] = [];
  let closed = false;
  let wake = () => {};
  const moved = () => wake();
  return {
    push(message) {
      if (closed || waiting.some(({ id }) => id === message.id)) return;
      waiting.push(message);
      moved();
    },
    close() {
      closed = true;
      moved();
    },
    taken(id) {
      const at = waiting.findIndex((message) => message.id === id);
      if (at >= 0) waiting.splice(at, 1);
    },
    async *messages() {
      const given = new Set<string>();
      for (;;) {
        const next = waiting.find(({ id }) => !given.has(id));
        if (next !== undefined) {
          given.add(next.id);
          yield next;
        } else if (closed) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
