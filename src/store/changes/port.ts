// The feed of changes, by number.
import type { Change } from '../../schema/change.ts';

/** The feed of changes. */
export interface ChangesPort {
  /** What changed after a number, the oldest first. Of several changes of one thing only the last is there. */
  after(seq: number, limit: number): Promise<readonly Change[]>;
  /** The number of the last change; 0 where nothing ever was. */
  last(): Promise<number>;
}
