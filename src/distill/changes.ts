// Checks the changes that a model asks for: it may change only what it was shown, must give a reason, and may not change too much at once.

import type { ChangeAnswer, ExtractionAnswer } from './answers.ts';
import type { KnownPages } from './memory/known.ts';
import { keyOf, nameSlug } from './memory/names.ts';

/** A model that asks for more has misread the record, or follows instructions in it. */
const most = { retired: 10, statements: 80, dated: 50, questions: 30, subjects: 20 };

/** What is wrong with an answer, in words that help the model correct it. Undefined if the answer is fine. */
export function wrongChanges(answer: ExtractionAnswer, { subjects, insights }: KnownPages): string | undefined {
  const wrong: string[] = [];
  const held = new Set(subjects.flatMap(({ list, name, lines }) => lines.map(({ key }) => placeOf(list, name, key))));
  const look = (list: 'projects' | 'people' | 'facts', name: string, given: ChangeAnswer) => {
    const { change = 'add', key, text, why = '' } = given;
    const named = JSON.stringify(key.slice(0, 80));
    if (change !== 'add' && !held.has(placeOf(list, name, key)))
      wrong.push(`${list}: the pages hold nothing under ${named} to ${change}; use one of their keys, or add`);
    if (change === 'retire' && (why || text).trim() === '')
      wrong.push(`${list}: give in why the reason to retire ${named}`);
    if (change !== 'retire' && text.trim() === '') wrong.push(`${list}: ${named} has no text`);
  };
  for (const list of ['projects', 'people'] as const)
    for (const { name, statements } of answer[list]) for (const one of statements) look(list, name, one);
  for (const fact of answer.facts) look('facts', fact.about, fact);
  const shown = new Set(insights.map(({ id }) => id));
  for (const { revises, retire } of answer.insights) {
    if (revises !== undefined && revises !== '' && !shown.has(revises))
      wrong.push(`insights: there is no insight ${JSON.stringify(revises.slice(0, 20))} to revise`);
    if (retire === true && !shown.has(revises ?? '')) wrong.push('insights: retire needs revises');
  }
  wrong.push(...tooMany(answer));
  return wrong.length === 0 ? undefined : wrong.slice(0, 5).join('; ');
}

const placeOf = (list: string, name: string, key: string): string => [list, nameSlug(name), keyOf(key)].join('\0');

function tooMany(answer: ExtractionAnswer): string[] {
  const { projects, people, facts, episodes, milestones, insights, questions } = answer;
  const changes = [...projects, ...people].flatMap(({ statements }) => statements).concat(facts);
  const retired =
    changes.filter(({ change }) => change === 'retire').length + insights.filter(({ retire }) => retire).length;
  const counts: [string, number, number][] = [
    ['lines to retire', retired, most.retired],
    ['statements', changes.length, most.statements],
    ['episodes, milestones and insights', episodes.length + milestones.length + insights.length, most.dated],
    ['questions', questions.length, most.questions],
    ['projects and people', projects.length + people.length, most.subjects],
  ];
  return counts.flatMap(([what, count, limit]) =>
    count > limit ? [`${count} ${what} are too many; at most ${limit}`] : [],
  );
}
