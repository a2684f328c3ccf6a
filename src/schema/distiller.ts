/**
 * Every prompt of our own distiller begins with this mark, so that a transcript of its work is recognised and never
 * ingested.
 */
export const distillerMark = '[holdfast distiller]';
