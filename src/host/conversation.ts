// The host's side of one connection: what was sent, taken and answered. The process at the other end is not trusted: what it says about
// messages counts only for its own messages, and once.
import type { FailureKind, HostFrame, RunnerFrame, StartFrame } from '../schema/host-frame.ts';
import type { AgentEvents } from './agent.ts';
import type { Channel } from './channel.ts';
import { deeds, openPace } from './pace.ts';

export interface Conversation {
  /** False: it is closing, or the agent does not keep up. The message belongs to the next process. */
  send(message: { readonly id: string; readonly text: string }): boolean;
  close(): void;
  /** Handles every frame until the connection ends. */
  listen(channel: Channel<RunnerFrame, HostFrame>): Promise<void>;
  untaken(): readonly string[];
  unanswered(): readonly string[];
  /** Why the host ends it. The first reason counts. */
  fail(message: string): void;
  /** How it ended, as far as the runner or the host has said it. */
  end(): { closed: boolean; failure?: { kind: FailureKind; message: string } };
}

/** How many calls may run at a time. Beyond that, the host reads no further frame. */
const maxCalls = 16;
/** Frames that make the host search, read or store something. */
const costly: ReadonlySet<RunnerFrame['type']> = new Set(['call', 'compacting', 'session', 'result']);
/** How many bytes may wait for an agent that does not read. */
const maxPending = 32 * 1024 * 1024;

export function openConversation(
  start: StartFrame,
  events: AgentEvents,
  complain: (line: string) => void,
): Conversation {
  const untaken = new Set<string>();
  const unanswered = new Set<string>();
  const early: HostFrame[] = [start];
  let channel: Channel<RunnerFrame, HostFrame> | undefined;
  let [closing, closed] = [false, false];
  let failure: { kind: FailureKind; message: string } | undefined;
  const calls = new Set<Promise<void>>();
  const pace = openPace(deeds);

  const put = (frame: HostFrame): void => {
    if (channel === undefined) early.push(frame);
    else channel.send(frame).catch((error: Error) => complain(error.message));
  };
  const tell = (what: () => void): void => {
    try {
      what();
    } catch (error) {
      complain((error as Error).stack ?? String(error));
    }
  };
  const reply = (call: string, answer: () => Promise<string>): void => {
    const done = (async () => {
      try {
        put({ type: 'reply', call, ok: true, text: await answer() });
      } catch (error) {
        put({ type: 'reply', call, ok: false, text: (error as Error).message });
      }
    })().finally(() => calls.delete(done));
    calls.add(done);
  };

  const hear: { readonly [T in RunnerFrame['type']]: (frame: Extract<RunnerFrame, { type: T }>) => void } = {
    hello: () => {},
    session: ({ session }) => tell(() => events.session?.(session)),
    taken({ id }) {
      if (!untaken.delete(id)) return complain(`It took a message that it was not sent: ${id}`);
      unanswered.add(id);
      tell(() => events.taken?.(id));
    },
    delta: ({ text }) => tell(() => events.delta?.(text)),
    result({ type: _, ...result }) {
      const answers = result.answers.filter((id) => unanswered.delete(id));
      tell(() => events.result?.({ ...result, answers }));
    },
    call: ({ call, tool, input }) =>
      reply(call, async () => {
        if (events.call === undefined) throw new Error(`There is no tool ${tool}`);
        return events.call(tool, input);
      }),
    compacting: ({ call, session }) =>
      reply(call, async () => {
        await events.compacting?.(session);
        return '';
      }),
    failed({ kind, message }) {
      failure ??= { kind, message };
      tell(() => events.failed?.(kind, message));
    },
    closed() {
      closed = true;
    },
  };

  return {
    send({ id, text }) {
      if (closing || closed || failure !== undefined || (channel?.pending() ?? 0) > maxPending) return false;
      untaken.add(id);
      put({ type: 'message', id, text });
      return true;
    },
    close() {
      if (closing) return;
      closing = true;
      put({ type: 'close' });
    },
    async listen(opened) {
      channel = opened;
      for (const frame of early.splice(0)) put(frame);
      for await (const frame of opened.frames) {
        if (costly.has(frame.type)) await pace.take(1);
        (hear[frame.type] as (frame: RunnerFrame) => void)(frame);
        while (calls.size >= maxCalls) await Promise.race(calls);
      }
      closing = true;
      await Promise.all(calls);
    },
    fail(message) {
      failure ??= { kind: 'other', message };
    },
    untaken: () => [...untaken],
    unanswered: () => [...unanswered],
    end: () => ({ closed, ...(failure === undefined ? {} : { failure }) }),
  };
}
