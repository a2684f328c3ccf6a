// How a person chooses a session: on a full screen, by number on a simple terminal, or not at all.
import { createInterface } from 'node:readline/promises';
import { type Config, terminalWishes } from '../../../config/config.ts';
import type { AgentName } from '../../../schema/agent-name.ts';
import type { Session } from '../../../schema/session.ts';
import type { Store } from '../../../store/store.ts';
import { Left } from '../person.ts';
import { numberedSessions } from '../render/resume.ts';
import { type Style, styles } from '../style.ts';
import { type Library, openLibrary } from './library.ts';
import { pick } from './pick.ts';
import { openTerminal } from './terminal.ts';

interface ChooseDeps {
  readonly config: Config;
  readonly store: Pick<Store, 'sessions'>;
  readonly signal: AbortSignal;
}

/** Undefined without a terminal, or if there is nothing to choose from. Throws `Left` if the person chooses nothing. */
export async function chooseSession(
  deps: ChooseDeps,
  agent: AgentName | undefined,
  words = '',
): Promise<Session | undefined> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const { noColor, forceColor, dumb } = terminalWishes();
  const library = openLibrary(deps, agent);
  try {
    const sessions = await library.sessions();
    if (sessions.length === 0) return undefined;
    const style = styles(!dumb && (forceColor || !noColor));
    if (dumb) return await askNumber(library, style, words, deps.signal);
    const look = { style, now: Date.now() };
    const open = (listener: Parameters<typeof openTerminal>[2]) => openTerminal(stdin, stdout, listener);
    return await pick({ library, sessions, look, open, words, signal: deps.signal });
  } finally {
    await library.close();
  }
}

const mostNumbers = 20;

async function askNumber(library: Library, style: Style, words: string, signal: AbortSignal): Promise<Session> {
  // A dumb terminal only has its own line editing.
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  const closed = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new Left()));
    signal.addEventListener('abort', () => reject(new Left()), { once: true });
  });
  try {
    const found = async (query: string) => (await library.search(query)).map(({ session }) => session);
    let shown = (words === '' ? await library.sessions() : await found(words)).slice(0, mostNumbers);
    for (;;) {
      const view = { style, width: process.stdout.columns || 80, now: Date.now() };
      process.stdout.write(shown.length === 0 ? 'Nothing found.\n' : `${numberedSessions(shown, view)}\n`);
      const typed = await Promise.race([lines.question('Number, or words to search (empty: leave): '), closed]);
      const answer = typed.trim();
      if (answer === '') throw new Left();
      const chosen = /^\d+$/.test(answer) ? shown[Number(answer) - 1] : undefined;
      if (chosen !== undefined) return chosen;
      if (!/^\d+$/.test(answer)) shown = (await found(answer)).slice(0, mostNumbers);
    }
  } finally {
    lines.close();
  }
}
