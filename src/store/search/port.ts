// Search by words, by tools and by touched files.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Entry, Role } from '../../schema/entry.ts';
import type { SessionFilter } from '../sessions/port.ts';

/** Words that stand side by side; the last may be the beginning of a longer one. */
export interface KeywordTerm {
  readonly words: readonly string[];
  readonly prefix: boolean;
  /** Looked for instead where the term itself stands nowhere. */
  readonly parts?: readonly KeywordTerm[];
}

/** What a person looks for, free of any engine's syntax. A hit holds at least one of the terms or variants, and all of the phrases. */
export interface KeywordQuery {
  readonly terms: readonly KeywordTerm[];
  readonly phrases: readonly (readonly string[])[];
  /** Other ways to write the terms: the parts of a compound name, a word without its ending. */
  readonly variants?: readonly KeywordTerm[];
}

/** Which uses of tools are wanted. */
export interface UseFilter {
  /** Any of these tools, by their names. */
  readonly tools?: readonly string[] | undefined;
  readonly outcome?: 'ok' | 'error' | undefined;
}

export interface KeywordFilter extends SessionFilter {
  readonly role?: Role | undefined;
  /** Only entries that used a tool so. */
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

/** Entries by BM25, best first: rows and scores side by side. */
export interface KeywordRanking {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
  /** How rare each term of the query is among the entries asked for: the logarithm of one in how many holds it. */
  readonly rarity: readonly number[];
}

/** Of how many entries each term of a query stands in. */
export interface KeywordCounts {
  readonly entries: number;
  /** In the order of the query's terms. */
  readonly matches: readonly number[];
}

/** A file that a tool was used on. */
export interface Touch {
  readonly file: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly at: number;
  readonly session: string;
  readonly cwd: string;
}

/** One use of a tool on a file that was asked for. */
export interface FileTouch {
  readonly file: string;
  readonly tool: string;
  readonly failed: boolean;
  readonly entry: Entry;
  /** Where the session worked: a path that is not absolute is seen from there. */
  readonly cwd: string;
  readonly project: string;
  readonly title: string;
  /** The entry of the prompt that led to it. */
  readonly prompt?: string | undefined;
}

/** Search by words, by tools and by files. */
export interface SearchPort {
  keywords(query: KeywordQuery, filter: KeywordFilter): Promise<readonly KeywordHit[]>;
  keywordCounts(query: KeywordQuery): Promise<KeywordCounts>;
  /**
   * The rows that `searchKeywords` finds, many of them and without their texts. Terms that nearly everything holds do not count beside
   * rarer ones, and entries may be missing that hold common terms alone. Who knows which rows are a subagent's spares it the look.
   */
  rankKeywords(
    query: KeywordQuery,
    filter: KeywordFilter,
    isSubagents?: (row: number) => boolean,
  ): Promise<KeywordRanking>;
  /** The same over what tools were given and what came of it. The rows are those of the entries that used them. */
  rankToolUses(
    query: KeywordQuery,
    filter: KeywordFilter,
    isSubagents?: (row: number) => boolean,
  ): Promise<KeywordRanking>;
  /** The names of all tools that were ever used. */
  toolNames(): Promise<readonly string[]>;
  /** The rows of all entries that used a tool so. */
  toolUsers(use: UseFilter): Promise<readonly number[]>;
  /** The last uses of tools on files in the given sessions, newest first within each. */
  touches(sessions: readonly { agent: AgentName; id: string }[], limit: number): Promise<readonly Touch[]>;
  /** All paths with this last part that tools were used on, as the agents wrote them. */
  touchedFiles(name: string): Promise<readonly string[]>;
  /** Uses of tools on any of these paths, newest first. */
  fileTouches(paths: readonly string[], filter: KeywordFilter): Promise<readonly FileTouch[]>;
  /** Some of what holds the words in the turn around an entry. */
  turnMatches(query: KeywordQuery, entry: string): Promise<readonly Entry[]>;
}
