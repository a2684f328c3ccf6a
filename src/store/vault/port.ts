// The vault: copies of transcripts.

import type { AgentName } from '../../schema/agent-name.ts';
import type { ReaderState } from '../../schema/reader-state.ts';

/** A transcript that the vault does not fully cover. */
export interface VaultDue {
  readonly agent: AgentName;
  readonly key: string;
  /** Folders that contain the transcript, longest copy first. */
  readonly roots: readonly string[];
  readonly generation: number;
  /** The range of bytes to copy: whole lines. */
  readonly from: number;
  readonly to: number;
  /**
   * An older copy to keep beside the new one, because the transcript no
   * longer contains all of it: its generation and length.
   */
  readonly older?: { readonly generation: number; readonly bytes: number } | undefined;
  /** The length of the copy; bytes beyond it come from a write that was killed. */
  readonly bytes: number;
  readonly state: ReaderState;
}

/** A transcript in the vault. */
export interface VaultCopy {
  readonly agent: AgentName;
  readonly key: string;
  /** The size of the copy on disk. */
  readonly bytes: number;
  /** The offset up to which the copy covers the transcript. */
  readonly offset: number;
  readonly updatedAt: number;
  /** Whether it covers everything stored of the transcript. */
  readonly whole: boolean;
}

export interface VaultPort {
  due(): Promise<readonly VaultDue[]>;
  /** The transcripts of one session that the vault does not fully cover. */
  sessionDue(agent: AgentName, session: string): Promise<readonly VaultDue[]>;
  /**
   * Records how far the copy of a transcript reaches; `forgotten` is the number of tombstones that its writer knew. If
   * that number has changed, nothing is recorded, and the answer says how many bytes of the copy are valid.
   */
  note(
    copy: Pick<VaultDue, 'agent' | 'key' | 'generation' | 'bytes' | 'state'> & { offset: number; at: number },
    forgotten: number,
  ): Promise<{ readonly bytes: number } | undefined>;
  /** Runs `put`, which replaces the file of a copy, under the write lock. False if the copy has changed. */
  replace(copy: Pick<VaultCopy, 'agent' | 'key' | 'bytes'>, bytes: number, put: () => void): Promise<boolean>;
  /** Runs `work` under the write lock. False, without running it, if the number of tombstones is no longer `known`. */
  unlessForgotten(known: number, work: () => void): Promise<boolean>;
  /** Records that the copy is gone. It becomes due again only when the transcript grows. */
  drop(agent: AgentName, key: string): Promise<void>;
  /** Longest unchanged first. */
  copies(): Promise<readonly VaultCopy[]>;
  /** The copies that contain a session; its own transcript comes before its subagents'. */
  sessionCopies(agent: AgentName, session: string): Promise<readonly VaultCopy[]>;
}
