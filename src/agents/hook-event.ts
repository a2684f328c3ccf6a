// A hook's report in our own form. Each agent with hooks maps its payloads to this.

export interface HookEvent {
  readonly kind: 'start' | 'prompt' | 'tool' | 'stop' | 'end' | 'compact' | 'other';
  readonly session: string;
  readonly cwd: string | undefined;
  /** Transcripts that changed: the session's own, and a subagent's. */
  readonly transcripts: readonly string[];
  /** Equal if the client sends the same prompt twice. */
  readonly promptId?: string | undefined;
  /** Only for prompts: the text, unless the machine wrote it. */
  readonly prompt?: string | undefined;
  readonly lastAnswer?: string | undefined;
  /** Why the session ended, or how it started. */
  readonly reason?: string | undefined;
}
