// Ids of entries. They must survive what Codex itself does to a file: migration rewrites events in place under new ids
// and ordinals, a fork of an old file copies lines under new times, and older versions give no ids at all. Turns keep
// their ids through all of that.
import type { AgentState } from '../agent.ts';
import { derivedId } from '../derived-id.ts';

/** Older versions name no turns; a migration may add names, which say nothing about the original lines. */
const firstWithTurns = 100;

export const namesTurns = (version: string | undefined): boolean =>
  Number(/^0\.(\d+)/.exec(version ?? '')?.[1] ?? 0) >= firstWithTurns || /^[1-9]/.test(version ?? '');

/** A turn begins or continues. */
export function enterTurn(state: AgentState, turn: string | undefined): void {
  if (turn === undefined || state.turns !== true || state.turn === turn) return;
  state.turn = turn;
  for (const counter of ['users', 'items', 'answers']) delete state[counter];
  state.past = [...pastTurns(state), turn].slice(-rememberedTurns).join(' ');
}

const rememberedTurns = 50;

const pastTurns = (state: AgentState): string[] => (typeof state.past === 'string' ? state.past.split(' ') : []);

/** The last turns were taken back: the next line continues from the turn before them. */
export function rollBack(state: AgentState, count: unknown): void {
  const turns = pastTurns(state);
  if (typeof count !== 'number' || !(count > 0) || turns.length === 0) return;
  const left = turns.slice(0, -count);
  state.past = left.join(' ');
  if (left.length > 0) state.jump = left.at(-1) as string;
  else delete state.past;
}

export function takeJump(state: AgentState): string | undefined {
  const jump = state.jump;
  delete state.jump;
  return typeof jump === 'string' ? jump : undefined;
}

/**
 * A prompt may occur twice in a file: as the model saw it, and in the event about it. Both get the same id, and the
 * first one counts.
 */
type Counter = 'users' | 'items' | 'answers';

/** Contract: called once for each line that is a prompt or an answer, whatever it yields. */
export function idOf(state: AgentState, counter: Counter, said: string | undefined, time: unknown): string {
  const count = typeof state[counter] === 'number' ? state[counter] : 0;
  state[counter] = count + 1;
  const turn = typeof state.turn === 'string' ? state.turn : undefined;
  const scope = turn ?? String(state.thread);
  if (said !== undefined) return derivedId('codex', scope, said);
  // Bare lines have no time.
  const kind = counter === 'answers' ? 'answers' : 'users';
  if (turn !== undefined || state.bare === true) return derivedId('codex', scope, kind, count);
  const moment = typeof time === 'string' ? time : '';
  const [last, before] = [`${counter}At`, `${counter}Nth`];
  const nth = state[last] === moment ? Number(state[before] ?? 0) + 1 : 0;
  state[last] = moment;
  state[before] = nth;
  return derivedId('codex', scope, kind, moment, nth);
}

export const callEntryId = (state: AgentState, call: string): string =>
  derivedId('codex', typeof state.turn === 'string' ? state.turn : String(state.thread), 'call', call);

/** How many prompts of the present turn came before. */
export const promptsInTurn = (state: AgentState): number =>
  state.turn !== undefined && typeof state.users === 'number' ? state.users : 0;
