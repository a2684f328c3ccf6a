// Lines that all pulled transcripts have in common: facts about the session, and its title.
import type { ParsedHeader, ParsedItem } from './agent.ts';
import { derivedId } from './derived-id.ts';
import { asObject, asString } from './json.ts';
import type { PulledLine, PulledRecord } from './pull.ts';

export interface SessionFacts extends Omit<ParsedHeader, 'kind' | 'session'> {
  readonly title?: string | undefined;
  /** Whether the person chose the title. */
  readonly titled?: boolean | undefined;
}

const isoOf = (at: number | undefined): { timestamp?: string } =>
  at === undefined || !Number.isFinite(at) || Math.abs(at) > 8.64e15 ? {} : { timestamp: new Date(at).toISOString() };

/** Facts and title are on separate lines: a forgotten title goes, and the facts stay. */
export function aboutSession(
  agent: string,
  session: string,
  facts: SessionFacts,
  at: number | undefined,
): PulledLine[] {
  const { title, titled, ...header } = facts;
  const about = Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined));
  const id = (kind: string, value: unknown) => derivedId(agent, kind, session, JSON.stringify(value));
  const lines: PulledLine[] = [
    { type: 'session', id: id('session', about), ...isoOf(at), agent, session, message: about },
  ];
  if (title !== undefined)
    lines.push({
      type: 'title',
      id: id('title', title),
      ...isoOf(at),
      message: { title, ...(titled ? { titled } : {}) },
    });
  return lines;
}

/** A title comes after the messages: see `wholeMessages`. */
export const isTitle = ({ type }: PulledLine): boolean => type === 'title';

export const pulledLine = (type: string, id: string, at: number | undefined, message: unknown): PulledLine => ({
  type,
  id,
  ...isoOf(at),
  message,
});

/** What those lines yield; undefined for all others. */
export function readAbout(line: Record<string, unknown>): ParsedItem[] | undefined {
  const message = asObject(line.message);
  const text = (name: string) => asString(message[name]);
  if (line.type === 'title') {
    const title = text('title');
    return title === undefined ? [] : [{ kind: 'title', title, by: message.titled === true ? 'person' : 'agent' }];
  }
  if (line.type !== 'session') return 'pulled' in line ? [] : undefined;
  const facts = {
    ...{ session: asString(line.session), cwd: text('cwd'), parent: text('parent'), subagent: text('subagent') },
    ...{ forkOf: text('forkOf'), branch: text('branch'), repository: text('repository') },
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  return [{ kind: 'header', ...Object.fromEntries(known) } as ParsedHeader];
}

export const isPulledBy = (agent: string, lines: readonly unknown[]): boolean =>
  lines.some((line) => asObject(line).type === 'session' && asObject(line).agent === agent);

export const asRecords = (lines: readonly PulledLine[]): PulledRecord[] => lines.map((line) => ({ line }));
