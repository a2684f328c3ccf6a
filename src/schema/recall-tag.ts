/** Frames what an agent asks for and gets, so that it can be told apart from new text wherever it turns up in a transcript. */
export const recallTag = 'holdfast-recall';
