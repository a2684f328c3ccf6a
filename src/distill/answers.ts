// A model's answer is data from outside: zod checks its shape, and `cleaner` cleans, redacts and cuts its texts before anything uses them.
import { z } from 'zod';
import { Extraction, type InsightPlace } from '../schema/extraction.ts';
import { ObservationText, ObservationType } from '../schema/observation.ts';
import { SummaryText } from '../schema/summary.ts';

const text = z.string();

/** What a model is asked for. There are no limits of length here; `cleaner` cuts texts that are too long. */
export const ObservationsAnswer = z.object({
  observations: z.array(
    z.object({
      turn: z.int().describe('the number of the turn'),
      type: ObservationType,
      title: text.min(1).describe('one line that a person can scan, at most 100 characters'),
      subtitle: text,
      facts: z.array(text).describe('statements that stand on their own, at most 5'),
      narrative: text.describe('what happened and why, in two or three sentences'),
      concepts: z.array(text).describe('what it is about, in single words or short phrases, at most 8'),
    }),
  ),
});
export type ObservationsAnswer = z.infer<typeof ObservationsAnswer>;

export const SummaryAnswer = z.object({
  title: text.min(1).describe('one line that a person can scan, at most 100 characters'),
  request: text.describe('what the person asked for'),
  investigated: text,
  learned: text,
  completed: text,
  nextSteps: text.describe('what was left open; empty when nothing was'),
  notes: text,
});
export type SummaryAnswer = z.infer<typeof SummaryAnswer>;

const dated = z.object({ at: text.describe('ISO 8601, in UTC'), title: text.min(1), text: text.min(1) });
const changed = z.object({
  change: z
    .enum(['add', 'replace', 'retire'])
    .optional()
    .describe('replace and retire name a key that the pages hold now; leave out what stays as it is'),
  key: text
    .min(1)
    .describe('what it is about, such as "package manager"; the same words whenever it is the same thing'),
  text: text.describe('what holds now; empty for retire'),
  why: text.optional().describe('why it changed, if that was said; the reason for retire'),
  sure: z.boolean().optional().describe('false: it may not last; it is set aside until another record says it too'),
});
export type ChangeAnswer = z.infer<typeof changed>;

export const ExtractionAnswer = z.object({
  episodes: z.array(dated).describe('what was done, in the order of time'),
  projects: z.array(z.object({ name: text.min(1), statements: z.array(changed) })),
  people: z.array(z.object({ name: text.min(1), statements: z.array(changed) })),
  milestones: z.array(dated).describe('what was finished or released'),
  insights: z
    .array(
      dated.extend({
        revises: text.optional().describe('the insight on the pages that this one replaces, such as i2'),
        retire: z
          .boolean()
          .optional()
          .describe('true: the insight named by revises no longer holds; the text says why'),
      }),
    )
    .describe('what was understood and is of use elsewhere'),
  facts: z.array(changed.extend({ about: z.enum(['user', 'procedure', 'world']) })),
  questions: z.array(z.object({ text: text.min(1) })).describe('what is doubtful or was left open'),
});
export type ExtractionAnswer = z.infer<typeof ExtractionAnswer>;

/** The context that an answer is read in. */
export interface Surroundings {
  /** When the conversation ended. */
  readonly end: string;
  readonly isPersons: (text: string) => boolean;
  /** The insights that the model was shown, by the ids that it saw. */
  readonly insights: ReadonlyMap<string, InsightPlace>;
}

export type Redact = (text: string) => string;

/** Control characters, escape sequences and marks that reverse the direction of text could corrupt what a person sees. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern looks for control characters
const hostile = /\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

const clean = (value: string, redact: Redact): string => redact(value.replace(hostile, '')).trim();

function cut(value: string, most: number): string {
  const points = Array.from(value.slice(0, most * 2));
  return points.length <= most && value.length <= most * 2 ? value : `${points.slice(0, most - 1).join('')}…`;
}

export function cleaner(redact: Redact) {
  const passage = (value: string, most: number): string => cut(clean(value, redact), most);
  const line = (value: string, most: number): string => cut(clean(value.replace(/\s+/g, ' '), redact), most);
  const lines = (values: readonly string[], count: number, most: number): string[] =>
    values
      .map((value) => line(value, most))
      .filter((value) => value !== '')
      .slice(0, count);
  const title = (value: string): string => line(value, 100) || 'untitled';

  return {
    observation: (one: ObservationsAnswer['observations'][number]): ObservationText =>
      ObservationText.parse({
        type: one.type,
        title: title(one.title),
        subtitle: line(one.subtitle, 250),
        facts: lines(one.facts, 12, 500),
        narrative: passage(one.narrative, 2000),
        concepts: lines(one.concepts, 12, 60),
      }),

    summary: (one: SummaryAnswer): SummaryText =>
      SummaryText.parse({
        title: title(one.title),
        ...Object.fromEntries(
          (['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const).map((name) => [
            name,
            passage(one[name], 2000),
          ]),
        ),
        outcome: passage(one.completed, 2000),
      }),

    /** An invalid time becomes the end of the conversation. A statement that the person did not make counts as the agent's. */
    extraction(one: ExtractionAnswer, { end, isPersons, insights }: Surroundings): Extraction {
      const datedItem = (item: { at: string; title: string; text: string }) => ({
        at: Number.isNaN(Date.parse(item.at)) ? end : new Date(item.at).toISOString(),
        title: title(item.title),
        text: passage(item.text, 4000),
      });
      const statement = ({ change = 'add', key, text: said, why = '', sure }: ChangeAnswer) => {
        const isRetired = change === 'retire';
        const told = isRetired ? why || said : said;
        const reason = isRetired ? '' : line(why, 500);
        return {
          key: line(key, 80),
          text: passage(told, isRetired ? 500 : 2000),
          saidBy: isPersons(told) ? ('person' as const) : ('agent' as const),
          ...(reason === '' ? {} : { why: reason }),
          ...(sure === false && change === 'add' ? { change: 'note' as const } : change === 'add' ? {} : { change }),
        };
      };
      const isSaid = ({ key, text: said }: { key: string; text: string }) => key !== '' && said !== '';
      const about = (list: ExtractionAnswer['projects']) =>
        list
          .map(({ name, statements }) => ({
            name: line(name, 120),
            statements: statements.map(statement).filter(isSaid),
          }))
          .filter(({ name }) => name !== '');
      const told = <T extends { at: string; title: string; text: string }>(list: readonly T[]) =>
        list.map((item) => ({ ...datedItem(item), of: item })).filter((item) => item.text !== '');
      const plainly = (list: ExtractionAnswer['episodes']) => told(list).map(({ of: _, ...item }) => item);
      return Extraction.parse({
        episodes: plainly(one.episodes),
        projects: about(one.projects),
        people: about(one.people),
        milestones: plainly(one.milestones),
        insights: told(one.insights).map(({ of: { revises, retire }, ...item }) => {
          const place = insights.get(revises ?? '');
          return { ...item, ...(place === undefined ? {} : { revises: place, ...(retire ? { retires: true } : {}) }) };
        }),
        facts: one.facts.map((fact) => ({ ...statement(fact), about: fact.about })).filter(isSaid),
        questions: one.questions.map((item) => ({ text: passage(item.text, 1000) })).filter((item) => item.text !== ''),
      });
    },
  };
}
