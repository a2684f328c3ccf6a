// Items that a person pinned or muted.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Pin, PinKind } from '../../schema/pin.ts';

export interface PinKey {
  readonly kind: PinKind;
  readonly id: string;
  readonly agent?: AgentName | undefined;
}

export interface PinsPort {
  /** Newest first. */
  list(): Promise<readonly Pin[]>;
  /** Replaces the other mark: pinning a muted item unmutes it, and the reverse. */
  set(key: PinKey, mark: Pin['mark'], at: number): Promise<void>;
  /** False if the item did not have this mark. */
  remove(key: PinKey, mark: Pin['mark']): Promise<boolean>;
}
