import { z } from 'zod';
import { renderConversation } from '../../distill/memory/conversation-text.ts';
import { Conversation, ConversationStatus } from '../../schema/conversation.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { filterFields, toFilter } from './filters.ts';

export const conversations = operation({
  name: 'conversations',
  summary: 'List conversations: parts of a transcript between two silences',
  input: z.object({
    status: ConversationStatus.optional().describe('only conversations with this status'),
    project: filterFields.project,
    limit: z.int().min(1).optional().describe('at most this many'),
  }),
  output: z.object({ conversations: z.array(Conversation) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast conversations', 'holdfast conversations --status ready', 'holdfast conversations --project .'],
  async run(context: Context<'conversations' | 'projects'>, { status, project, limit }) {
    const found = await context.store.conversations.list({ ...(await toFilter(context, { project })), status, limit });
    return { conversations: [...found] };
  },
});

export const conversationsShow = operation({
  name: 'conversations show',
  summary: 'Show a conversation as readable text, with times in your time zone',
  input: z.object({ id: z.int().min(1).describe('number from the list of conversations') }),
  output: z.object({ conversation: Conversation, text: z.string() }),
  surfaces: ['cli', 'http'],
  positional: ['id'],
  examples: ['holdfast conversations show 12'],
  async run({ store, config }: Context<'conversations'>, { id }) {
    const conversation = await store.conversations.get(id);
    if (conversation === undefined)
      throw new HoldfastError('NOT_FOUND', `There is no conversation ${id}`, { hint: 'See: holdfast conversations' });
    const entries = await store.conversations.entries(id);
    return { conversation, text: renderConversation(conversation, entries, config.settings) };
  },
});
