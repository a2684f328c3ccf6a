// Search by words, by tools and by touched files.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Entry, Role } from '../../schema/entry.ts';
import type { EntryRowId } from '../row-ids.ts';
import type { SessionFilter } from '../sessions/port.ts';

/** Adjacent words; the last may be the beginning of a longer one. */
export interface KeywordTerm {
  readonly words: readonly string[];
  readonly prefix: boolean;
  /** Searched instead if the term itself has no match. */
  readonly parts?: readonly KeywordTerm[];
}

/** A query, free of any engine's syntax. A hit contains at least one term or variant, and all phrases. */
export interface KeywordQuery {
  readonly terms: readonly KeywordTerm[];
  readonly phrases: readonly (readonly string[])[];
  /** Other spellings of the terms: the parts of a compound name, a word without its ending. */
  readonly variants?: readonly KeywordTerm[];
}

/** Selects tool uses. */
export interface UseFilter {
  /** Any of these tools, by their names. */
  readonly tools?: readonly string[] | undefined;
  readonly outcome?: 'ok' | 'error' | undefined;
}

export interface KeywordFilter extends SessionFilter {
  readonly role?: Role | undefined;
  /** Only entries with such a tool use. */
  readonly use?: UseFilter | undefined;
  readonly subagents?: boolean | undefined;
  readonly limit: number;
}

export interface KeywordHit {
  readonly score: number;
  readonly entry: Entry;
  readonly project: string;
  readonly title: string;
}

/** Entries by BM25, best first: rows and scores in parallel arrays. */
export interface KeywordRanking {
  readonly rows: readonly EntryRowId[];
  readonly scores: readonly number[];
  /** How rare each term is among the searched entries: about log(entries / matches). */
  readonly rarity: readonly number[];
}

/** How many entries contain each term of a query. */
export interface KeywordCounts {
  readonly entries: number;
  /** In the order of the query's terms. */
  readonly matches: readonly number[];
}

/** A file that a tool used. */
export interface Touch {
  readonly file: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly at: number;
  readonly session: string;
  readonly cwd: string;
}

/** How often tools used a file in a session, and when last. */
export interface CountedTouch extends Omit<Touch, 'session'> {
  readonly times: number;
}

/** One tool use on a requested file. */
export interface FileTouch {
  readonly file: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly entry: Entry;
  /** The session's working folder; relative paths start from there. */
  readonly cwd: string;
  readonly project: string;
  readonly title: string;
  /** The entry of the prompt that led to this use. */
  readonly prompt?: string | undefined;
}

/** Search by words, by tools and by files. */
export interface SearchPort {
  keywords(query: KeywordQuery, filter: KeywordFilter): Promise<readonly KeywordHit[]>;
  keywordCounts(query: KeywordQuery): Promise<KeywordCounts>;
  /**
   * The rows that `keywords` finds, many of them, without texts. Very common terms are ignored beside rarer ones, so
   * entries that match only common terms may be missing. Pass `isSubagents` to save one lookup per row.
   */
  rankKeywords(
    query: KeywordQuery,
    filter: KeywordFilter,
    isSubagents?: (row: EntryRowId) => boolean,
  ): Promise<KeywordRanking>;
  /** The same over the inputs and outputs of tools. The rows are those of the entries that used them. */
  rankToolUses(
    query: KeywordQuery,
    filter: KeywordFilter,
    isSubagents?: (row: EntryRowId) => boolean,
  ): Promise<KeywordRanking>;
  /**
   * The rows of the entries that contain any form of each term, in their texts or tool uses. A row that has it in both comes twice.
   * `most` rows in all: a term with more than are left is undefined, so the caller puts rare terms first.
   */
  termRows(
    terms: readonly (readonly KeywordTerm[])[],
    most: number,
  ): Promise<readonly (readonly EntryRowId[] | undefined)[]>;
  /** The names of all tools ever used. */
  toolNames(): Promise<readonly string[]>;
  /** The rows of all entries with such a tool use. */
  toolUsers(use: UseFilter): Promise<readonly EntryRowId[]>;
  /** The last file touches in the given sessions, newest first within each. */
  touches(sessions: readonly { agent: AgentName; id: string }[], limit: number): Promise<readonly Touch[]>;
  /** All file touches in a session, counted by file, tool and outcome. */
  countedTouches(session: { agent: AgentName; id: string }): Promise<readonly CountedTouch[]>;
  /** All touched paths with this last part, as the agents wrote them. */
  touchedFiles(name: string): Promise<readonly string[]>;
  /** The sessions whose tools used any of these paths, each with the path and the folder it worked in. */
  sessionsTouching(
    paths: readonly string[],
  ): Promise<
    readonly { readonly agent: AgentName; readonly session: string; readonly file: string; readonly cwd: string }[]
  >;
  /** Tool uses on any of these paths, newest first. */
  fileTouches(paths: readonly string[], filter: KeywordFilter): Promise<readonly FileTouch[]>;
  /** Some matching entries from the turn around an entry. */
  turnMatches(query: KeywordQuery, entry: string): Promise<readonly Entry[]>;
}
