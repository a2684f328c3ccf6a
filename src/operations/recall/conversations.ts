import { z } from 'zod';
import { renderConversation } from '../../distill/memory/conversation-text.ts';
import { Conversation, ConversationStatus } from '../../schema/conversation.ts';
import { everyone } from '../../schema/group.ts';
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
  async run(context: Context<'conversations' | 'projects' | 'sessions'>, { status, project, limit }) {
    const filter = await toFilter(context, { project });
    const found = await context.store.conversations.list({ ...filter, status, limit });
    // A conversation has the project's own name, which decides its page of memory. Lists tell projects apart.
    const sessions = await context.store.sessions.list({ ...filter, group: everyone });
    const named = new Map(sessions.map((one) => [`${one.agent} ${one.id}`, one.project]));
    return {
      conversations: found.map((one) => ({ ...one, project: named.get(`${one.agent} ${one.session}`) ?? one.project })),
    };
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
