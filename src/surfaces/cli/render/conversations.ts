import type { Conversation } from '../../../schema/conversation.ts';
import { inColumns } from '../columns.ts';
import { clean } from '../style.ts';
import { type Column, renderTable } from '../table.ts';
import { localTime, type View } from '../view.ts';

export function renderConversations({ conversations }: { conversations: readonly Conversation[] }, view: View): string {
  return conversations.length === 0 ? 'No conversations.' : renderTable(conversations, columns, view, view.columns);
}

const columns: readonly Column<Conversation>[] = [
  { name: 'id', cell: ({ id }) => String(id), paint: 'cyan' },
  { name: 'status', cell: ({ status }) => status, paint: 'yellow', goes: 3 },
  { name: 'began', cell: ({ firstAt }, view) => localTime(firstAt, view), paint: 'dim', goes: 2 },
  { name: 'project', cell: ({ project }) => inColumns(project, 24), paint: 'bold', cut: 'end', goes: 4 },
  { name: 'entries', cell: ({ entries }) => String(entries), goes: 1 },
  { name: 'title', cell: ({ title, reason }) => (reason === undefined ? title : `${title} (${reason})`), cut: 'end' },
  { name: 'session', cell: ({ session }) => session, extra: true },
  { name: 'agent', cell: ({ agent }) => agent, extra: true },
];

export const renderConversation = ({ text }: { text: string }): string => clean(text.trimEnd());
