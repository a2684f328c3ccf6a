// The kinds of rows that can have vectors, and their texts.
import { embeddedText, embeddedUses, type UseText } from '../search/tool-text.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { SubjectKind } from './port.ts';

export interface Subject {
  /** The code of the kind in the tables. */
  readonly code: number;
  /** SQL for one text by its row id. */
  readonly text: string;
  /** SQL for the row ids of all rows with a text. */
  readonly all: string;
}

/** The kinds of rows that can have vectors. Each has triggers of its own that fill the queue; see the migrations. */
export const subjects: Readonly<Record<SubjectKind, Subject>> = {
  entry: {
    code: 0,
    text: 'SELECT text FROM entries WHERE id = ?',
    all: "SELECT id FROM entries WHERE text <> '' OR EXISTS (SELECT 1 FROM tool_uses WHERE entry_id = entries.id)",
  },
  observation: {
    code: 1,
    text: 'SELECT title || char(10) || subtitle || char(10) || narrative FROM observations WHERE id = ?',
    all: 'SELECT id FROM observations',
  },
  summary: {
    code: 2,
    text: 'SELECT title || char(10) || request || char(10) || learned || char(10) || completed FROM summaries WHERE id = ?',
    all: 'SELECT id FROM summaries',
  },
  memory: {
    code: 3,
    text: 'SELECT title || char(10) || text FROM memories WHERE id = ?',
    all: 'SELECT id FROM memories',
  },
};

export const codeOf = (kind: SubjectKind): number => subjects[kind].code;

interface SubjectText {
  readonly kind: SubjectKind;
  /** Without the tools that an entry used. */
  readonly own: string;
  readonly text: string;
}

/** Reads the texts to embed. A code that this version does not know has no text. */
export function subjectTexts(connection: Connection) {
  const byCode = new Map(
    (Object.entries(subjects) as [SubjectKind, Subject][]).map(([kind, { code, text }]) => [
      code,
      { kind, text: connection.statement<[number], string>(text).pluck() },
    ]),
  );
  // Tool uses are part of an entry's meaning.
  const usesOf = connection.statement<[number], UseText>(
    `SELECT tool, input, output FROM tool_uses WHERE entry_id = ? ORDER BY id LIMIT ${embeddedUses}`,
  );
  return (code: number, id: number): SubjectText | undefined => {
    const subject = byCode.get(code);
    if (subject === undefined) return undefined;
    const own = subject.text.get(id) ?? '';
    return { kind: subject.kind, own, text: subject.kind === 'entry' ? embeddedText(own, usesOf.all(id)) : own };
  };
}
