// How an import takes the rows of an export.
import type { ExportedRow } from '../../schema/exported.ts';

export type Is<K extends ExportedRow['is']> = Extract<ExportedRow, { is: K }>;

/** Imports one row; returns how many rows were new. */
export type Take = (row: ExportedRow) => number;

export type Takes<K extends ExportedRow['is']> = Readonly<Record<K, Take>>;
