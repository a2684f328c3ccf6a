// ① What one piece of a transcript says about its sessions, beside what was said in them: folder, title, and facts such as the branch.
import type { ParsedEntry, ParsedHeader, ParsedItem, ReaderState } from '../../agents/agent.ts';
import type { FactKind, TitleSource } from '../../schema/session-fact.ts';
import type { SessionFact, SessionInFile } from '../../store/transcripts/port.ts';
import { redact } from '../redaction/redact.ts';

/** Reader state of our own, under names that no agent uses. */
const own = {
  /** The title of the current session, and who gave it; it may come before the first entry. */
  title: '@title',
  titleBy: '@titleBy',
  /** Hash of the last title that was not kept: agents repeat titles. */
  hidden: '@hidden',
  /** The last branch that was noted, with its session: nearly every line repeats it. */
  branch: '@branch',
  /** Facts that came before the first entry, as JSON. */
  early: '@facts',
} as const;

type Title = Extract<ParsedItem, { kind: 'title' }>;

interface Noted {
  cwd: string | undefined;
  title: string | undefined;
  titleBy: TitleSource | undefined;
  facts: SessionFact[];
}

/** Longer ones are no names. */
const longestFact = 1000;
const mostEarlyFacts = 50;

export function sessionNotes(state: ReaderState, hashOf: (text: string) => string) {
  const sessions = new Map<string, Noted>();
  const titles: { leaf: string; title: string }[] = [];

  const noted = (session: string): Noted => {
    const found = sessions.get(session) ?? { cwd: undefined, title: undefined, titleBy: undefined, facts: [] };
    sessions.set(session, found);
    return found;
  };

  const held = (): Pick<Noted, 'title' | 'titleBy'> => ({
    title: state[own.title] as string | undefined,
    titleBy: state[own.titleBy] === 'person' ? 'person' : 'agent',
  });

  function addFact(session: string, kind: FactKind, value: string, pos: number): void {
    const text = redact(value).trim().slice(0, longestFact).toWellFormed();
    if (text !== '') noted(session).facts.push({ kind, value: text, pos });
  }

  return {
    /** `hasEntries`: a session without entries is none yet; its first entry brings along what was noted. */
    title(item: Title, session: string, isKept: boolean, hasEntries: boolean): void {
      const hash = hashOf(item.title);
      if (!isKept) state[own.hidden] = hash;
      const title = redact(item.title).trim();
      if (hash === state[own.hidden] || title === '') return;
      if (item.leaf !== undefined) {
        titles.push({ leaf: item.leaf, title });
        return;
      }
      if (state[own.titleBy] === 'person' && item.by === 'agent' && state[own.title] !== undefined) return;
      state[own.title] = title;
      state[own.titleBy] = item.by;
      if (hasEntries) Object.assign(noted(session), held());
    },

    fact(kind: FactKind, value: string, session: string, pos: number, hasEntries: boolean): void {
      if (hasEntries) {
        addFact(session, kind, value, pos);
        return;
      }
      const early = earlyFacts(state);
      if (early.length < mostEarlyFacts)
        state[own.early] = JSON.stringify([...early, { kind, value: redact(value).slice(0, longestFact), pos }]);
    },

    /** From here on the file speaks of another session. */
    change(): void {
      delete state[own.title];
      delete state[own.titleBy];
    },

    /** An entry that is kept. */
    entry(item: ParsedEntry, session: string, cwd: string | undefined, pos: number): void {
      const here = noted(session);
      here.cwd ??= cwd;
      if (state[own.title] !== undefined) Object.assign(here, held());
      for (const early of earlyFacts(state)) addFact(session, early.kind, early.value, early.pos);
      delete state[own.early];
      if (item.forkOf !== undefined && item.forkOf !== session) noteOnce('fork-of', item.forkOf, session, pos);
      if (item.branch !== undefined) noteOnce('branch', item.branch, session, pos);
    },

    sessions: (projectOf: (folder: string) => string): SessionInFile[] =>
      [...sessions].map(([session, { cwd, title, titleBy, facts }]) => ({
        session,
        cwd,
        title,
        titleBy,
        projectPath: cwd === undefined ? undefined : projectOf(cwd),
        ...(facts.length > 0 ? { facts } : {}),
      })),

    titles: () => titles,
  };

  function noteOnce(kind: 'branch' | 'fork-of', value: string, session: string, pos: number): void {
    const key = kind === 'branch' ? own.branch : '@fork';
    const mark = hashOf(`${session}\n${value}`);
    if (state[key] === mark) return;
    state[key] = mark;
    addFact(session, kind, value, pos);
  }
}

function earlyFacts(state: ReaderState): SessionFact[] {
  const held = state[own.early];
  return typeof held === 'string' ? (JSON.parse(held) as SessionFact[]) : [];
}

/** What a header says about the session itself. */
export function headerFacts(header: ParsedHeader): readonly (readonly [FactKind, string])[] {
  const { parent, subagent, forkOf, branch, repository } = header;
  const facts = { parent, subagent, 'fork-of': forkOf, branch, repository };
  return Object.entries(facts).flatMap(([kind, value]) => (value === undefined ? [] : [[kind as FactKind, value]]));
}
