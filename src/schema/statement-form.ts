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

/** What a retirement ends beside the line under its own key. */
export const Ending = z.object({
  by: z.enum(['removal', 'amendment']).describe('a commit removed a name from the code, or amended an earlier commit'),
  of: z.string().min(1).max(300).describe('the name, or the title that the commit has now'),
});
export type Ending = z.infer<typeof Ending>;

const endingKeys = { removal: 'removed: ', amendment: 'amended: ' } as const;

/** The key of a statement that ends others. */
export const endingKey = ({ by, of }: Ending): string => `${endingKeys[by]}${of}`;

/** The ending in the key of a statement that an older version or another machine stored without it. */
export function endingIn(key: string): Ending | undefined {
  const by = Ending.shape.by.options.find((one) => key.startsWith(endingKeys[one]));
  const of = by === undefined ? '' : key.slice(endingKeys[by].length);
  return by === undefined || of === '' ? undefined : { by, of };
}

/** A fact from the description of a commit or pull request, with its source, and such a text without its source. */
export const withSource = (fact: string, source: 'commit' | 'pull request', title: string): string =>
  `${fact} (From the ${source} “${title}”.)`;
export const withoutSource = (text: string): string =>
  text.replace(/ \(From the (?:commit|pull request) “[^”]*”\.\)$/, '');

/** What a statement says, without the words that its form puts before it. */
export const coreOf = (text: string, form: StatementForm | undefined): string =>
  form === undefined ? text : text.replace(openings[form], '');

/** Why a command counts that a single session ran. */
export const askedFor = 'The person asked for this check, and it passed.';
