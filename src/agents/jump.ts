// Where the next entry continues from after messages were taken back. Kept in the state until that entry comes.
import type { AgentState, Continuation } from './agent.ts';

const start: Continuation = { start: true };

/** To the line with this id. Without an id: to the start of the file, since nothing is left. */
export function jumpTo(state: AgentState, id: string | undefined): void {
  state.jump = id ?? true;
}

export function takeJump(state: AgentState): Continuation | undefined {
  const { jump } = state;
  delete state.jump;
  if (jump === true) return start;
  return typeof jump === 'string' ? jump : undefined;
}
