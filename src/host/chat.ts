// A chat with a group's agent. It stores the person's lines, reads answers from the store, and shows parts of an answer as the agent
// writes them. If no host is running, the chat becomes one, for the groups that people chat with.

import { permitted } from '../operations/groups/permitted.ts';
import type { Context, Terminal } from '../operations/operation.ts';
import type { LiveWord, OutgoingMessage } from '../schema/group-message.ts';
import { type Listening, listenToHost, ring } from '../sessions/groups/bell.ts';
import { mostAttempts } from '../sessions/groups/delivery.ts';
import { groupFolders } from '../sessions/groups/group-folders.ts';
import { explain, HoldfastError } from '../system/errors.ts';
import { openView } from './chat-view.ts';
import { type HostOptions, type OpenedHost, openHostOf } from './open.ts';
import { nothingIsolated } from './sandbox/index.ts';

export interface ChatOptions {
  readonly group: string;
  /** Sent instead of what the person types. */
  readonly message?: string | undefined;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /** How to start agents if the chat is the host. */
  readonly start?: HostOptions['start'];
}

export interface ChatEnd {
  readonly said: readonly OutgoingMessage[];
  /** Messages without an answer yet. */
  readonly open: readonly number[];
}

const lookMs = 1000;
/** Fits into a frame, whatever its characters. */
const longestMessage = 2_000_000;
/** A person who leaves in the middle of an answer does not want to wait for it. */
const patienceMs = 0;

export async function chat(context: Context, terminal: Terminal, options: ChatOptions): Promise<ChatEnd> {
  const { store, clock, config } = context;
  const { group, log, signal, message, start } = options;
  const isOneMessage = message !== undefined || !terminal.isTyped;
  const from = await store.messages.lastOutgoing();
  const seenBefore = await store.messages.seenInChat(group);
  // A chat of one message does not show earlier messages, so they stay unseen for the next chat at the terminal.
  const isSeenAll = seenBefore !== undefined && (await store.messages.outgoing(group, seenBefore, 1)).length === 0;
  const isNoted = !isOneMessage || isSeenAll;
  const { timeZone } = config.settings;
  const view = openView({ store, terminal, group, timeZone, log, from, isNoted });
  const host = hostNear(context, group, { log, hear: view.hear, note: terminal.note, start });
  const timer = setInterval(() => void view.look(), lookMs);
  const say = async (text: string) => {
    if (text.length > longestMessage)
      throw new HoldfastError('TOO_LARGE', `A message of ${text.length} characters is too long for an agent`, {
        hint: `Put it into a file in ${groupFolders(config, group).work}, and name the file.`,
      });
    const added = await store.messages.add(
      group,
      { text: await permitted(text, 'The message'), mostAttempts },
      clock(),
    );
    if (added === undefined) throw new HoldfastError('NOT_FOUND', `There is no group ${group} any more`);
    view.open.add(added.id);
    await ring(config);
  };
  try {
    await host.find();
    if (isOneMessage) {
      for await (const text of message === undefined ? terminal.lines : [message])
        if (text.trim() !== '') await say(text);
      await view.answered(signal);
    } else {
      if (seenBefore === undefined) await store.messages.noteSeen(group, from);
      else await view.catchUp(seenBefore);
      view.begin();
      terminal.note(`You are chatting with the agent of ${group}. Ctrl+D leaves.`);
      terminal.ready();
      signal.addEventListener('abort', terminal.close, { once: true });
      for await (const line of terminal.lines) {
        if (line.trim() === '') terminal.ready();
        else await say(line);
      }
    }
    await view.settled();
    if (view.open.size > 0) terminal.note(host.farewell());
    return { said: view.said, open: [...view.open] };
  } finally {
    view.end();
    clearInterval(timer);
    terminal.close();
    await host.leave();
    await view.settled();
  }
}

const inWords = (error: unknown): string => {
  const { message, hint } = explain(error, 'the host');
  return hint === undefined ? message : `${message}. ${hint}`;
};

/** Listens to the running host, or becomes the host if there is none or if it ends. */
function hostNear(
  context: Context,
  group: string,
  on: Pick<ChatOptions, 'log' | 'start'> & { hear: (word: LiveWord) => void; note: (text: string) => void },
) {
  let own: OpenedHost | undefined;
  let listening: Listening | undefined;
  let left = false;
  let again: NodeJS.Timeout | undefined;

  // Missing limits concern the person who runs a host. Missing isolation concerns every person who chats.
  const warn = (line: string) => (line === nothingIsolated ? on.note(line) : on.log(line));

  let finding: Promise<void> = Promise.resolve();
  const find = (): Promise<void> => {
    finding = seek();
    return finding;
  };

  async function seek(): Promise<void> {
    if (left) return;
    if (own === undefined) {
      const opened = await openHostOf(context, { log: on.log, warn, onlyHeard: { group }, start: on.start });
      if ('host' in opened) {
        own = opened;
        if (!left) on.note('No host is running, so this chat runs the agent itself, until you leave.');
      }
    }
    if (left) return;
    listening = listenToHost(context.config, group, {
      word: on.hear,
      gone: () => {
        again = setTimeout(() => void find().catch((error) => on.note(inWords(error))), 500);
      },
    });
  }

  return {
    find,
    farewell: () =>
      own === undefined
        ? 'The host goes on with it; the answer waits for your next chat.'
        : 'It has no answer yet; it is tried again when a host runs, or in your next chat.',
    async leave() {
      left = true;
      clearTimeout(again);
      listening?.close();
      // The chat may be becoming the host right now: wait, then stop that host too. Its errors were shown already.
      await finding.catch(() => {});
      await own?.stop(patienceMs);
    },
  };
}
