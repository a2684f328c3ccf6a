// What a hook tells, in our own words. Each agent that has hooks maps its payloads to this.

export interface HookEvent {
  readonly kind: 'start' | 'prompt' | 'tool' | 'stop' | 'end' | 'compact' | 'other';
  readonly session: string;
  readonly cwd: string | undefined;
  /** Transcripts that moved: the session's own, and a subagent's. */
  readonly transcripts: readonly string[];
  /** Equal when the client sends the same prompt twice. */
  readonly promptId?: string | undefined;
  /** Only for prompts: its text, unless the machine made it. */
  readonly prompt?: string | undefined;
  readonly lastAnswer?: string | undefined;
  /** Why the session ended, or how it started. */
  readonly reason?: string | undefined;
}
