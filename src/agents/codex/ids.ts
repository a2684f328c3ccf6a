// Ids of entries. They must survive what Codex itself does to a file: migration rewrites events in place under new ids
// and ordinals, a fork of an old file copies lines under new times, and older versions give no ids at all. Turns keep
// their ids through all of that.
import type { AgentState } from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { jumpTo } from '../jump.ts';

/** Older versions name no turns; a migration may add names, which say nothing about the original lines. */
const firstWithTurns = 100;

export const namesTurns = (version: string | undefined): boolean =>
  Number(/^0\.(\d+)/.exec(version ?? '')?.[1] ?? 0) >= firstWithTurns || /^[1-9]/.test(version ?? '');

const counters = ['users', 'items', 'shells', 'answers'] as const;

/** A turn begins or continues. */
export function enterTurn(state: AgentState, turn: string | undefined): void {
  if (turn === undefined || state.turns !== true || state.turn === turn) return;
  state.turn = turn;
  for (const counter of counters) delete state[counter];
  const turns = [...pastTurns(state), turn];
  if (turns.length > rememberedTurns) state.pastIsCut = true;
  state.past = turns.slice(-rememberedTurns).join(' ');
}

const rememberedTurns = 50;

const pastTurns = (state: AgentState): string[] => (typeof state.past === 'string' ? state.past.split(' ') : []);

/** The last turns were taken back: the next line continues from the turn before them. */
export function rollBack(state: AgentState, count: unknown): void {
  const turns = pastTurns(state);
  if (typeof count !== 'number' || !(count > 0) || turns.length === 0) return;
  const left = turns.slice(0, -count);
  if (left.length > 0) state.past = left.join(' ');
  else delete state.past;
  // If turns were forgotten here, they may be what is left.
  if (left.length > 0 || state.pastIsCut !== true) jumpTo(state, left.at(-1));
}

/**
 * A fork of an old file copies the lines of its origin under new times. Turns keep their ids there. Lines of versions
 * without turns get the ids of the origin while the copy lasts.
 */
export function enterCopy(
  state: AgentState,
  origin: string,
  version: string | undefined,
  at: number | undefined,
): void {
  if (namesTurns(version) || at === undefined || state.nested === true) return;
  if (typeof state.copyOf === 'string' && state.copyOf !== origin) {
    // A fork of a fork copies both in one go, and no line says where the second one begins.
    state.nested = true;
    leaveCopy(state);
    return;
  }
  state.copyOf = origin;
  state.copiedAt = at;
  if (state.turns === true) state.turnsLater = true;
  delete state.turns;
}

/** Codex writes the whole copy at once. A person, and even a program, needs longer for the next prompt. */
const copyPauseMs = 3;

/** Contract: called for each line while the copy lasts. `begins`: a turn of the fork may begin with this line. */
export function followCopy(state: AgentState, begins: boolean, at: number | undefined): void {
  if (typeof state.copiedAt !== 'number' || at === undefined) return;
  if (begins && at - state.copiedAt > copyPauseMs) leaveCopy(state);
  else state.copiedAt = at;
}

function leaveCopy(state: AgentState): void {
  if (state.turnsLater === true) state.turns = true;
  for (const key of ['copyOf', 'copiedAt', 'turnsLater', ...counters]) delete state[key];
}

/** What ids count from: the turn, or the thread that wrote the line first. */
export const scopeOf = (state: AgentState): string =>
  [state.turn, state.copyOf].find((scope) => typeof scope === 'string') ?? String(state.thread);

/**
 * A prompt may occur twice in a file: as the model saw it, and in the event about it. Both get the same id, and the
 * first one counts.
 */
type Counter = (typeof counters)[number];

/** Contract: called once for each line that is a prompt or an answer, whatever it yields. */
export function idOf(state: AgentState, counter: Counter, said: string | undefined): string {
  const count = typeof state[counter] === 'number' ? state[counter] : 0;
  state[counter] = count + 1;
  if (said !== undefined) return derivedId('codex', scopeOf(state), said);
  return derivedId('codex', scopeOf(state), counter === 'items' ? 'users' : counter, count);
}

export const callEntryId = (state: AgentState, call: string): string =>
  derivedId('codex', scopeOf(state), 'call', call);

/** How many prompts of the present turn came before. */
export const promptsInTurn = (state: AgentState): number =>
  state.turn !== undefined && typeof state.users === 'number' ? state.users : 0;
