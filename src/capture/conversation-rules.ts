// Separate from ingest, which loads the redaction rules: code that deletes or restores needs only this.
import type { Config } from '../config/config.ts';
import type { ConversationRules } from '../store/conversations/port.ts';

/** How the user's settings cut transcripts into conversations. */
export const conversationRules = (settings: Config['settings']): ConversationRules => ({
  gapMs: settings.conversationGapMinutes * 60_000,
  maxEntries: settings.conversationMaxEntries,
  maxChars: settings.conversationMaxChars,
});
