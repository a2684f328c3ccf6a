// The progress of live sessions, from their transcripts: no hook reports prompts and answers.
import type { AgentName } from '../../schema/agent-name.ts';
import type { LiveEvents } from '../../schema/live-event.ts';
import type { Store } from '../../store/store.ts';

export interface TurnsDeps {
  readonly store: Pick<Store, 'sessions'>;
  readonly events: LiveEvents;
  readonly clock: () => number;
  readonly complain: (error: unknown) => void;
  /** An answer followed by this much silence ends its turn. A model needs about as long to write a long file. */
  readonly quietMs?: number;
}

export interface Turns {
  /** A transcript of the session has grown. Contract: never throws. */
  moved(agent: AgentName, session: string): Promise<void>;
  /** Transcripts were read that grew while no worker ran. */
  caughtUp(): Promise<void>;
  close(): void;
}

const dayMs = 86_400_000;

export function turns({ store, events, clock, complain, quietMs = 60_000 }: TurnsDeps): Turns {
  const timers = new Map<string, NodeJS.Timeout>();

  async function follow(agent: AgentName, session: string, quiet: boolean): Promise<void> {
    try {
      const state = await store.sessions.follow(agent, session, { quiet, since: clock() - dayMs });
      if (state !== undefined) events.publish({ kind: 'session', agent, session, state: state.status });
    } catch (error) {
      complain(error);
    }
  }

  async function moved(agent: AgentName, session: string): Promise<void> {
    const key = `${agent} ${session}`;
    clearTimeout(timers.get(key));
    timers.set(
      key,
      setTimeout(() => {
        timers.delete(key);
        void follow(agent, session, true);
      }, quietMs).unref(),
    );
    await follow(agent, session, false);
  }

  return {
    moved,
    async caughtUp() {
      for (const { agent, session } of await store.sessions.toldSince(clock() - dayMs)) await moved(agent, session);
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
