import type { Conversation } from '../../schema/conversation.ts';
import { clean, oneLine, table } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderConversations({ conversations }: { conversations: readonly Conversation[] }, view: View): string {
  const { style } = view;
  if (conversations.length === 0) return 'No conversations.';
  const rows = conversations.map((one) => [
    String(one.id),
    one.status,
    localTime(one.firstAt, view),
    oneLine(one.project, 24),
    String(one.entries),
    oneLine(one.reason === undefined ? one.title : `${one.title} (${one.reason})`, Math.max(20, view.width - 72)),
  ]);
  const paint = [style.cyan, style.yellow, style.dim, style.bold];
  return table([['id', 'status', 'began', 'project', 'entries', 'title'], ...rows], (cell, column) =>
    (paint[column] ?? ((text: string) => text))(cell),
  );
}

export const renderConversation = ({ text }: { text: string }): string => clean(text.trimEnd());
