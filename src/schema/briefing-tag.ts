/** The tag around every text that we give to an agent, so that it is known, and not stored, when it comes back in a transcript. */
export const briefingTag = 'holdfast-briefing';
