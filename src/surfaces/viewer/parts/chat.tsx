// A chat with the agent of a group. Earlier messages come from the session, and unanswered ones from the group's queue. New ones arrive
// through the group's stream, by number.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer, useLooking } from '../answer.ts';
import type { IncomingMessage, OutgoingMessage, ShownEntry } from '../answers.ts';
import { change, type Failure, read } from '../api.ts';
import { whileSeen } from '../live.ts';
import { openStream } from '../stream.ts';
import { Trouble } from './answered.tsx';
import { EntryView } from './entry-view.tsx';
import { Markdown } from './markdown.tsx';
import { Clock } from './moment.tsx';

const lookMs = 3000;

interface Line {
  readonly key: string;
  readonly by: 'person' | OutgoingMessage['kind'];
  readonly text: string;
  readonly at: string;
  /** The person's name, if several people share the group. */
  readonly from?: string | undefined;
}

const stateWords = {
  waiting: 'waiting',
  handed: 'being answered',
  'given-up': 'given up; the next message retries it',
} as const;

/** Whether the transcript already shows a message: an agent usually writes a message down before it has answered it. */
const isIn = (entries: readonly ShownEntry[], { text, arrivedAt }: IncomingMessage): boolean =>
  entries.some((entry) => entry.author !== 'model' && entry.at >= arrivedAt && entry.text.includes(text.trim()));

const whose = { person: 'You', answer: 'Agent', message: 'Agent', notice: 'Holdfast' } as const;

const keyOf = ({ id }: { readonly id: number }): string => `in ${id}`;

const lineOf = (message: IncomingMessage): Line => {
  const { text, arrivedAt: at, from } = message;
  return { key: keyOf(message), by: 'person', text, at, from };
};

/** Receives the group's messages after a number, and the part of an answer that the agent is writing. */
function useStream(group: string, after: number, tell: (line: Line) => void) {
  const [part, setPart] = useState('');
  const [trouble, setTrouble] = useState('');
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => {
    let last = after;
    return whileSeen(() => {
      const close = openStream(`/api/groups/${encodeURIComponent(group)}/events?after=${last}`, {
        event({ kind, data }) {
          if (kind === 'answer' || kind === 'message' || kind === 'notice') {
            const { id, text, at } = JSON.parse(data) as OutgoingMessage;
            last = id;
            setPart('');
            setTrouble('');
            latest.current({ key: `out ${id}`, by: kind, text, at });
          } else if (kind === 'part') {
            const { text } = JSON.parse(data) as { text: string };
            setPart((before) => before + text);
          } else if (kind === 'trouble') {
            setPart('');
            setTrouble((JSON.parse(data) as { text: string }).text);
          }
        },
      });
      return () => {
        close();
        // The stream does not repeat parts that we miss while it is closed. The whole answer comes later.
        setPart('');
      };
    });
  }, [group]);
  return { part, trouble };
}

function Waits({ state }: { state: IncomingMessage['state'] | undefined }) {
  return state === undefined || state === 'answered' ? null : <span class="dim">{stateWords[state]}</span>;
}

function Message({ line: { by, text, at, from }, state }: { line: Line; state: IncomingMessage['state'] | undefined }) {
  return (
    <article class={`entry ${by === 'person' ? 'person' : by === 'notice' ? 'machine' : 'model'}`}>
      <header>
        <span class="who">{from ?? whose[by]}</span>
        <Waits state={state} />
        <span class="permalink">
          <Clock at={at} />
        </span>
      </header>
      {by === 'person' ? <p class="said">{text}</p> : <Markdown text={text} />}
    </article>
  );
}

function Say({
  group,
  text,
  setText,
  send,
}: {
  group: string;
  text: string;
  setText: (text: string) => void;
  send: () => void;
}) {
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label={`Say something to ${group}`}
        placeholder="Enter sends, Shift+Enter begins a new line"
        rows={3}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" class="strong" disabled={text.trim() === ''}>
        Send
      </button>
    </form>
  );
}

/** `before`, `unanswered` and `told` describe the state when the page was opened. Later messages come through the stream. */
export function Chat({
  group,
  before,
  unanswered,
  told,
}: {
  group: string;
  before: readonly ShownEntry[];
  unanswered: readonly IncomingMessage[];
  told: number;
}) {
  const linesOf = (messages: readonly IncomingMessage[]) => messages.filter((one) => !isIn(before, one)).map(lineOf);
  const [lines, setLines] = useState<readonly Line[]>(() => linesOf(unanswered));
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [note, setNote] = useState('');
  const [opened] = useState(() => Date.now());
  const end = useRef<HTMLDivElement>(null);
  const add = (line: Line) =>
    setLines((known) => (known.some(({ key }) => key === line.key) ? known : [...known, line]));
  const { part, trouble } = useStream(group, told, add);
  const queue = useAnswer(
    `queue ${group} ${opened}`,
    async (signal) => (await read('groups show', { group }, signal)).unanswered,
  );
  useLooking(queue.again, lookMs);
  // Includes messages sent elsewhere: in another tab, or at the terminal.
  useEffect(() => linesOf(queue.data ?? []).forEach(add), [queue.data]);
  const states = new Map((queue.data ?? unanswered).map((one) => [keyOf(one), one.state]));
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [lines.length, part === '']);

  const send = () => {
    const said = text.trim();
    if (said === '') return;
    setFailure(undefined);
    // Clear the field immediately, so that pressing Enter twice sends once, and the person can keep typing.
    setText('');
    change('groups send', { group, text: said }).then(
      ({ message, note: told }) => {
        setNote(told ?? '');
        add(lineOf(message));
        queue.again();
      },
      (error: Failure) => {
        setFailure(error);
        setText((typed) => (typed === '' ? said : `${said}\n${typed}`));
      },
    );
  };

  return (
    <div class="chat">
      <div role="log" aria-label={`Chat with ${group}`}>
        {before.map((entry) => (
          <EntryView key={entry.id} entry={entry} focused={false} follows={false} />
        ))}
        {lines.map((line) => (
          <Message key={line.key} line={line} state={states.get(line.key)} />
        ))}
        {part !== '' && (
          <article class="entry model" aria-busy="true">
            <p class="said">{part}</p>
          </article>
        )}
        {before.length === 0 && lines.length === 0 && part === '' && (
          <p class="dim">Nothing was said yet in this session.</p>
        )}
      </div>
      <div ref={end} />
      {trouble && (
        <p class="notice" role="alert">
          {trouble}
        </p>
      )}
      {failure && <Trouble failure={failure} />}
      <Say group={group} text={text} setText={setText} send={send} />
      <p class="dim" role="status">
        {note}
      </p>
    </div>
  );
}
