// What conversations contributed to memory, and the memories in the index of pages.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Choice } from '../../schema/choice.ts';
import type { Memory, MemoryKind, MemorySource, SaidBy } from '../../schema/memory.ts';
import type { Ending, StatementForm } from '../../schema/statement-form.ts';

/**
 * What one conversation contributed. The key is agent, transcript and first position: row ids do not survive a
 * re-import, and several conversations may share a moment.
 */
export interface ExtractionRow {
  readonly agent: AgentName;
  readonly file: string;
  readonly firstPos: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly session: string;
  readonly project: string;
  /** The group that had the conversation; empty for the person's own. */
  readonly group: string;
  /** The distiller: offline, or the name of the model. */
  readonly by: string;
  readonly json: string;
}

/**
 * `retired` ends earlier statements on its target. A `note` is not proven yet. A `proposal` appears only on the page of
 * questions and has no row.
 */
export type StatementKind =
  | 'keyed'
  | 'plain'
  | 'episode'
  | 'activity'
  | 'milestone'
  | 'insight'
  | 'question'
  | 'retired'
  | 'note'
  | 'proposal';

/** A statement, and where it belongs on a page. Statements with the same target are versions of each other. */
export interface Statement {
  readonly page: string;
  readonly target: string;
  readonly kind: StatementKind;
  readonly at: number;
  /**
   * These order statements of the same moment: the transcript, the
   * conversation's start in it, the index within the extraction.
   */
  readonly file: string;
  readonly pos: number;
  readonly order: number;
  /** The page's title for keyed statements; the section's title for dated ones. */
  readonly title: string;
  readonly key: string;
  readonly text: string;
  /** What the text tells, if it is a choice of the person. */
  readonly choice?: Choice | undefined;
  readonly form?: StatementForm | undefined;
  /** What a retirement ends beside the line under its own key. */
  readonly ends?: Ending | undefined;
  readonly why: string;
  readonly project: string;
  readonly session: string;
  readonly source: Exclude<MemorySource, 'person'>;
  /** Whose words the statement rests on. The person's words are never replaced by another's. */
  readonly saidBy: SaidBy;
  readonly tags: readonly string[];
  /** The page and text that it was promoted from. */
  readonly from: string;
}

export interface PlacedExtraction {
  readonly row: ExtractionRow;
  readonly statements: readonly Statement[];
}

/** A memory with what only its page knows. */
interface OnPage {
  readonly target: string;
  /** What the text tells, if it is a choice of the person and no one edited it. */
  readonly choice?: Choice | undefined;
  /** Absent also if a person edited the text. */
  readonly form?: StatementForm | undefined;
}

export type NewMemory = Omit<Memory, 'at'> & { readonly at: number } & OnPage;

export type TargetMemory = Memory & OnPage;

export interface MemoryFilter {
  readonly page?: string | undefined;
  /** Only pages of this group. Empty: only the person's own. Absent: all. */
  readonly group?: string | undefined;
  readonly project?: string | undefined;
  readonly kind?: MemoryKind | undefined;
  readonly limit?: number | undefined;
}

/** Extractions, statements and memories. */
export interface MemoryPort {
  extraction(agent: AgentName, file: string, firstPos: number): Promise<ExtractionRow | undefined>;
  /** Ordered by time, then by transcript and position. */
  extractions(filter?: { agent?: AgentName; session?: string }): Promise<readonly ExtractionRow[]>;
  /** Replaces the extractions of the same conversations and marks their pages as due. */
  saveExtractions(rows: readonly PlacedExtraction[], rules?: string): Promise<readonly string[]>;
  /** The rules, such as the time zone, under which statements were assigned to pages. */
  placingRules(): Promise<string | undefined>;
  /** Removes extractions; returns the pages that become due. */
  dropExtractions(rows: readonly Pick<ExtractionRow, 'agent' | 'file' | 'firstPos'>[]): Promise<readonly string[]>;
  /** Saves a statement that someone asked to remember. */
  saveStatement(statement: Statement): Promise<void>;
  /** The statements that were promoted from the memory with this id. */
  promotedFrom(id: string): Promise<readonly Statement[]>;
  /** By page, in the page's order. */
  list(filter: MemoryFilter): Promise<readonly TargetMemory[]>;
  /** Memories whose id is, or starts with, the given text. */
  find(id: string): Promise<readonly TargetMemory[]>;
}
