// A conversation as text that people and models read alike: who spoke, when by the person's clock, and what was said.
import type { Conversation } from '../../schema/conversation.ts';
import type { Entry } from '../../schema/entry.ts';
import { localTime } from './local-time.ts';

const speakers = { person: 'User', model: 'Assistant', machine: 'Machine' } as const;

/** The day stands above the first entry of each; every entry begins with `[03:39 PM]`. */
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
