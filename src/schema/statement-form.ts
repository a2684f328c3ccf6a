// The forms of statements about the work. A statement names its form; only this file knows how each form is worded.
import { z } from 'zod';

/** A decision in the title of a commit, a plan that was carried out, or a person's remark on a plan. */
export const StatementForm = z.enum(['commit', 'plan', 'remark']);
export type StatementForm = z.infer<typeof StatementForm>;

const openings: Readonly<Record<StatementForm, RegExp>> = {
  commit: /^Decided in a commit: /,
  plan: /^Planned and carried out: /,
  remark: /^Of the plan “.+” the person said: /s,
};

export const commitText = (change: string): string => `Decided in a commit: ${change}`;
export const planText = (goal: string): string => `Planned and carried out: ${goal}`;
export const remarkText = (plan: string, wish: string): string => `Of the plan “${plan}” the person said: ${wish}`;

/** The form of a statement that an older version or another machine stored without it. */
export const formIn = (text: string): StatementForm | undefined =>
  StatementForm.options.find((form) => openings[form].test(text));

/** Keys of statements that retire others: a commit removed a name from the code, or amended an earlier commit. */
export const removalKey = (name: string): string => `removed: ${name}`;
export const amendmentKey = (title: string): string => `amended: ${title}`;
export const removedIn = (key: string): string | undefined => /^removed: (.+)$/.exec(key)?.[1];
export const amendedIn = (key: string): string | undefined => /^amended: (.+)$/.exec(key)?.[1];

/** What a statement says, without the words that its form puts before it. */
export const coreOf = (text: string, form: StatementForm | undefined): string =>
  form === undefined ? text : text.replace(openings[form], '');
