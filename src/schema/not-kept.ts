/** Replaces text in a copy of a transcript that must not be stored. Ingest skips it. */
export const notKept = '[not kept by Holdfast]';
