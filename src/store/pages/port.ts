// Memory pages: the statements behind a page, the text in its file, and people's edits.
import type { NewMemory, PlacedExtraction, Statement } from '../memory/port.ts';

/** A person's edit of a page. An edit is never changed, only forgotten. The last edit of a target wins. */
export interface Edit {
  readonly target: string;
  /** `release` gives the target back to the librarian. */
  readonly kind: 'change' | 'remove' | 'add' | 'release';
  readonly text: string;
  readonly tight: boolean;
  readonly front: boolean;
  /** For an addition: the target that it follows, and the heading above it. */
  readonly anchor: string;
  readonly section: string;
  /** The text before the edit. */
  readonly before: string;
  readonly at: number;
}

/** A page's text, with the target of each of its blocks. */
export interface Written {
  readonly text: string;
  readonly targets: readonly string[];
}

export interface PageState {
  /** Increases whenever something that the page depends on changes. */
  readonly version: number;
  readonly written: Written | undefined;
  /** The text about to be written. After a crash, the file holds this or the text written before. */
  readonly intended: Written | undefined;
  readonly statements: readonly Statement[];
  readonly edits: readonly Edit[];
  /** Targets that were merged into others. */
  readonly merged: ReadonlyMap<string, string>;
}

export interface PageGlance {
  readonly page: string;
  /** Whether the librarian writes the page; people write the others. */
  readonly derived: boolean;
  /** Rows have changed since the page was last brought up to date. */
  readonly due: boolean;
  /** The file's time, size and inode, to notice an edit without reading the file. */
  readonly stamp: string;
}

export interface PageChange {
  readonly edits: readonly Edit[];
  readonly written?: Written | undefined;
  readonly intended?: Written | undefined;
}

export interface PagesPort {
  list(): Promise<readonly PageGlance[]>;
  get(page: string): Promise<PageState>;
  /**
   * Adds edits, and records the text in the file or the text about to be written. Returns the new version; undefined if
   * another process was faster.
   */
  prepare(page: string, version: number, change: PageChange): Promise<number | undefined>;
  /**
   * Runs `put` under the write lock. `put` writes the file and returns its stamp, which is empty if there is no file.
   * The intended text then counts as written, and the index holds the given memories. False, with nothing changed, if
   * another process was faster or `put` returned undefined.
   */
  settle(
    page: string,
    version: number,
    put: () => { stamp: string; derived: boolean } | undefined,
    memories: readonly NewMemory[],
  ): Promise<boolean>;
  /**
   * Statements from conversations that are newer than what a person wrote, or asked to remember, on the same target.
   */
  contested(): Promise<readonly Statement[]>;
  /** All statements whose target has a note, and the end of the last conversation that contributed anything. */
  noted(): Promise<{ readonly statements: readonly Statement[]; readonly lastAt: number }>;
  addEdit(page: string, edit: Edit): Promise<void>;
  mergeTargets(page: string, merges: readonly { target: string; into: string }[], at: number): Promise<void>;
  unmergeTargets(page: string, into: string, at: number): Promise<number>;
  /**
   * Removes a target from a page with everything said and written about it, and keeps hashes that must not come back.
   * The given extractions replace those that contained it.
   */
  forgetTarget(
    page: string,
    target: string,
    prints: readonly string[],
    extractions: readonly PlacedExtraction[],
    at?: number,
  ): Promise<void>;
  forgotten(): Promise<ReadonlySet<string>>;
  /**
   * Removes what people wrote or asked to remember on these targets up to a moment. Returns the number of changed rows.
   */
  forgetUpTo(page: string, targets: readonly { readonly target: string; readonly at: number }[]): Promise<number>;
  /** The hash of each forgotten item, and the moment up to which it is forgotten; 0 if that moment is unknown. */
  forgottenUpTo(): Promise<ReadonlyMap<string, number>>;
  noteForgotten(prints: readonly { readonly print: string; readonly at: number }[]): Promise<void>;
  /** Pages written since the last call. */
  takeUncommitted(): Promise<readonly string[]>;
  markUncommitted(pages: readonly string[]): Promise<void>;
}
