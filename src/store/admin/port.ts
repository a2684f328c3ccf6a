// The engine itself: size, health, upkeep, backups.

/** The care of the engine. */
export interface AdminPort {
  /**
   * Derives anew what an older version has derived from the next `limit` rows: index texts, touched files. Done, it costs
   * nothing any more; how far it came is part of the same transaction.
   */
  renewDerived(limit: number): Promise<{ done: boolean }>;
  /** Whether the index of words is in so many parts that searches take longer for it. Costs about a millisecond. */
  isIndexScattered(): Promise<boolean>;
  /** A short step of putting them together; false when nothing is left to do. */
  mergeIndex(): Promise<boolean>;
  /** Bytes on disk, with side files. */
  size(): Promise<number>;
  /** Reads a little; throws where the database cannot be read any more. */
  probe(): Promise<void>;
  /** Gives back what only the next reading would be faster for: the worker lives for weeks. */
  shrink(): Promise<void>;
  /** What a check of the engine's own structures says; empty when all is well. */
  integrity(): Promise<readonly string[]>;
  /** Writes a consistent copy while others go on. */
  backup(path: string): Promise<void>;
  /** Makes sure that the file beside the database holds every hash of what was forgotten, and every pause. */
  keepLedger(): Promise<void>;
  /** Frees what was removed from the file of the database. */
  scrub(): Promise<void>;
  /** In order, after an id. */
  /** Lets what was answered go from the log beside the database, too. False: a reader keeps it for now. */
  emptyLog(): Promise<boolean>;
  /** Overwrites what was removed, in the database and its log. False while somebody else's reading keeps the log. */
  purge(): Promise<boolean>;
  /** Gives back the memory in which the engine holds parts of the file, so that what was removed goes from there too. */
  release(): Promise<void>;
}
