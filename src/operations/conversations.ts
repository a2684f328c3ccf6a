import { z } from 'zod';
import { Conversation, ConversationStatus } from '../schema/conversation.ts';
import { filterFields, toProject } from './filters.ts';
import { operation } from './operation.ts';

export const conversations = operation({
  name: 'conversations',
  summary: 'List conversations: stretches of a transcript between two silences',
  input: z.object({
    status: ConversationStatus.optional().describe('only those in this status'),
    project: filterFields.project,
    limit: z.int().min(1).optional().describe('at most this many'),
  }),
  output: z.object({ conversations: z.array(Conversation) }),
  surfaces: ['cli', 'http'],
  examples: ['holdfast conversations', 'holdfast conversations --status ready', 'holdfast conversations --project .'],
  async run({ store }, { status, project, limit }) {
    const found = await store.conversations({
      status,
      limit,
      ...(project === undefined ? {} : { project: await toProject(store, project) }),
    });
    return { conversations: [...found] };
  },
});
