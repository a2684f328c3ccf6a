import { z } from 'zod';
import { Choice } from './choice.ts';
import { SaidBy } from './memory.ts';
import { Ending, StatementForm } from './statement-form.ts';
import { Moment } from './time.ts';

/**
 * What a statement does to its page. `replace` differs from `add` only in that the page held the key before. `retire`
 * removes the line from the page; its text is the reason. `note` is not proven yet: it waits until another session says
 * it too.
 */
export const StatementChange = z.enum(['add', 'replace', 'retire', 'note']);
export type StatementChange = z.infer<typeof StatementChange>;

/** A statement under a key: a later one with the same key replaces it. */
export const KeyedStatement = z.object({
  key: z.string().min(1).max(80).describe('what it is about, such as "package manager" or "deploy command"'),
  text: z.string().min(1).max(2000),
  why: z.string().max(500).optional().describe('why it changed, where that was said'),
  saidBy: SaidBy.optional().describe('absent in what older versions took from a conversation'),
  change: StatementChange.optional().describe('absent: add'),
  choice: Choice.optional().describe('what the text tells, if it is a choice of the person'),
  form: StatementForm.optional().describe('where the text comes from, if it begins with words about that'),
  ends: Ending.optional().describe('other statements that end with this one, if it retires'),
});
export type KeyedStatement = z.infer<typeof KeyedStatement>;

const Dated = z.object({
  at: Moment,
  title: z.string().min(1).max(120),
  text: z.string().min(1).max(4000),
  saidBy: SaidBy.optional(),
});

/** An earlier insight, identified by its original placement: this leads to its page in every time zone. */
export const InsightPlace = z.object({
  at: Moment,
  title: z.string().min(1).max(120),
  target: z.string().min(1).max(40),
});
export type InsightPlace = z.infer<typeof InsightPlace>;

const Insight = Dated.extend({
  revises: InsightPlace.optional().describe('the earlier insight in whose place it stands'),
  retires: z.boolean().optional().describe('the earlier insight no longer holds; the text is the reason'),
});

/** What the librarian takes from one conversation. Every list may be empty. */
export const Extraction = z.object({
  episodes: z.array(Dated).describe('what was done, in the order of time'),
  projects: z.array(z.object({ name: z.string().min(1).max(120), statements: z.array(KeyedStatement) })),
  people: z.array(z.object({ name: z.string().min(1).max(120), statements: z.array(KeyedStatement) })),
  milestones: z.array(Dated).describe('what was finished or released'),
  insights: z.array(Insight).describe('what was understood and is of use elsewhere'),
  facts: z.array(
    KeyedStatement.extend({
      about: z.enum(['user', 'procedure', 'world']).describe('preference, way of working, or other'),
    }),
  ),
  questions: z.array(z.object({ text: z.string().min(1).max(1000) })).describe('what is doubtful or was left open'),
});
export type Extraction = z.infer<typeof Extraction>;
