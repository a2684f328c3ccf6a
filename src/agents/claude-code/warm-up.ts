// Clients of 2.0 start subagents before the person has typed anything, to warm up the model's cache. Their files hold the prompt `Warmup` and
// an answer, often under the id of a session that never was.
import type { AgentState } from '../agent.ts';
import { asObject, asString } from '../json.ts';

/** Contract: called for each message of a subagent's file, in order. */
export function isWarmUp(line: Record<string, unknown>, state: AgentState): boolean {
  if (state.isWarmUp === undefined) {
    const { content } = asObject(line.message);
    // Some versions wrote the answer alone: a file that begins with an answer to nothing.
    const isAnswer = line.type === 'assistant' && asString(line.version)?.startsWith('2.0.') === true;
    state.isWarmUp = line.parentUuid === null && (content === 'Warmup' || isAnswer);
  }
  return state.isWarmUp === true;
}
