// The limits of capture for messages from hooks and clients. These have no line in a transcript yet that ingest could leave out.
import type { AgentName } from '../../schema/agent-name.ts';
import { ignoring, isInPrivateTurn } from '../keep.ts';
import { projectOf } from '../project.ts';
import { isWhollyPrivate } from '../redaction/redact.ts';
import type { LiveDeps } from './hook.ts';

/** Whether a session's current turn began with a wholly private prompt, as far as this process knows. */
const turns = new WeakMap<object, Map<string, boolean>>();

/** A session's own transcript: its key, and its current size. */
export interface Transcript {
  readonly key: string;
  readonly size: number;
}

export interface LiveLimits {
  /** Returns whether the whole prompt is private. If so, everything until the next prompt is private too. */
  beginTurn(agent: AgentName, session: string, prompt: string): boolean;
  /** Whether this process saw how the session's turn began. */
  knowsTurn(agent: AgentName, session: string): boolean;
  /** Whether text that arrives now may be kept. */
  keepsText(agent: AgentName, session: string, transcript?: Transcript): Promise<boolean>;
  isIgnored(folder: string | undefined): boolean;
}

export function liveLimits({ store, config }: Pick<LiveDeps, 'store' | 'config'>): LiveLimits {
  const known = turns.get(store) ?? new Map<string, boolean>();
  turns.set(store, known);
  return {
    beginTurn(agent, session, prompt) {
      const hidden = isWhollyPrivate(prompt);
      known.set(`${agent} ${session}`, hidden);
      return hidden;
    },
    knowsTurn: (agent, session) => known.has(`${agent} ${session}`),
    async keepsText(agent, session, transcript) {
      // While a pause runs, nothing that arrives is kept, whatever the clock says.
      if ((await store.pauses.list()).some(({ until }) => until === undefined)) return false;
      const told = known.get(`${agent} ${session}`);
      if (told !== undefined || transcript === undefined) return told !== true;
      // The worker started in the middle of a turn: the transcript has the turn's prompt.
      const state = await store.transcripts.state(agent, transcript.key);
      // The unread part may contain a private prompt.
      return state !== undefined && state.offset >= transcript.size && !isInPrivateTurn(state.state, session);
    },
    isIgnored: (folder) => folder !== undefined && ignoring(config.reload().ignore, projectOf)(folder),
  };
}
