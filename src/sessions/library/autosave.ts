// Saves a session automatically: shortly after significant events, and immediately when a signal is about to end the process.
import type { SaveOptions, SessionManager } from './manager.ts';
import type { SessionMetadata, StoredMessage } from './shape.ts';

export type SignificantEvent = 'tool' | 'response' | 'user-message';

export interface AutosaveOptions extends SaveOptions {
  /** False turns it off: events and signals save nothing, but `flush` still does. */
  autoSave?: boolean;
  /** Events within this time cause one save. Default: 500. */
  debounceMs?: number;
  /** Default: SIGINT and SIGTERM. After the save, the signal has its usual effect. */
  signals?: NodeJS.Signals[];
  /** Called when a save in the background fails. The next event tries again. */
  onError?: (error: unknown) => void;
}

export interface Autosave {
  /** Something worth keeping happened. */
  note(event: SignificantEvent): void;
  /** Saves now. Undefined if there is nothing to save. */
  flush(): Promise<SessionMetadata | undefined>;
  /** Saves unsaved messages, and removes the signal handlers. */
  close(): Promise<void>;
}

/** Calls `messages` for the conversation at each save. The first save gives the session its id, and later saves keep it. */
export function autosave(
  manager: Pick<SessionManager, 'saveSession'>,
  messages: () => StoredMessage[],
  options: AutosaveOptions = {},
): Autosave {
  const { autoSave = true, debounceMs = 500, signals = ['SIGINT', 'SIGTERM'], onError, ...save } = options;
  let timer: NodeJS.Timeout | undefined;
  let id: string | undefined;
  let unsaved = false;
  let running: Promise<unknown> = Promise.resolve();

  function flush(): Promise<SessionMetadata | undefined> {
    clearTimeout(timer);
    timer = undefined;
    const saved = running.then(async () => {
      const now = messages();
      if (now.length === 0) return undefined;
      unsaved = false;
      try {
        const metadata = await manager.saveSession(now, { ...save, ...(id === undefined ? {} : { name: id }) });
        id = metadata.id;
        return metadata;
      } catch (error) {
        unsaved = true;
        throw error;
      }
    });
    running = saved.catch(() => undefined); // the caller gets the error; it must not stop the next save
    return saved;
  }

  const quietly = () => flush().catch((error) => onError?.(error));

  async function onSignal(signal: NodeJS.Signals): Promise<void> {
    await (unsaved || timer ? quietly() : running);
    letGo();
    process.kill(process.pid, signal);
  }
  const letGo = () => {
    for (const signal of signals) process.removeListener(signal, onSignal);
  };
  if (autoSave) for (const signal of signals) process.on(signal, onSignal);

  return {
    note() {
      unsaved = true;
      if (autoSave) timer ??= setTimeout(quietly, debounceMs);
    },
    flush,
    async close() {
      letGo();
      if (autoSave && unsaved) await flush();
      clearTimeout(timer);
      await running;
    },
  };
}
