// What conversations gave to memory, and the memories that the index of pages holds.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Memory, MemoryKind, MemorySource, SaidBy } from '../../schema/memory.ts';

/** What a conversation gave. One for each, known by agent, transcript and first place in it: numbers of rows do not outlive a re-import, and several may share a moment. */
export interface ExtractionRow {
  readonly agent: AgentName;
  readonly file: string;
  readonly firstPos: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly session: string;
  readonly project: string;
  /** The group whose conversation it was; empty for the person's own. */
  readonly group: string;
  /** What produced it: offline, or the model. */
  readonly by: string;
  readonly json: string;
}

/** `retired` ends what was said under its target. A `note` is not proven yet. A `proposal` stands on the page of questions alone and is in no row. */
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

/** Something said, and its place on a page. Statements with the same target are versions of one. */
export interface Statement {
  readonly page: string;
  readonly target: string;
  readonly kind: StatementKind;
  readonly at: number;
  /** Part those of one moment: the transcript, where in it the conversation begins, the place in what it gave. */
  readonly file: string;
  readonly pos: number;
  readonly order: number;
  /** Of the page for what is keyed; of the section for what is dated. */
  readonly title: string;
  readonly key: string;
  readonly text: string;
  readonly why: string;
  readonly project: string;
  readonly session: string;
  readonly source: Exclude<MemorySource, 'person'>;
  /** Whose words it rests on. The person's are never replaced by another's. */
  readonly saidBy: SaidBy;
  readonly tags: readonly string[];
  /** What it was promoted from: page and text. */
  readonly from: string;
}

export interface PlacedExtraction {
  readonly row: ExtractionRow;
  readonly statements: readonly Statement[];
}

export type NewMemory = Omit<Memory, 'at'> & { readonly at: number; readonly target: string };

export type TargetMemory = Memory & { readonly target: string };

export interface MemoryFilter {
  readonly page?: string | undefined;
  /** Only pages of this group; empty: only the person's own; absent: all. */
  readonly group?: string | undefined;
  readonly project?: string | undefined;
  readonly kind?: MemoryKind | undefined;
  readonly limit?: number | undefined;
}

/** Extractions, statements and memories. */
export interface MemoryPort {
  extraction(agent: AgentName, file: string, firstPos: number): Promise<ExtractionRow | undefined>;
  /** In the order of time, and of one moment in that of transcripts and places. */
  extractions(filter?: { agent?: AgentName; session?: string }): Promise<readonly ExtractionRow[]>;
  /** Puts extractions in place of those of the same conversations, and their pages on the list of what is due. */
  saveExtractions(rows: readonly PlacedExtraction[], rules?: string): Promise<readonly string[]>;
  /** By which rules statements were placed: the time zone, say. */
  placingRules(): Promise<string | undefined>;
  /** Takes them out; returns the pages that are due. */
  dropExtractions(rows: readonly Pick<ExtractionRow, 'agent' | 'file' | 'firstPos'>[]): Promise<readonly string[]>;
  /** What somebody asked to remember. */
  saveStatement(statement: Statement): Promise<void>;
  /** What was made of the memory with this id. */
  promotedFrom(id: string): Promise<readonly Statement[]>;
  /** By page, in its order. */
  list(filter: MemoryFilter): Promise<readonly TargetMemory[]>;
  /** Those whose id is, or starts with, the given text. */
  find(id: string): Promise<readonly TargetMemory[]>;
}
