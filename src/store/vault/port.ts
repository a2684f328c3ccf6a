// The vault: copies of transcripts.

import type { AgentName } from '../../schema/agent-name.ts';
import type { ReaderState } from '../../schema/reader-state.ts';

/** A transcript of which the vault lacks something. */
export interface VaultDue {
  readonly agent: AgentName;
  readonly key: string;
  /** Folders in which the transcript was seen, the longest copy first. */
  readonly roots: readonly string[];
  readonly generation: number;
  /** The bytes of the transcript that are to be copied: whole lines. */
  readonly from: number;
  readonly to: number;
  /** A copy that is to be kept beside the new one, since the transcript no longer holds all of it: which reading it was of, and its length. */
  readonly older?: { readonly generation: number; readonly bytes: number } | undefined;
  /** How long the copy is; anything beyond belongs to a write that died. */
  readonly bytes: number;
  readonly state: ReaderState;
}

/** A transcript in the vault. */
export interface VaultCopy {
  readonly agent: AgentName;
  readonly key: string;
  /** What the copy takes on disk. */
  readonly bytes: number;
  /** Up to where it covers the transcript. */
  readonly offset: number;
  readonly updatedAt: number;
  /** Whether it covers all that is stored of the transcript. */
  readonly whole: boolean;
}

/** Copies of transcripts. */
export interface VaultPort {
  due(): Promise<readonly VaultDue[]>;
  /**
   * Records how far the copy of a transcript has come; `forgotten` is how many tombstones were known to who wrote it. If there are
   * others by now nothing is recorded, and the answer says how many bytes of the copy count.
   */
  note(
    copy: Pick<VaultDue, 'agent' | 'key' | 'generation' | 'bytes' | 'state'> & { offset: number; at: number },
    forgotten: number,
  ): Promise<{ readonly bytes: number } | undefined>;
  /** Runs `put`, which puts another file in the place of a copy, while no other process can. False when the copy has changed. */
  replace(copy: Pick<VaultCopy, 'agent' | 'key' | 'bytes'>, bytes: number, put: () => void): Promise<boolean>;
  /** Runs `work` while no other process writes, unless there are other tombstones by now than the number that was `known`: then this is false. */
  unlessForgotten(known: number, work: () => void): Promise<boolean>;
  /** Records that the copy is gone. It is due again only when the transcript goes on. */
  drop(agent: AgentName, key: string): Promise<void>;
  /** Longest unchanged first. */
  copies(): Promise<readonly VaultCopy[]>;
  /** Those that a session stands in; its own transcript before those of its subagents. */
  sessionCopies(agent: AgentName, session: string): Promise<readonly VaultCopy[]>;
}
