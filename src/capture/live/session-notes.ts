// ① What one piece of a transcript says about its sessions, apart from the entries: folder, title, and facts such as the branch.
import type { ParsedEntry, ParsedHeader, ParsedItem } from '../../agents/agent.ts';
import type { CaptureState } from '../../schema/reader-state.ts';
import type { FactKind, TitleSource } from '../../schema/session-fact.ts';
import type { SessionFact, SessionInFile } from '../../store/transcripts/port.ts';
import { redact } from '../redaction/redact.ts';

type Title = Extract<ParsedItem, { kind: 'title' }>;

interface Noted {
  cwd: string | undefined;
  title: string | undefined;
  titleBy: TitleSource | undefined;
  facts: SessionFact[];
}

/** A longer text is not a name. */
const longestFact = 1000;
const mostEarlyFacts = 50;

export function sessionNotes(state: CaptureState, hashOf: (text: string) => string) {
  const sessions = new Map<string, Noted>();
  const titles: { leaf: string; title: string }[] = [];
  /** What was hashed last: nearly every line says the same again. */
  const lastNoted: { branch?: string; fork?: string } = {};

  const noted = (session: string): Noted => {
    const found = sessions.get(session) ?? { cwd: undefined, title: undefined, titleBy: undefined, facts: [] };
    sessions.set(session, found);
    return found;
  };

  const held = (): Pick<Noted, 'title' | 'titleBy'> => ({
    title: state.title,
    titleBy: state.titleBy ?? 'agent',
  });

  function addFact(session: string, kind: FactKind, value: string, pos: number): void {
    const text = redact(value).trim().slice(0, longestFact).toWellFormed();
    if (text !== '') noted(session).facts.push({ kind, value: text, pos });
  }

  return {
    /** `hasEntries`: a session without entries is not stored yet; its first entry brings along what was noted. */
    title(item: Title, session: string, isKept: boolean, hasEntries: boolean): void {
      const hash = hashOf(item.title);
      if (!isKept) state.hiddenTitle = hash;
      const title = redact(item.title).trim();
      if (hash === state.hiddenTitle || title === '') return;
      if (item.leaf !== undefined) {
        titles.push({ leaf: item.leaf, title });
        return;
      }
      if (state.titleBy === 'person' && item.by === 'agent' && state.title !== undefined) return;
      state.title = title;
      state.titleBy = item.by;
      if (hasEntries) Object.assign(noted(session), held());
    },

    fact(kind: FactKind, value: string, session: string, pos: number, hasEntries: boolean): void {
      if (hasEntries) {
        addFact(session, kind, value, pos);
        return;
      }
      const early = state.earlyFacts ?? [];
      if (early.length < mostEarlyFacts)
        state.earlyFacts = [...early, { kind, value: redact(value).slice(0, longestFact), pos }];
    },

    /** From here on the file is about another session. */
    change(): void {
      delete state.title;
      delete state.titleBy;
    },

    /** An entry that is kept. */
    entry(item: ParsedEntry, session: string, cwd: string | undefined, pos: number): void {
      const here = noted(session);
      here.cwd ??= cwd;
      if (state.title !== undefined) Object.assign(here, held());
      for (const early of state.earlyFacts ?? []) addFact(session, early.kind, early.value, early.pos);
      delete state.earlyFacts;
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
    const key = kind === 'branch' ? 'branch' : 'fork';
    const text = `${session}\n${value}`;
    if (lastNoted[key] === text) return;
    lastNoted[key] = text;
    const mark = hashOf(text);
    if (state[key] === mark) return;
    state[key] = mark;
    addFact(session, kind, value, pos);
  }
}

/** What a header says about the session itself. */
export function headerFacts(header: ParsedHeader): readonly (readonly [FactKind, string])[] {
  const { parent, subagent, forkOf, branch, repository } = header;
  const facts = { parent, subagent, 'fork-of': forkOf, branch, repository };
  return Object.entries(facts).flatMap(([kind, value]) => (value === undefined ? [] : [[kind as FactKind, value]]));
}
