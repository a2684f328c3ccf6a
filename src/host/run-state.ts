// One run of a group's agent as data: event → state and effects. It knows no process, no store and no clock.
import type { ResultFrame } from '../schema/host-frame.ts';
import type { RunEnd } from '../store/runs/port.ts';
import type { AgentExit } from './agent.ts';

/** The id of the message that carries a task's prompt. The store has no row for it. */
export const taskMessage = 'task';

interface Facts {
  readonly isTask: boolean;
  /** Messages that the agent was sent and has not answered. */
  readonly unanswered: ReadonlySet<string>;
  /** When the agent last finished its work. */
  readonly idleSince: number;
  /** The idle limit has passed since the last real result. */
  readonly isIdleOver: boolean;
  /** The session that the agent works in, as it told us. */
  readonly session?: string;
  /** Why the last turn failed. */
  readonly turnError?: string;
  /** The result of a task. */
  readonly result?: string;
}

/** Why the host killed the process: the host stops, or the process reached the hard limit. */
export type KilledBy = 'stop' | 'hard';

export type RunState = Facts &
  (
    | { readonly phase: 'starting' }
    | { readonly phase: 'talking' }
    /** `isReady`: the start was complete before the close, or is complete by now. */
    | { readonly phase: 'closing'; readonly isReady: boolean; readonly killed?: KilledBy | undefined }
    | { readonly phase: 'ended'; readonly killed?: KilledBy | undefined }
  );

export type Said = Omit<ResultFrame, 'type'>;

export type RunEvent =
  /** The process runs. */
  | { readonly kind: 'started' }
  /** The start is complete: the process got its first messages, or was told to end. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'sent'; readonly ids: readonly string[] }
  /** The process takes no more messages: it is ending, or cannot keep up. */
  | { readonly kind: 'refused'; readonly ids: readonly string[] }
  /** The next waiting message belongs to another session. */
  | { readonly kind: 'other-session' }
  /** `text`: the redacted and shortened text that people may read. */
  | { readonly kind: 'result'; readonly said: Said; readonly text: string }
  /** The result is stored. */
  | { readonly kind: 'stored'; readonly isReal: boolean; readonly now: number }
  | { readonly kind: 'idle' }
  | { readonly kind: 'close' }
  | { readonly kind: 'kill'; readonly by: KilledBy }
  | { readonly kind: 'ended' };

export type RunEffect =
  | { readonly kind: 'close-agent' | 'kill-agent' | 'send-task' | 'send-waiting' | 'restart-limits' | 'wake' }
  | { readonly kind: 'release'; readonly ids: readonly string[] }
  | { readonly kind: 'store'; readonly said: Said; readonly text: string; readonly answers: readonly string[] };

export type Step = readonly [RunState, readonly RunEffect[]];

export const begin = (isTask: boolean, now: number): RunState => ({
  phase: 'starting',
  isTask,
  unanswered: new Set(),
  idleSince: now,
  isIdleOver: false,
});

/** The process is starting, or owes an answer. */
export const isBusy = (state: RunState): boolean =>
  state.phase === 'starting' || (state.phase === 'closing' && !state.isReady) || state.unanswered.size > 0;

/** The process takes no more messages. */
export const isClosing = ({ phase }: RunState): boolean => phase === 'closing' || phase === 'ended';

export const killedBy = (state: RunState): KilledBy | undefined => ('killed' in state ? state.killed : undefined);

export function step(state: RunState, event: RunEvent): Step {
  switch (event.kind) {
    case 'started':
      return [state, [first(state)]];
    case 'ready':
      if (state.phase === 'starting') return [{ ...state, phase: 'talking' }, []];
      return [state.phase === 'closing' ? { ...state, isReady: true } : state, []];
    case 'session':
      return [{ ...state, session: event.session }, []];
    case 'sent':
      return [{ ...state, unanswered: new Set([...state.unanswered, ...event.ids]) }, []];
    case 'refused': {
      const [next, effects] = close(without(state, event.ids));
      return [next, [...effects, { kind: 'release', ids: event.ids }]];
    }
    case 'other-session':
      return state.unanswered.size === 0 ? close(state) : [state, []];
    case 'result':
      return said(state, event);
    case 'stored':
      return stored(state, event);
    case 'idle': {
      const over = { ...state, isIdleOver: true };
      return isBusy(over) ? [over, []] : close(over);
    }
    case 'close':
      return close(state);
    case 'kill':
      return kill(state, event.by);
    case 'ended':
      return [{ ...state, phase: 'ended', killed: killedBy(state) }, []];
  }
}

/** The first effect once the process runs. */
function first(state: RunState): RunEffect {
  if (killedBy(state) !== undefined) return { kind: 'kill-agent' };
  if (isClosing(state)) return { kind: 'close-agent' };
  return { kind: state.isTask ? 'send-task' : 'send-waiting' };
}

function close(state: RunState): Step {
  if (isClosing(state)) return [state, []];
  return [{ ...state, phase: 'closing', isReady: state.phase === 'talking' }, [{ kind: 'close-agent' }]];
}

/** A second kill does not change the reason. */
function kill(state: RunState, by: KilledBy): Step {
  const killed = killedBy(state) ?? by;
  if (state.phase === 'ended') return [{ ...state, killed }, []];
  const isReady = state.phase === 'closing' ? state.isReady : state.phase === 'talking';
  return [{ ...state, phase: 'closing', isReady, killed }, [{ kind: 'kill-agent' }]];
}

function said(state: RunState, event: Extract<RunEvent, { kind: 'result' }>): Step {
  const answers = event.said.answers.filter((id) => state.unanswered.has(id));
  const next = without(state, answers);
  if (!event.said.ok) return close({ ...next, turnError: event.said.text || 'the turn failed' });
  return [
    state.isTask ? { ...next, result: event.text } : next,
    [{ kind: 'store', said: event.said, text: event.text, answers }],
  ];
}

function stored(state: RunState, { isReal, now }: Extract<RunEvent, { kind: 'stored' }>): Step {
  const next: RunState = { ...state, idleSince: now, isIdleOver: state.isIdleOver && !isReal };
  const isDone = state.isTask || (next.isIdleOver && !isBusy(next));
  const [after, closing] = isDone ? close(next) : [next, []];
  return [after, [...(isReal ? [{ kind: 'restart-limits' } as const] : []), ...closing, { kind: 'wake' }]];
}

function without(state: RunState, ids: readonly string[]): RunState {
  const unanswered = new Set(state.unanswered);
  for (const id of ids) unanswered.delete(id);
  return { ...state, unanswered };
}

/** What to store about a run whose process has ended in this state. The caller handles a lost session first. */
export function verdictOf(state: RunState, exit: AgentExit): Pick<RunEnd, 'how' | 'error'> {
  const killed = killedBy(state);
  if (killed === 'stop') return { how: 'ok' };
  if (killed === 'hard') return state.unanswered.size === 0 ? { how: 'ok' } : failed('it took too long, and was ended');
  if (state.turnError !== undefined) return failed(state.turnError);
  if (exit.how === 'closed') {
    // Messages that arrived during the close go to the next process. Any other open message is a failure: an immediate retry would end the same way.
    const isOwing = exit.unanswered.length > 0 || (!isClosing(state) && exit.untaken.length > 0);
    return isOwing ? failed('it ended without an answer') : { how: 'ok' };
  }
  return failed(exit.failure?.message ?? `its process ended with ${exit.signal ?? exit.code}`);
}

const failed = (error: string) => ({ how: 'failed', error }) as const;
