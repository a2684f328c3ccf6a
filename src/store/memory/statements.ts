// Statements and extractions as rows, and how to write them. The ports of pages and memory share this.
import type { Choice } from '../../schema/choice.ts';
import type { Ending, StatementForm } from '../../schema/statement-form.ts';
import type { Connection } from '../sqlite/connection.ts';
import type { PlacedExtraction, Statement } from './port.ts';

export interface StatementRow
  extends Omit<Statement, 'order' | 'tags' | 'from' | 'saidBy' | 'choice' | 'form' | 'ends'> {
  question: string;
  answer: string;
  form: StatementForm | '';
  ends_by: Ending['by'] | '';
  ends: string;
  said_by: Statement['saidBy'];
  ordinal: number;
  tags: string;
  promoted_from: string;
}

/** Stored in `facts`: the rules under which statements were assigned to pages. Without it, all are assigned again. */
export const rulesFact = 'memories: placed by';
export const markDueSql = `INSERT INTO memory_pages (page, version, due) VALUES (?, 1, 1)
  ON CONFLICT DO UPDATE SET version = version + 1, due = 1`;
export const statementColumns =
  'page, target, kind, at, file, pos, ordinal, title, key, text, question, answer, form, ends_by, ends, why, project, session, source, said_by, tags, promoted_from';

/** Two columns, both empty unless the text tells a choice. */
export const toChoice = (question: string, answer: string): { choice?: Choice } =>
  question === '' ? {} : { choice: { question, answer } };
export const fromChoice = (choice: Choice | undefined): Choice => choice ?? { question: '', answer: '' };
/** Empty in the column of a statement without a form. */
export const toForm = (form: StatementForm | ''): { form?: StatementForm } => (form === '' ? {} : { form });

export const toStatement = (stored: StatementRow): Statement => {
  const { ordinal, tags, promoted_from, said_by, question, answer, form, ends_by, ends, ...row } = stored;
  return {
    ...row,
    ...toChoice(question, answer),
    ...toForm(form),
    ...(ends_by === '' ? {} : { ends: { by: ends_by, of: ends } }),
    saidBy: said_by,
    order: ordinal,
    tags: JSON.parse(tags) as string[],
    from: promoted_from,
  };
};

/** Writes in the caller's transaction. */
export function statementWriting(connection: Connection) {
  const idOf = connection
    .statement<[string, string, number], number>(
      'SELECT id FROM extractions WHERE agent = ? AND file = ? AND first_pos = ?',
    )
    .pluck();
  const putExtraction = connection.statement(
    `INSERT INTO extractions (agent, file, first_pos, first_at, last_at, session, project, group_name, by, json)
     VALUES (@agent, @file, @firstPos, @firstAt, @lastAt, @session, @project, @group, @by, @json)
     ON CONFLICT DO UPDATE SET first_at = excluded.first_at, last_at = excluded.last_at, session = excluded.session, project = excluded.project,
       group_name = excluded.group_name,
       by = excluded.by, json = excluded.json`,
  );
  const pagesOf = connection
    .statement<[number], string>('SELECT DISTINCT page FROM statements WHERE extraction_id = ?')
    .pluck();
  const dropStatements = connection.statement('DELETE FROM statements WHERE extraction_id = ?');
  const putStatement = connection.statement(
    `INSERT INTO statements (extraction_id, ${statementColumns}) VALUES (@extraction, @page, @target, @kind, @at, @file, @pos, @order,
       @title, @key, @text, @question, @answer, @form, @endsBy, @ends, @why, @project, @session, @source, @saidBy, @tags, @from)`,
  );
  const markDue = connection.statement(markDueSql);

  const insert = (extraction: number | null, { tags, choice, form, ends, ...statement }: Statement) =>
    putStatement.run({
      ...{ ...statement, ...fromChoice(choice), form: form ?? '', endsBy: ends?.by ?? '', ends: ends?.of ?? '' },
      ...{ tags: JSON.stringify(tags), extraction },
    });

  /** Returns the pages on which a statement was added, removed or changed. */
  function save({ row, statements }: PlacedExtraction): string[] {
    const known = idOf.get(row.agent, row.file, row.firstPos);
    const before = known === undefined ? [] : pagesOf.all(known);
    putExtraction.run(row);
    const id = idOf.get(row.agent, row.file, row.firstPos) as number;
    dropStatements.run(id);
    for (const statement of statements) insert(id, statement);
    return [...before, ...statements.map(({ page }) => page)];
  }

  /** Marks pages as due. */
  const due = (pages: Iterable<string>): string[] => {
    const all = [...new Set(pages)].sort();
    for (const page of all) markDue.run(page);
    return all;
  };

  return { insert, save, due, idOf, pagesOf };
}
