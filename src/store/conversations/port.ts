// Conversations: stretches of a transcript between two silences.
import type { Conversation, ConversationStatus } from '../../schema/conversation.ts';
import type { Entry } from '../../schema/entry.ts';
import type { ProjectFilter } from '../projects/port.ts';
import type { ConversationId, EntryRowId } from '../row-ids.ts';

export interface ConversationRules {
  readonly gapMs: number;
  readonly maxEntries: number;
  readonly maxChars: number;
}

/** Conversations and their states. */
export interface ConversationsPort {
  list(filter: {
    status?: ConversationStatus | undefined;
    project?: ProjectFilter | undefined;
    limit?: number | undefined;
  }): Promise<readonly Conversation[]>;
  get(id: ConversationId): Promise<Conversation | undefined>;
  entries(id: ConversationId): Promise<readonly Entry[]>;
  /** `active → ready` after the silence, then `ready → skipped` for those too short. Returns how many became ready. */
  markReady(now: number, rules: { gapMs: number; minEntries: number }): Promise<number>;
  /** Maps each of these entry rows to its conversation. */
  at(rows: readonly EntryRowId[]): Promise<ReadonlyMap<EntryRowId, ConversationId>>;
}
