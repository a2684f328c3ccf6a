// Clients without a transcript (an editor, a custom agent that posts): we write their messages into a transcript of ours, which ingest reads.
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type ClientLine, client } from '../../agents/client/index.ts';
import { withoutInjected } from '../../agents/injected.ts';
import { explain, systemCode } from '../../system/errors.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { redact, redactValue } from '../redaction/redact.ts';
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

export function openClients(deps: LiveDeps): Clients {
  const { store, clock, events } = deps;
  const root = deps.config.watchPath(client);
  const now = () => new Date(clock()).toISOString();
  // The name is a hash, so no client-chosen id can lead out of the folder.
  const keyOf = (session: string) => `${createHash('sha256').update(session).digest('hex').slice(0, 40)}.jsonl`;
  const fileOf = (session: string) => path.join(root, keyOf(session));
  const limits = liveLimits(deps);
  /** Nothing of a session in an ignored folder is noted, not even its end. An empty file marks it, because the worker may restart. */
  const ignoredFile = (session: string) =>
    path.join(deps.config.home, 'ignored', path.basename(fileOf(session), '.jsonl'));
  const isIgnored = (session: string): boolean => fs.existsSync(ignoredFile(session));
  function noteIgnored(session: string, ignored: boolean): void {
    try {
      if (!ignored) fs.rmSync(ignoredFile(session), { force: true });
      else {
        makeFolder(deps.config.home, path.dirname(ignoredFile(session)));
        fs.writeFileSync(ignoredFile(session), '', { mode: 0o600, flush: true });
      }
    } catch (error) {
      throw explain(error, ignoredFile(session));
    }
  }
  /** A worker that started in the middle of a turn finds the turn's prompt in the session's transcript, even if ingest has not read it. */
  const keepsText = (session: string): Promise<boolean> => {
    if (!limits.knowsTurn(client.name, session) && lastPromptIsPrivate(fileOf(session)))
      limits.beginTurn(client.name, session, hiddenPrompt);
    return limits.keepsText(client.name, session);
  };

  function append(session: string, lines: readonly ClientLine[], cwd: string | undefined): void {
    const file = fileOf(session);
    try {
      makeFolder(deps.config.home, root);
      const handle = fs.openSync(file, 'a+', 0o600);
      try {
        const { size } = fs.fstatSync(handle);
        const head: ClientLine = { kind: 'session', id: randomUUID(), at: now(), session, cwd };
        const all = size === 0 ? [head, ...lines] : lines;
        // One call, so that lines of two requests never mix. It throws unless everything is written.
        const text = all.map((line) => `${JSON.stringify(line)}\n`).join('');
        fs.writeFileSync(handle, endsLine(handle, size) ? text : `\n${text}`);
        fs.fdatasyncSync(handle);
      } finally {
        fs.closeSync(handle);
      }
    } catch (error) {
      throw explain(error, file);
    }
    deps.wake(file);
  }

  const note = async (
    session: string,
    change: Omit<Parameters<typeof store.sessions.note>[0], 'agent' | 'session' | 'at'>,
  ) => {
    const state = await store.sessions.note({ agent: client.name, session, at: clock(), ...change });
    events.publish({
      kind: 'session',
      agent: client.name,
      session,
      state: state.status,
      ...(state.endReason === undefined ? {} : { reason: state.endReason }),
    });
    return state;
  };

  return {
    async init({ sessionId, userPrompt, cwd: folder, project }) {
      const session = cleanId(sessionId);
      const cwd = folder === undefined ? undefined : redact(folder);
      if (limits.isIgnored(folder ?? project)) {
        noteIgnored(session, true);
        return { session, promptNumber: 0 };
      }
      noteIgnored(session, false);
      const hidden = userPrompt !== undefined && limits.beginTurn(client.name, session, userPrompt);
      const keeps = hidden || (await limits.keepsText(client.name, session));
      // An empty private passage marks what follows as private, also for a worker that restarts in between.
      const text = hidden ? hiddenPrompt : keeps ? clean(userPrompt) : '';
      const lines: ClientLine[] = text === '' ? [] : [{ kind: 'prompt', id: randomUUID(), at: now(), text }];
      if (keeps) append(session, lines, cwd ?? (project === undefined ? undefined : redact(project)));
      const state = await note(session, { event: userPrompt === undefined ? 'start' : 'prompt' });
      return { session, promptNumber: state.prompts };
    },

    async observe({ sessionId, tool_name, tool_input, tool_response, cwd: folder }) {
      const session = cleanId(sessionId);
      const tool = redact(tool_name);
      const cwd = folder === undefined ? undefined : redact(folder);
      if (deps.config.reload().settings.skipTools.includes(tool_name)) return { stored: false };
      if (isIgnored(session) || limits.isIgnored(folder)) return { stored: false };
      if (!(await keepsText(session))) return { stored: false };
      const { path: file, file_path } = (tool_input ?? {}) as Record<string, unknown>;
      append(
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
    },

    async summarize({ sessionId, last_user_message, last_assistant_message }) {
      const session = cleanId(sessionId);
      if (isIgnored(session)) return;
      const keeps = await keepsText(session);
      const prompt = keeps ? clean(last_user_message) : '';
      const answer = keeps ? clean(last_assistant_message) : '';
      // Written to the transcript because the summary is made from it. A client that already sent the prompt does not start a new turn here.
      const before = lastTurn(fileOf(session));
      const isNewTurn = prompt !== '' && before.prompt !== prompt && before.last !== 'prompt';
      const said = (kind: 'prompt' | 'answer', text: string) => ({ kind, id: randomUUID(), at: now(), text });
      const isTold = before.last === 'answer' && !isNewTurn && before.answer === answer;
      const lines = [
        ...(isNewTurn ? [said('prompt', prompt)] : []),
        ...(answer === '' || isTold ? [] : [said('answer', answer)]),
      ];
      if (lines.length > 0) append(session, lines, undefined);
      await note(session, {
        event: 'stop',
        lastUserMessage: prompt === '' ? undefined : prompt,
        lastAssistantMessage: answer === '' ? undefined : answer,
      });
    },

    async complete({ sessionId, reason: said }) {
      const session = cleanId(sessionId);
      const reason = said === undefined ? undefined : redact(said);
      if (isIgnored(session)) {
        noteIgnored(session, false);
        return;
      }
      append(session, [{ kind: 'end', id: randomUUID(), at: now(), reason }], undefined);
      await note(session, { event: 'end', reason });
    },
  };
}

const hiddenPrompt = '<private></private>';
/** Longer than any turn. */
const longestTurn = 16 << 20;

const lastPromptIsPrivate = (file: string): boolean => lastTurn(file).prompt === hiddenPrompt;

/** The last prompt and the last answer in the end of the client's transcript, and which of them came later. */
function lastTurn(file: string): { prompt?: string; answer?: string; last?: 'prompt' | 'answer' } {
  const text = endOf(file);
  const find = (kind: 'prompt' | 'answer'): { at: number; text?: string } => {
    const at = text.lastIndexOf(`{"kind":"${kind}"`);
    return at < 0 ? { at } : { at, ...saidIn(text.slice(at, text.indexOf('\n', at) >>> 0)) };
  };
  const [prompt, answer] = [find('prompt'), find('answer')];
  return {
    ...(prompt.text === undefined ? {} : { prompt: prompt.text }),
    ...(answer.text === undefined ? {} : { answer: answer.text }),
    ...(prompt.at === answer.at ? {} : { last: prompt.at > answer.at ? 'prompt' : 'answer' }),
  };
}

function saidIn(line: string): { text?: string } {
  try {
    const { text } = JSON.parse(line) as { text?: unknown };
    return typeof text === 'string' ? { text } : {};
  } catch {
    // Half a line, left by a full disk.
    return {};
  }
}

function endOf(file: string): string {
  try {
    const handle = fs.openSync(file, 'r');
    try {
      const { size } = fs.fstatSync(handle);
      const bytes = Buffer.alloc(Math.min(size, longestTurn));
      fs.readSync(handle, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString('utf8');
    } finally {
      fs.closeSync(handle);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw explain(error, file);
  }
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

/** A full disk or a power cut may have left half a line: the next line must not become part of it. */
function endsLine(handle: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (fs.readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
