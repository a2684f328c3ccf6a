// The feed of changes, by sequence number.
import type { Change } from '../../schema/change.ts';

export interface ChangesPort {
  /** Changes after this number, oldest first. If one item changed several times, only its last change is listed. */
  after(seq: number, limit: number): Promise<readonly Change[]>;
  /** The number of the last change; 0 if there has been no change yet. */
  last(): Promise<number>;
}
