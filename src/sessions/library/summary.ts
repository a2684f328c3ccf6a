// What a session is about, for lists and for a person who resumes it. Never cuts within a character.
import type { SessionMetadata, StoredMessage } from './shape.ts';

const firstCharacters = (text: string, count: number): string => {
  // Twice as many code units hold at least `count` characters, so a long text is not read whole.
  const characters = Array.from(text.slice(0, 2 * count + 1));
  return characters.length > count || text.length > 2 * count ? characters.slice(0, count).join('') : text;
};

/** The text of a message: itself, or that of its text blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => (typeof block?.text === 'string' && (block.type ?? 'text') === 'text' ? [block.text] : []))
    .join('\n');
}

export function firstMessageOf(messages: readonly StoredMessage[]): string {
  const first = messages.find(({ role }) => role === 'user');
  return first === undefined ? '' : firstCharacters(textOf(first.content), 200);
}

export function contextSummaryOf(metadata: SessionMetadata, messages: readonly StoredMessage[]): string {
  const count = (wanted: string) => messages.filter(({ role }) => role === wanted).length;
  const topic = firstCharacters(metadata.firstMessage, 100);
  const lines = [
    'You are resuming a previous conversation session.',
    `Session: ${metadata.name}`,
    `Created: ${metadata.createdAt}`,
    `Last activity: ${metadata.lastActivityAt}`,
    `Total messages: ${metadata.messageCount} (${count('user')} from user, ${count('assistant')} from assistant)`,
    ...(metadata.description === undefined ? [] : [`Description: ${metadata.description}`]),
    ...(topic === '' ? [] : [`First topic: ${topic}${topic.length < metadata.firstMessage.length ? '...' : ''}`]),
    '',
    'The conversation history follows. Continue naturally from where you left off.',
  ];
  return lines.join('\n');
}
