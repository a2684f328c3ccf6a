// Clients without a transcript (an editor, a custom agent that posts): Holdfast writes their messages into a transcript, which ingest reads.
import { createHash, randomUUID } from 'node:crypto';
import { type ClientLine, client } from '../../agents/client/index.ts';
import { withoutInjected } from '../../agents/injected.ts';
import { redact, redactValue } from '../redaction/redact.ts';
import { clientTranscripts, hiddenPrompt, ignoredSessions } from './client-transcript.ts';
import type { LiveDeps } from './hook.ts';
import { liveLimits } from './live-limits.ts';

export interface ClientInit {
  readonly sessionId: string;
  readonly project?: string | undefined;
  readonly cwd?: string | undefined;
  readonly userPrompt?: string | undefined;
}

export interface ClientObservation {
  readonly sessionId: string;
  readonly tool_name: string;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly cwd?: string | undefined;
}

export interface ClientSummarize {
  readonly sessionId: string;
  readonly last_user_message?: string | undefined;
  readonly last_assistant_message?: string | undefined;
}

export interface ClientComplete {
  readonly sessionId: string;
  readonly reason?: string | undefined;
}

/** Each method resolves when the message is on disk. */
export interface Clients {
  init(said: ClientInit): Promise<{ session: string; promptNumber: number }>;
  /** `stored` is false for a tool on the skip list. */
  observe(said: ClientObservation): Promise<{ stored: boolean }>;
  summarize(said: ClientSummarize): Promise<void>;
  complete(said: ClientComplete): Promise<void>;
}

/** What every message of a client needs. */
function deskOf(deps: LiveDeps) {
  const { store, clock, events } = deps;
  const limits = liveLimits(deps);
  const transcripts = clientTranscripts(deps);

  return {
    deps,
    limits,
    transcripts,
    ignored: ignoredSessions(deps),
    now: () => new Date(clock()).toISOString(),

    /** A worker that started in the middle of a turn finds the turn's prompt in the session's transcript, even if ingest has not read it. */
    keepsText(session: string): Promise<boolean> {
      if (!limits.knowsTurn(client.name, session) && transcripts.lastTurn(session).prompt === hiddenPrompt)
        limits.beginTurn(client.name, session, hiddenPrompt);
      return limits.keepsText(client.name, session);
    },

    /** Advances the state of a session, and tells listeners. */
    async note(session: string, change: Omit<Parameters<typeof store.sessions.note>[0], 'agent' | 'session' | 'at'>) {
      const state = await store.sessions.note({ agent: client.name, session, at: clock(), ...change });
      events.publish({
        kind: 'session',
        agent: client.name,
        session,
        state: state.status,
        ...(state.endReason === undefined ? {} : { reason: state.endReason }),
      });
      return state;
    },
  };
}

type Desk = ReturnType<typeof deskOf>;

export function openClients(deps: LiveDeps): Clients {
  const desk = deskOf(deps);
  return {
    init: (said) => init(desk, said),
    observe: (said) => observe(desk, said),
    summarize: (said) => summarize(desk, said),
    complete: (said) => complete(desk, said),
  };
}

async function init(
  { limits, ignored, transcripts, now, note }: Desk,
  { sessionId, userPrompt, cwd: folder, project }: ClientInit,
): Promise<{ session: string; promptNumber: number }> {
  const session = cleanId(sessionId);
  const cwd = folder === undefined ? undefined : redact(folder);
  if (limits.isIgnored(folder ?? project)) {
    ignored.note(session, true);
    return { session, promptNumber: 0 };
  }
  ignored.note(session, false);
  const hidden = userPrompt !== undefined && limits.beginTurn(client.name, session, userPrompt);
  const keeps = hidden || (await limits.keepsText(client.name, session));
  // An empty private passage marks what follows as private, also for a worker that restarts in between.
  const text = hidden ? hiddenPrompt : keeps ? clean(userPrompt) : '';
  const lines: ClientLine[] = text === '' ? [] : [{ kind: 'prompt', id: randomUUID(), at: now(), text }];
  if (keeps) transcripts.append(session, lines, cwd ?? (project === undefined ? undefined : redact(project)));
  const state = await note(session, { event: userPrompt === undefined ? 'start' : 'prompt' });
  return { session, promptNumber: state.prompts };
}

async function observe(
  { deps, limits, ignored, transcripts, now, keepsText }: Desk,
  { sessionId, tool_name, tool_input, tool_response, cwd: folder }: ClientObservation,
): Promise<{ stored: boolean }> {
  const session = cleanId(sessionId);
  const tool = redact(tool_name);
  const cwd = folder === undefined ? undefined : redact(folder);
  if (deps.config.reload().settings.skipTools.includes(tool_name)) return { stored: false };
  if (ignored.has(session) || limits.isIgnored(folder)) return { stored: false };
  if (!(await keepsText(session))) return { stored: false };
  const { path: file, file_path } = (tool_input ?? {}) as Record<string, unknown>;
  transcripts.append(
    session,
    [
      {
        kind: 'tool',
        id: randomUUID(),
        at: now(),
        tool,
        input: asText(redactValue(tool_input ?? {})),
        output: asText(redactValue(tool_response ?? '')),
        files: [file, file_path].filter((name) => typeof name === 'string').map((name) => redact(name)),
      },
    ],
    cwd,
  );
  return { stored: true };
}

async function summarize(
  { ignored, transcripts, now, note, keepsText }: Desk,
  { sessionId, last_user_message, last_assistant_message }: ClientSummarize,
): Promise<void> {
  const session = cleanId(sessionId);
  if (ignored.has(session)) return;
  const keeps = await keepsText(session);
  const prompt = keeps ? clean(last_user_message) : '';
  const answer = keeps ? clean(last_assistant_message) : '';
  // Written to the transcript because the summary is made from it. A client that already sent the prompt does not start a new turn here.
  const before = transcripts.lastTurn(session);
  const isNewTurn = prompt !== '' && before.prompt !== prompt && before.last !== 'prompt';
  const said = (kind: 'prompt' | 'answer', text: string) => ({ kind, id: randomUUID(), at: now(), text });
  const isTold = before.last === 'answer' && !isNewTurn && before.answer === answer;
  const lines = [
    ...(isNewTurn ? [said('prompt', prompt)] : []),
    ...(answer === '' || isTold ? [] : [said('answer', answer)]),
  ];
  if (lines.length > 0) transcripts.append(session, lines, undefined);
  await note(session, {
    event: 'stop',
    lastUserMessage: prompt === '' ? undefined : prompt,
    lastAssistantMessage: answer === '' ? undefined : answer,
  });
}

async function complete(
  { ignored, transcripts, now, note }: Desk,
  { sessionId, reason: said }: ClientComplete,
): Promise<void> {
  const session = cleanId(sessionId);
  const reason = said === undefined ? undefined : redact(said);
  if (ignored.has(session)) {
    ignored.note(session, false);
    return;
  }
  transcripts.append(session, [{ kind: 'end', id: randomUUID(), at: now(), reason }], undefined);
  await note(session, { event: 'end', reason });
}

/** The text without secrets and without passages that the client or another memory has injected. */
const clean = (said: string | undefined): string => redact(withoutInjected(said ?? '')).trim();

/** Clients choose their ids. If an id contains a secret, a hash takes its place. */
function cleanId(session: string): string {
  const clean = redact(session);
  return clean === session
    ? session
    : `${clean.trim()} ${createHash('sha256').update(session).digest('hex').slice(0, 12)}`;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
