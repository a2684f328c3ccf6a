// The transcript that we write for a client without one: appended line by line, read back only at its end.
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type ClientLine, client } from '../../agents/client/index.ts';
import { explain, systemCode } from '../../system/errors.ts';
import { makeFolder } from '../../system/make-folder.ts';
import type { LiveDeps } from './hook.ts';

/** An empty private passage marks what follows as private, also for a worker that restarts in between. */
export const hiddenPrompt = '<private></private>';

/** A hash, so no client-chosen id can lead out of the folder. */
const nameOf = (session: string): string => createHash('sha256').update(session).digest('hex').slice(0, 40);

export function clientTranscripts(deps: Pick<LiveDeps, 'config' | 'clock' | 'wake'>) {
  const root = deps.config.watchPath(client);
  const fileOf = (session: string) => path.join(root, `${nameOf(session)}.jsonl`);

  return {
    append(session: string, lines: readonly ClientLine[], cwd: string | undefined): void {
      const file = fileOf(session);
      try {
        makeFolder(deps.config.home, root);
        const handle = fs.openSync(file, 'a+', 0o600);
        try {
          const { size } = fs.fstatSync(handle);
          const head: ClientLine = {
            kind: 'session',
            id: randomUUID(),
            at: new Date(deps.clock()).toISOString(),
            session,
            cwd,
          };
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
    },
    lastTurn: (session: string): LastTurn => lastTurn(fileOf(session)),
  };
}

/**
 * Nothing of a session in an ignored folder is noted, not even its end. An empty file marks it, because the worker may
 * restart.
 */
export function ignoredSessions({ config }: Pick<LiveDeps, 'config'>) {
  const fileOf = (session: string) => path.join(config.home, 'ignored', nameOf(session));
  return {
    has: (session: string): boolean => fs.existsSync(fileOf(session)),
    note(session: string, ignored: boolean): void {
      const file = fileOf(session);
      try {
        if (!ignored) fs.rmSync(file, { force: true });
        else {
          makeFolder(config.home, path.dirname(file));
          fs.writeFileSync(file, '', { mode: 0o600, flush: true });
        }
      } catch (error) {
        throw explain(error, file);
      }
    },
  };
}

/** The last prompt and the last answer of a transcript, and which of them came later. */
export interface LastTurn {
  readonly prompt?: string;
  readonly answer?: string;
  readonly last?: 'prompt' | 'answer';
}

/** Longer than any turn. */
const longestTurn = 16 << 20;

/** Reads the end of the file. */
function lastTurn(file: string): LastTurn {
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

/** A full disk or a power cut may have left half a line: the next line must not become part of it. */
function endsLine(handle: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (fs.readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}
