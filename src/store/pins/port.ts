// What a person pinned or muted.
import type { AgentName } from '../../schema/agent-name.ts';
import type { Pin, PinKind } from '../../schema/pin.ts';

export interface PinKey {
  readonly kind: PinKind;
  readonly id: string;
  readonly agent?: AgentName | undefined;
}

/** Pinned and muted things. */
export interface PinsPort {
  /** Pinned and muted things, newest first. */
  list(): Promise<readonly Pin[]>;
  /** Pins what was muted, and the other way round. */
  set(key: PinKey, mark: Pin['mark'], at: number): Promise<void>;
  /** False when it was not so marked. */
  remove(key: PinKey, mark: Pin['mark']): Promise<boolean>;
}
