// A conversation → text for people and models: who spoke, when in the person's time zone, and what they said.
import type { Conversation } from '../../schema/conversation.ts';
import type { Entry } from '../../schema/entry.ts';
import { localTime } from './local-time.ts';

const speakers = { person: 'User', model: 'Assistant', machine: 'Machine' } as const;

/** Each day has a heading; every entry begins with its time, such as `[03:39 PM]`. */
export function renderConversation(
  conversation: Pick<Conversation, 'project' | 'title'>,
  entries: readonly Pick<Entry, 'at' | 'author' | 'text'>[],
  { timeZone }: { readonly timeZone: string },
): string {
  const lines = [[conversation.project, conversation.title].filter((part) => part !== '').join(': ')];
  let day = '';
  for (const { at, author, text } of entries) {
    const { date, longDate, twelveHour } = localTime(Date.parse(at), timeZone);
    if (date !== day) lines.push(longDate);
    day = date;
    lines.push(`[${twelveHour}] ${speakers[author]}: ${text.trim()}`);
  }
  return `${lines.filter((line) => line !== '').join('\n\n')}\n`;
}
