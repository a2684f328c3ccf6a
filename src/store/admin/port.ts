// Maintenance of the engine: size, health, upkeep, backups.

export interface AdminPort {
  /**
   * Derives index texts and touched files again for the next `limit` rows that an older version derived. Progress is
   * stored in the same transaction. Costs nothing once all rows are done.
   */
  renewDerived(limit: number): Promise<{ done: boolean }>;
  /** Whether the keyword index has so many segments that searches slow down. Costs about a millisecond. */
  isIndexScattered(): Promise<boolean>;
  /** Merges index segments in one short step; false when nothing is left to merge. */
  mergeIndex(): Promise<boolean>;
  /** Bytes on disk, including the side files. */
  size(): Promise<number>;
  /** Reads a little; throws when the database is no longer readable. */
  probe(): Promise<void>;
  /** From now on caches at most 4 MB of pages instead of 16: for the worker, which shares the machine with other work. */
  keepCacheSmall(): Promise<void>;
  /** Frees the engine's caches, because the worker lives for weeks. Only the next reads get slower. */
  shrink(): Promise<void>;
  /** The problems that the engine's own check reports; empty when all is well. */
  integrity(): Promise<readonly string[]>;
  /** Writes a consistent copy while other processes keep working. */
  backup(path: string): Promise<void>;
  /** Makes sure that the ledger file beside the database holds the hash of every forgotten item, and every pause. */
  keepLedger(): Promise<void>;
  /** Removes deleted memories from the index and tries to empty the log. */
  scrub(): Promise<void>;
  /** Empties the log beside the database. False while a reader still needs it. */
  emptyLog(): Promise<boolean>;
  /** Overwrites removed data in the database and its log. False while another process's read keeps the log. */
  purge(): Promise<boolean>;
  /** Frees the engine's page cache, so that removed data also leaves the process's memory. */
  release(): Promise<void>;
}
