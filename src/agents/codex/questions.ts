// Questions that the model asks with a tool. The tool's output names them by their ids, so no text has to be remembered.
import { replyText } from '../../schema/choice.ts';
import type { AgentState, ParsedToolUse } from '../agent.ts';
import { asObject, asString, parsedJson } from '../json.ts';
import { remember, remembers } from './tools.ts';

export function noteQuestion({ id, tool }: ParsedToolUse, state: AgentState): void {
  if (tool === 'request_user_input') remember(state, 'asked', id);
}

/** What the person answered; undefined for outputs of other tools, and if there was no answer. */
export function answersTo(call: string, output: unknown, state: AgentState): string | undefined {
  if (!remembers(state, 'asked', call)) return undefined;
  const said = Object.entries(asObject(asObject(parsedJson(output)).answers)).flatMap(([id, given]) => {
    const { answers } = asObject(given);
    const chosen = (Array.isArray(answers) ? answers : []).map(asString).filter((one) => one !== undefined);
    // What the person wrote beside the options.
    const answer = chosen.map((one) => one.replace(/^user_note: /, '')).join(', ');
    return answer === '' ? [] : [{ question: id.replaceAll('_', ' '), answer }];
  });
  return said.length === 0 ? undefined : replyText(said);
}
