/** Every prompt of our own distiller begins with this, so that a transcript of its work is known and never ingested. */
export const distillerMark = '[holdfast distiller]';
