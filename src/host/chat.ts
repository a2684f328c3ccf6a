// A chat with a group's agent: lines go into the store, answers come out of it, and what is being written is heard on the way. Where no
// host runs, the chat is one itself, for the groups that somebody chats with: whoever opens a chat wants an answer.
import type { Context, Terminal } from '../operations/operation.ts';
import type { LiveWord, OutgoingMessage } from '../schema/group-message.ts';
import { type Listening, listenToHost, ring } from '../sessions/bell.ts';
import { localTime } from '../text/local-time.ts';
import { type OpenedHost, openHostOf } from './open.ts';
import { nothingIsolated } from './sandbox/index.ts';

export interface ChatOptions {
  readonly group: string;
  /** Said in place of what the person types. */
  readonly message?: string | undefined;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface ChatEnd {
  readonly said: readonly OutgoingMessage[];
  /** Messages that nobody has answered yet. */
  readonly open: readonly number[];
}

const lookMs = 1000;
/** Whoever leaves in the middle of an answer does not want to wait for it. */
const patienceMs = 0;

export async function chat(context: Context, terminal: Terminal, options: ChatOptions): Promise<ChatEnd> {
  const { store, clock, config } = context;
  const { group, log, signal, message } = options;
  const isOneMessage = message !== undefined || !terminal.isTyped;
  const open = new Set<number>();
  const said: OutgoingMessage[] = [];
  let seen = await store.lastOutgoing();
  let streamed = '';
  let changed = () => {};
  let over = false;

  function hear(word: LiveWord): void {
    if (word.part !== undefined && terminal.isTyped) {
      streamed += word.part;
      terminal.show(word.part);
    }
    if (word.trouble !== undefined) terminal.note(troubleText(word, config.settings.timeZone));
    void look();
  }

  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking.then(async () => {
      for (const out of over ? [] : await store.outgoing(group, seen, 100)) {
        seen = out.id;
        said.push(out);
        showOut(out);
        for (const id of out.answers) open.delete(id);
        if (terminal.isTyped && !isOneMessage && open.size === 0) terminal.ready();
      }
      changed();
    });
    return looking;
  };

  function showOut({ kind, text, task }: OutgoingMessage): void {
    const isShown = kind === 'answer' && text !== '' && streamed.endsWith(text);
    const gap = streamed === '' ? '' : '\n';
    if (kind === 'notice') terminal.note(`${gap}${text}`);
    else if (isShown) terminal.show('\n');
    else if (text !== '') terminal.show(`${gap}${task === undefined ? '' : `[task ${task}] `}${text}\n`);
    if (kind !== 'message') streamed = '';
  }

  const host = hostNear(context, group, { log, hear, note: terminal.note });
  const timer = setInterval(() => void look(), lookMs);
  const say = async (text: string) => {
    const added = await store.addMessage(group, { text }, clock());
    if (added === undefined) return;
    open.add(added.id);
    await ring(config);
  };
  const answered = () =>
    new Promise<void>((resolve) => {
      changed = () => open.size === 0 && resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
      changed();
    });

  try {
    await host.find();
    if (isOneMessage) {
      for await (const text of message === undefined ? terminal.lines : [message])
        if (text.trim() !== '') await say(text);
      await answered();
    } else {
      terminal.note(`You are chatting with the agent of ${group}. Ctrl+D leaves.`);
      terminal.ready();
      signal.addEventListener('abort', terminal.close, { once: true });
      for await (const line of terminal.lines) {
        if (line.trim() === '') terminal.ready();
        else await say(line);
      }
    }
    await looking;
    if (open.size > 0) terminal.note(host.farewell());
    return { said, open: [...open] };
  } finally {
    over = true;
    clearInterval(timer);
    terminal.close();
    await host.leave();
    await looking;
  }
}

const troubleText = ({ trouble, retryAt }: LiveWord, timeZone: string): string =>
  retryAt === undefined ? `${trouble}` : `${trouble} It is tried again at ${localTime(retryAt, timeZone)}.`;

/** The host that there is, or becomes one, also when the one that was there has ended. */
function hostNear(
  context: Context,
  group: string,
  on: { log: (line: string) => void; hear: (word: LiveWord) => void; note: (text: string) => void },
) {
  let own: OpenedHost | undefined;
  let listening: Listening | undefined;
  let left = false;
  let again: NodeJS.Timeout | undefined;

  // What a limit cannot hold is for whoever runs a host; that nothing is held is for everybody.
  const warn = (line: string) => (line === nothingIsolated ? on.note(line) : on.log(line));

  async function find(): Promise<void> {
    if (left) return;
    if (own === undefined) {
      const opened = await openHostOf(context, { log: on.log, warn, onlyHeard: { group } });
      if ('host' in opened) {
        own = opened;
        on.note('No host is running, so this chat runs the agent itself, until you leave.');
      }
    }
    if (left) return;
    listening = listenToHost(context.config, group, {
      word: on.hear,
      gone: () => {
        again = setTimeout(() => void find().catch((error: Error) => on.note(error.message)), 500);
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
      await own?.stop(patienceMs);
    },
  };
}
