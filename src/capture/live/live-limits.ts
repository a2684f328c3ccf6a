// The limits of capture for what hooks and clients tell: it has no line in a transcript yet that could be left out.
import type { AgentName } from '../../schema/agent-name.ts';
import { ignoring, isInPrivateTurn } from '../keep.ts';
import { projectOf } from '../project.ts';
import { isWhollyPrivate } from '../redaction/redact.ts';
import type { LiveDeps } from './hook.ts';

/** Whether the turn that a session is in began with a wholly private prompt, as far as this process was told. */
const turns = new WeakMap<object, Map<string, boolean>>();

/** A session's own transcript: the key under which it is known, and how long it is by now. */
export interface Transcript {
  readonly key: string;
  readonly size: number;
}

export interface LiveLimits {
  /** Whether the prompt is private as a whole, and with it all that follows until the next one. */
  beginTurn(agent: AgentName, session: string, prompt: string): boolean;
  /** Whether this process was told how the session's turn began. */
  knowsTurn(agent: AgentName, session: string): boolean;
  /** Whether the text of this moment may be kept. */
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
      // A pause that runs holds back all that is told now, whatever the clock says.
      if ((await store.pauses.list()).some(({ until }) => until === undefined)) return false;
      const told = known.get(`${agent} ${session}`);
      if (told !== undefined || transcript === undefined) return told !== true;
      // The worker was started in the middle of a turn: the transcript has its prompt.
      const state = await store.transcripts.state(agent, transcript.key);
      // What was not read yet may hold a private prompt.
      return state !== undefined && state.offset >= transcript.size && !isInPrivateTurn(state.state, session);
    },
    isIgnored: (folder) => folder !== undefined && ignoring(config.reload().ignore, projectOf)(folder),
  };
}
