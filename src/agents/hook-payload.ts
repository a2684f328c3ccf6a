// Hook payloads → our own form. Other agents took over Claude Code's payloads, with different names for some fields.
import type { HookEvent } from './hook-event.ts';
import { asObject, asString } from './json.ts';

const kinds: Readonly<Record<string, HookEvent['kind']>> = {
  SessionStart: 'start',
  UserPromptSubmit: 'prompt',
  PostToolUse: 'tool',
  PostToolUseFailure: 'tool',
  Stop: 'stop',
  StopFailure: 'stop',
  SessionEnd: 'end',
  PreCompact: 'compact',
};

/** Undefined for anything that is not a hook payload. Contract: never throws. */
export function readHookPayload(payload: unknown): HookEvent | undefined {
  const said = asObject(payload);
  const session = asString(said.session_id) ?? asString(said.sessionId) ?? asString(said.conversation_id);
  const name = asString(said.hook_event_name);
  if (session === undefined || name === undefined) return undefined;
  const kind = kinds[name] ?? 'other';
  const prompt = asString(said.prompt);
  // The client also submits its own notifications as prompts.
  const typed = prompt !== undefined && !prompt.startsWith('<task-notification>') ? prompt : undefined;
  return {
    kind: kind === 'prompt' && typed === undefined ? 'other' : kind,
    session,
    cwd: asString(said.cwd) ?? (Array.isArray(said.workspace_roots) ? asString(said.workspace_roots[0]) : undefined),
    transcripts: [asString(said.transcript_path), asString(said.agent_transcript_path)].filter(
      (file) => file !== undefined,
    ),
    promptId: asString(said.prompt_id),
    prompt: typed,
    // A subagent's last answer is not the session's.
    lastAnswer: name.startsWith('Subagent') ? undefined : asString(said.last_assistant_message),
    reason: asString(said.reason) ?? asString(said.source),
  };
}
