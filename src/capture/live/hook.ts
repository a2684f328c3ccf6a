// ① A hook's payload → its effects: it wakes ingest for its transcript and adds what the transcript lacks.
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import type { HookEvent } from '../../agents/hook-event.ts';
import { withoutInjected } from '../../agents/injected.ts';
import type { Config } from '../../config/config.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import type { LiveEvents } from '../../schema/live-event.ts';
import type { SessionChange } from '../../store/sessions/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { redact } from '../redaction/redact.ts';
import { liveLimits } from './live-limits.ts';

export interface LiveDeps {
  readonly store: Pick<Store, 'briefings' | 'pauses' | 'sessions' | 'transcripts'>;
  readonly config: Config;
  readonly clock: () => number;
  readonly events: LiveEvents;
  /** Asks ingest to look at a transcript soon. */
  readonly wake: (file: string) => void;
  /** Called when a session starts. The worker then leaves the processors to the client. */
  readonly starts?: (() => void) | undefined;
  /** Called when an agent compacts a session. The worker then archives the session. */
  readonly compacts?: ((agent: AgentName, session: string) => void) | undefined;
  /** Returns what the memory knows about a prompt, if the user has turned that on. */
  readonly onPrompt?:
    | ((prompt: string, session: string, cwd: string | undefined) => Promise<string | undefined>)
    | undefined;
}

export interface HookAnswer {
  /** Text for the agent, if the event accepts text. */
  readonly context?: string;
}

/** Contract: throws for an invalid payload, and if the store cannot be written; the client continues either way. */
export async function receiveHook(deps: LiveDeps, agent: Agent, payload: unknown): Promise<HookAnswer> {
  const event = agent.readHook?.(payload);
  if (event === undefined) {
    throw new HoldfastError('BAD_INPUT', `This is not a hook payload of ${agent.title}`, {
      hint: 'It needs session_id and hook_event_name.',
    });
  }
  if (event.kind === 'start') deps.starts?.();
  const root = deps.config.watchPath(agent);
  for (const file of event.transcripts) if (isInside(root, file)) deps.wake(file);
  const limits = liveLimits(deps);
  // The transcript keeps what was compacted, so it does no harm to hear of it afterwards.
  const compacted = event.kind === 'compact' || (event.kind === 'start' && event.reason === 'compact');
  if (compacted && !limits.isIgnored(event.cwd)) deps.compacts?.(agent.name, event.session);
  if (event.prompt !== undefined) limits.beginTurn(agent.name, event.session, event.prompt);
  const change = limits.isIgnored(event.cwd) ? undefined : changeOf(event);
  if (change !== undefined) {
    const lastAnswer = event.lastAnswer === undefined ? undefined : redact(withoutInjected(event.lastAnswer));
    const transcript = event.transcripts[0];
    const key = transcript === undefined ? undefined : path.relative(root, transcript).replaceAll('\\', '/');
    const own = key === undefined || transcript === undefined ? undefined : { key, size: sizeOf(transcript) };
    const kept = lastAnswer !== undefined && (await limits.keepsText(agent.name, event.session, own));
    const state = await deps.store.sessions.note({
      ...change,
      agent: agent.name,
      session: event.session,
      at: deps.clock(),
      lastAssistantMessage: kept ? lastAnswer : undefined,
    });
    deps.events.publish({
      kind: 'session',
      agent: agent.name,
      session: event.session,
      state: state.status,
      ...(state.endReason === undefined ? {} : { reason: state.endReason }),
    });
  }
  if (event.kind !== 'prompt' || event.prompt === undefined) return {};
  const context = await deps.onPrompt?.(event.prompt, event.session, event.cwd);
  return context === undefined ? {} : { context };
}

function changeOf(event: HookEvent): Pick<SessionChange, 'event' | 'promptId' | 'reason'> | undefined {
  switch (event.kind) {
    case 'start':
    case 'stop':
      return { event: event.kind };
    case 'prompt':
      return { event: 'prompt', promptId: event.promptId };
    case 'end':
      return { event: 'end', reason: event.reason === undefined ? undefined : redact(event.reason) };
    default:
      return undefined;
  }
}

/** Infinity if the size is unknown. */
function sizeOf(file: string): number {
  try {
    return fs.statSync(file).size;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Whether a path from an untrusted caller is below the agent's own folder, links resolved. Contract: never throws. */
function isInside(root: string, file: string): boolean {
  try {
    const below = path.relative(fs.realpathSync(root), fs.realpathSync(file));
    return below !== '' && !below.startsWith('..') && !path.isAbsolute(below);
  } catch {
    // The file does not exist yet: the watcher reports it when it does.
    return false;
  }
}
