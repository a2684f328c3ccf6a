// Memory pages: what a page is made from, what stands in its file, and what people changed there.
import type { NewMemory, PlacedExtraction, Statement } from '../memory/port.ts';

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

export interface PageChange {
  readonly edits: readonly Edit[];
  readonly written?: Written | undefined;
  readonly intended?: Written | undefined;
}

/** The pages of memory. */
export interface PagesPort {
  list(): Promise<readonly PageGlance[]>;
  get(page: string): Promise<PageState>;
  /** Adds edits, and notes what stands in the file or is about to. Returns the new version; undefined when another was faster. */
  prepare(page: string, version: number, change: PageChange): Promise<number | undefined>;
  /**
   * Runs `put`, which writes the file and says what it looks like (an empty stamp: there is none), while no other process can; then what was intended is written,
   * and the index holds the given memories. False when another was faster, or `put` gave undefined: then nothing has changed.
   */
  settle(
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
  /** Pages that were written since they were last taken. */
  takeUncommitted(): Promise<readonly string[]>;
  markUncommitted(pages: readonly string[]): Promise<void>;
}
