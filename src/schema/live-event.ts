import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

/** An event for live viewers: something changed, and where to look. Never contains text. */
export const LiveEvent = z.object({
  kind: z.enum(['entries', 'session', 'processing', 'briefing', 'distilled']),
  agent: AgentName.optional(),
  session: z.string().optional(),
  state: z.string().optional().describe('for kind session: its new state'),
  reason: z.string().optional(),
  isProcessing: z.boolean().optional(),
  added: z.number().int().optional().describe('for kind entries and distilled: how many'),
  at: Moment,
});
export type LiveEvent = z.infer<typeof LiveEvent>;

export interface LiveEvents {
  publish(event: Omit<LiveEvent, 'at'>): void;
  /** Returns a function that unsubscribes. */
  subscribe(listen: (event: LiveEvent) => void): () => void;
}

export function liveEvents(clock: () => number): LiveEvents {
  const listeners = new Set<(event: LiveEvent) => void>();
  return {
    publish(event) {
      const stamped: LiveEvent = { ...event, at: new Date(clock()).toISOString() };
      for (const listen of listeners) listen(stamped);
    },
    subscribe(listen) {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
  };
}
