// What the store keeps for the librarian. Pages are a function of these rows; files are written from them, and read for people's edits.
import type { AgentName } from '../schema/agent-name.ts';
import type { Memory, MemoryKind, MemorySource, SaidBy } from '../schema/memory.ts';

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

/** A person's change of a page. Never changed itself: the last one on a target holds. */
export interface Edit {
  readonly target: string;
  /** `release` gives the target back to the librarian. */
  readonly kind: 'change' | 'remove' | 'add' | 'release';
  readonly text: string;
  readonly tight: boolean;
  readonly front: boolean;
  /** Of an addition: the target that it stands behind, and the heading that it stands under. */
  readonly anchor: string;
  readonly section: string;
  /** What stood there before. */
  readonly before: string;
  readonly at: number;
}

/** A page's text, with the target of each of its blocks. */
export interface Written {
  readonly text: string;
  readonly targets: readonly string[];
}

export interface PageState {
  /** Raised whenever something that the page depends on changes. */
  readonly version: number;
  readonly written: Written | undefined;
  /** What is about to be written: after a crash the file holds this or what was written before. */
  readonly intended: Written | undefined;
  readonly statements: readonly Statement[];
  readonly edits: readonly Edit[];
  /** Targets that somebody had merged into others. */
  readonly merged: ReadonlyMap<string, string>;
}

export interface PageGlance {
  readonly page: string;
  /** Whether the librarian writes it; others are people's own. */
  readonly derived: boolean;
  /** Rows have changed since it was last brought in line. */
  readonly due: boolean;
  /** What the file looked like, so that an edit is noticed without reading it. */
  readonly stamp: string;
}

export type NewMemory = Omit<Memory, 'at'> & { readonly at: number; readonly target: string };
export type TargetMemory = Memory & { readonly target: string };

export interface PageChange {
  readonly edits: readonly Edit[];
  readonly written?: Written | undefined;
  readonly intended?: Written | undefined;
}

export interface MemoryFilter {
  readonly page?: string | undefined;
  /** Only pages of this group; empty: only the person's own; absent: all. */
  readonly group?: string | undefined;
  readonly project?: string | undefined;
  readonly kind?: MemoryKind | undefined;
  readonly limit?: number | undefined;
}

export interface MemoryStore {
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

  pages(): Promise<readonly PageGlance[]>;
  page(page: string): Promise<PageState>;
  /** Adds edits, and notes what stands in the file or is about to. Returns the new version; undefined when another was faster. */
  preparePage(page: string, version: number, change: PageChange): Promise<number | undefined>;
  /**
   * Runs `put`, which writes the file and says what it looks like (an empty stamp: there is none), while no other process can; then what was intended is written,
   * and the index holds the given memories. False when another was faster, or `put` gave undefined: then nothing has changed.
   */
  settlePage(
    page: string,
    version: number,
    put: () => { stamp: string; derived: boolean } | undefined,
    memories: readonly NewMemory[],
  ): Promise<boolean>;
  /** Statements from conversations that came after what a person wrote, or asked to remember, on the same target. */
  contested(): Promise<readonly Statement[]>;
  /** All statements whose target has a note, and when the last conversation ended that gave anything. */
  noted(): Promise<{ readonly statements: readonly Statement[]; readonly lastAt: number }>;
  addEdit(page: string, edit: Edit): Promise<void>;
  mergeTargets(page: string, merges: readonly { target: string; into: string }[], at: number): Promise<void>;
  unmergeTargets(page: string, into: string, at: number): Promise<number>;
  /**
   * Removes a target of a page with everything said and written about it, and remembers prints that must not come back. The
   * extractions given replace those that held it.
   */
  forgetTarget(
    page: string,
    target: string,
    prints: readonly string[],
    extractions: readonly PlacedExtraction[],
    at?: number,
  ): Promise<void>;
  forgotten(): Promise<ReadonlySet<string>>;
  /** Removes what people wrote or asked to remember under these targets up to a moment. Returns how many rows that changed. */
  forgetUpTo(page: string, targets: readonly { readonly target: string; readonly at: number }[]): Promise<number>;
  /** The hashes of what was forgotten, each with the moment up to which it is; 0: the moment is not known. */
  forgottenUpTo(): Promise<ReadonlyMap<string, number>>;
  noteForgotten(prints: readonly { readonly print: string; readonly at: number }[]): Promise<void>;
  /** Frees what was removed from the file of the database. */
  scrub(): Promise<void>;
  /** Pages that were written since they were last taken. */
  takeUncommitted(): Promise<readonly string[]>;
  markUncommitted(pages: readonly string[]): Promise<void>;

  /** By page, in its order. */
  memories(filter: MemoryFilter): Promise<readonly TargetMemory[]>;
  /** Those whose id is, or starts with, the given text. */
  findMemories(id: string): Promise<readonly TargetMemory[]>;
}
