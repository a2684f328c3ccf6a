// What happens in an editor → the life of a session. Knows nothing about VS Code, so that any editor and any test can drive it.
import { randomUUID } from 'node:crypto';
import type { Worker } from './worker.ts';

export interface Lifecycle {
  readonly session: string;
  /** Activation: what earlier sessions left behind, as Markdown; empty when there is nothing. Never rejects. */
  briefing(): Promise<string>;
  /** A command or a chat: the person has asked for something. */
  prompt(text: string): void;
  /** The turn is over, and this was the answer. */
  answer(text: string): void;
  /** A file was saved. Saves of the same file in quick succession count once. */
  saved(file: string, what: string): void;
  /** Another file came to the front. It counts once it has stayed there. */
  opened(file: string): void;
  /** Deactivation. Resolves when the worker knows, or when the time is over. */
  end(reason: string): Promise<void>;
}

export interface Options {
  readonly worker: Worker;
  /** The working folder. The worker finds the project that it belongs to. */
  readonly folder: string;
  /** After this long without an event, the work so far is summarized. */
  readonly idleMs: number;
  /** How long a file must be in front to count, and how long saves of a file are gathered. */
  readonly settleMs?: number;
  /** How long the end may take: a closing editor does not wait. */
  readonly farewellMs?: number;
}

export function openLifecycle({ worker, folder, idleMs, settleMs = 2000, farewellMs = 2000 }: Options): Lifecycle {
  const session = randomUUID();
  const saves = new Map<string, { what: string; timer: NodeJS.Timeout }>();
  let opening: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastPrompt: string | undefined;
  // An editor in which the person only looked around leaves no session behind.
  let begun = false;
  let ended = false;

  function tell(route: Parameters<Worker['tell']>[0], body: Readonly<Record<string, unknown>>): void {
    if (ended) return;
    begun = true;
    worker.tell(route, { sessionId: session, ...body });
  }

  const summarize = (answer?: string): void => {
    clearTimeout(idle);
    tell('summarize', { last_user_message: lastPrompt, last_assistant_message: answer });
  };

  const use = (tool: string, file: string, response: string): void => {
    tell('observations', { tool_name: tool, tool_input: { path: file }, tool_response: response, cwd: folder });
    stillHere();
  };

  function stillHere(): void {
    clearTimeout(idle);
    idle = setTimeout(summarize, idleMs);
  }

  function settleSave(file: string): void {
    const save = saves.get(file);
    if (save === undefined) return;
    clearTimeout(save.timer);
    saves.delete(file);
    use('FileSave', file, save.what);
  }

  return {
    session,
    briefing: () => worker.briefing(folder),
    prompt(text) {
      if (text.trim() === '') return;
      lastPrompt = text;
      tell('init', { project: folder, cwd: folder, userPrompt: text });
      stillHere();
    },
    answer(text) {
      summarize(text);
    },
    saved(file, what) {
      if (ended) return;
      // An editor that saves every second must still be recorded: the first save sets the time, later ones only the text.
      const timer = saves.get(file)?.timer ?? setTimeout(() => settleSave(file), settleMs);
      saves.set(file, { what, timer });
    },
    opened(file) {
      clearTimeout(opening);
      if (!ended) opening = setTimeout(() => use('FileOpen', file, 'shown in the editor'), settleMs);
    },
    async end(reason) {
      if (ended) return;
      for (const file of [...saves.keys()]) settleSave(file);
      clearTimeout(opening);
      clearTimeout(idle);
      if (begun) tell('complete', { reason });
      ended = true;
      if (begun) await within(farewellMs, worker.flush());
    },
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
