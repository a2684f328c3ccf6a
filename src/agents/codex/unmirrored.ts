// Prompts with pictures, and answers to the model's questions, that no event reports: since about 0.135 Codex reports them only sometimes.
// Such a message counts when it comes, and is withdrawn if an event reports it after all.
import { replyText } from '../../schema/choice.ts';
import type { AgentState, ParsedItem } from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { asObject, asString, parsedJson } from '../json.ts';

type Json = Record<string, unknown>;

const replyTag = '<send_user_message_question_reply>';

/** The answers in a reply, with their questions; undefined for all other texts. */
export function answersIn(text: string): string | undefined {
  if (!text.startsWith(replyTag)) return undefined;
  const reply = text.slice(replyTag.length).replace('</send_user_message_question_reply>', '').trim();
  const list = parsedJson(reply);
  const said = (Array.isArray(list) ? list : []).flatMap((one) => {
    const [question, answer] = [asString(asObject(one).question), asString(asObject(one).answer)];
    return answer === undefined ? [] : [{ question, answer }];
  });
  return said.length > 0 ? replyText(said) : reply;
}

export const isTypedKind = (kind: unknown): boolean => typeof kind === 'string' && kind.startsWith('user.');

/** Whether no event may come for a message, although the person typed all of it. */
export function mayLackEvent({ content, internal_chat_message_metadata_passthrough }: Json, text: string): boolean {
  const { content_item_kinds: kinds } = asObject(internal_chat_message_metadata_passthrough);
  const isTyped = Array.isArray(kinds) && kinds.length > 0 && kinds.every(isTypedKind);
  const hasPicture = Array.isArray(content) && content.some((part) => asObject(part).type === 'input_image');
  return isTyped && (hasPicture || text.startsWith(replyTag));
}

/** The words alone: the event has other names and places for the pictures. */
const printOf = (text: string): string =>
  derivedId(text.replace(/\[Image[^\]\n]{0,300}\]|<\/?image[^>\n]{0,1000}>/g, '').replace(/\s+/g, '')).slice(0, 13);

const most = 4;

const listed = (state: AgentState): string[] => (typeof state.early === 'string' ? state.early.split(' ') : []);

export function noteEarly(state: AgentState, uuid: string, text: string): void {
  state.early = [...listed(state), `${printOf(text)}:${uuid}`].slice(-most).join(' ');
}

/** An event reports a message that has counted already: the last one with these words. */
export function withdrawEarly(state: AgentState, text: string): ParsedItem[] {
  const all = listed(state);
  const found = all.findLast((one) => one.startsWith(`${printOf(text)}:`));
  if (found === undefined) return [];
  const left = all.filter((one) => one !== found);
  if (left.length > 0) state.early = left.join(' ');
  else delete state.early;
  return [{ kind: 'withdrawn', uuid: found.slice(found.indexOf(':') + 1) }];
}
