// How a person chooses a session or a hit: on a full screen, by number on a simple terminal, or not at all.
import { createInterface } from 'node:readline/promises';
import { type Config, terminalWishes } from '../../../config/config.ts';
import type { AgentName } from '../../../schema/agent-name.ts';
import type { Hit } from '../../../schema/hit.ts';
import type { Session } from '../../../schema/session.ts';
import type { Store } from '../../../store/store.ts';
import { Left } from '../person.ts';
import { numberedSessions } from '../render/resume.ts';
import { type Style, styles } from '../style.ts';
import { ofSession } from './choice.ts';
import { openHits } from './hits.ts';
import { type Library, openLibrary } from './library.ts';
import { pick } from './pick.ts';
import type { SearchInput } from './search-answer.ts';
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
    const help = 'Enter opens · ↑ ↓ choose · type to search · Esc leaves · in another agent: --in <agent>';
    const look = { style, now: Date.now(), label: 'Resume', help };
    const choices = sessions.map((session) => ofSession(session));
    const choice = await pick({ source: library, choices, look, open, words, signal: deps.signal });
    return await library.sessionOf(choice);
  } finally {
    await library.close();
  }
}

const open = (listener: Parameters<typeof openTerminal>[2]) => openTerminal(process.stdin, process.stdout, listener);

/** Whether a search can run while a person types. */
export const canSearchLive = (): boolean =>
  process.stdin.isTTY === true && process.stdout.isTTY === true && !terminalWishes().dumb;

/** The hit that the person chooses while they type. Throws `Left` if they choose nothing. */
export async function chooseHit(
  deps: { readonly config: Config; readonly store: Pick<Store, 'entries'>; readonly signal: AbortSignal },
  input: SearchInput,
): Promise<Hit | undefined> {
  const { noColor, forceColor } = terminalWishes();
  const hits = openHits(deps, input);
  try {
    const help = 'Enter shows it · ↑ ↓ choose · Esc leaves';
    const look = { style: styles(forceColor || !noColor), now: Date.now(), label: 'Search', help };
    return hits.hitOf(await pick({ source: hits, look, open, signal: deps.signal }));
  } finally {
    await hits.close();
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
    const found = async (query: string) => {
      const sessions = await Promise.all((await library.search(query)).map((choice) => library.sessionOf(choice)));
      return sessions.filter((session) => session !== undefined);
    };
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
