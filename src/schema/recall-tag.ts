/** The tag around answers to an agent's questions, so that they can be distinguished from new text in a transcript. */
export const recallTag = 'holdfast-recall';
