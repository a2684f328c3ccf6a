// What a person sees in a chat: messages of the agent as they arrive, and parts of an answer as the agent writes them.
import type { Terminal } from '../operations/operation.ts';
import type { LiveWord, OutgoingMessage } from '../schema/group-message.ts';
import { localTime } from '../schema/local-time.ts';
import type { Store } from '../store/store.ts';
import { explain } from '../system/errors.ts';

const pageSize = 100;
/** How many missed messages a person reads before going on. */
const mostMissed = 20;

export interface ViewDeps {
  readonly store: Pick<Store, 'messages'>;
  readonly terminal: Terminal;
  readonly group: string;
  readonly timeZone: string;
  readonly log: (line: string) => void;
  /** The last message before this chat. */
  readonly from: number;
  /** Whether what is shown counts as seen. */
  readonly isNoted: boolean;
}

export interface ChatView {
  readonly said: readonly OutgoingMessage[];
  /** Messages of the person without an answer yet. */
  readonly open: Set<number>;
  hear(word: LiveWord): void;
  /** Shows what has arrived. */
  look(): Promise<void>;
  /** Shows the last messages that arrived while no chat was open. */
  catchUp(from: number): Promise<void>;
  /** From now on the person may type once everything is answered. */
  begin(): void;
  /** Resolves when every message has an answer, or at the signal. */
  answered(signal: AbortSignal): Promise<void>;
  /** Resolves when no look is under way. */
  settled(): Promise<void>;
  /** Shows nothing more. */
  end(): void;
}

export function openView({ store, terminal, group, timeZone, log, from, isNoted }: ViewDeps): ChatView {
  const open = new Set<number>();
  const said: OutgoingMessage[] = [];
  let seen = from;
  let isBegun = false;
  let streamed = '';
  let changed = () => {};
  let over = false;

  function showOut({ kind, text, task }: OutgoingMessage): void {
    const isShown = kind === 'answer' && text !== '' && streamed.endsWith(text);
    const gap = streamed === '' ? '' : '\n';
    if (kind === 'notice') terminal.note(`${gap}${text}`);
    else if (isShown) terminal.show('\n');
    else if (text !== '') terminal.show(`${gap}${task === undefined ? '' : `[task ${task}] `}${text}\n`);
    if (kind !== 'message') streamed = '';
  }

  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking
      .then(async () => {
        const found = over ? [] : await store.messages.outgoing(group, seen, pageSize);
        for (const out of found) {
          seen = out.id;
          said.push(out);
          showOut(out);
          for (const id of out.answers) open.delete(id);
          if (isBegun && open.size === 0) terminal.ready();
        }
        changed();
        if (isNoted && found.length > 0) await store.messages.noteSeen(group, seen);
      })
      // The store is busy. Nothing counts as seen, and the next look tries again.
      .catch((error) => log(explain(error, 'the chat').message));
    return looking;
  };

  return {
    said,
    open,
    look,
    hear(word) {
      if (word.part !== undefined && terminal.isTyped) {
        streamed += word.part;
        terminal.show(word.part);
      }
      if (word.trouble !== undefined) terminal.note(troubleText(word, timeZone));
      void look();
    },
    async catchUp(last) {
      const missed = await idsAfter(store, group, last);
      if (missed.length === 0) return;
      const left = Math.max(0, missed.length - mostMissed);
      terminal.note(`Since your last chat${left === 0 ? '' : ` (${left} earlier ones are not shown)`}:`);
      seen = missed[left - 1] ?? last;
      await look();
    },
    begin() {
      isBegun = true;
    },
    answered: (signal) =>
      new Promise<void>((resolve) => {
        changed = () => open.size === 0 && resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
        changed();
      }),
    settled: () => looking,
    end() {
      over = true;
    },
  };
}

async function idsAfter(store: Pick<Store, 'messages'>, group: string, last: number): Promise<number[]> {
  const ids: number[] = [];
  for (let at: number | undefined = last; at !== undefined; ) {
    const page: readonly OutgoingMessage[] = await store.messages.outgoing(group, at, pageSize);
    ids.push(...page.map(({ id }) => id));
    at = page.length < pageSize ? undefined : ids.at(-1);
  }
  return ids;
}

const troubleText = ({ trouble, retryAt }: LiveWord, timeZone: string): string =>
  retryAt === undefined ? `${trouble}` : `${trouble} It is tried again at ${localTime(retryAt, timeZone)}.`;
