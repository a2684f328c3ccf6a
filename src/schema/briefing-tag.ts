/**
 * The tag around every text that we give to an agent. It identifies the text when it comes back in a transcript, so
 * that it is not stored.
 */
export const briefingTag = 'holdfast-briefing';
