/** Stands in a copy of a transcript where something was said that is not kept. Ingest passes over it. */
export const notKept = '[not kept by Holdfast]';
