import { z } from 'zod';
import { SaidBy } from './memory.ts';
import { Moment } from './time.ts';

/** A statement under a key: a later one with the same key replaces it. */
export const KeyedStatement = z.object({
  key: z.string().min(1).max(80).describe('what it is about, such as "package manager" or "deploy command"'),
  text: z.string().min(1).max(2000),
  why: z.string().max(500).optional().describe('why it changed, where that was said'),
  saidBy: SaidBy.optional().describe('absent in what older versions took from a conversation'),
});
export type KeyedStatement = z.infer<typeof KeyedStatement>;

const Dated = z.object({
  at: Moment,
  title: z.string().min(1).max(120),
  text: z.string().min(1).max(4000),
  saidBy: SaidBy.optional(),
});

/** What the librarian takes from one conversation. Every list may be empty. */
export const Extraction = z.object({
  episodes: z.array(Dated).describe('what was done, in the order of time'),
  projects: z.array(z.object({ name: z.string().min(1).max(120), statements: z.array(KeyedStatement) })),
  people: z.array(z.object({ name: z.string().min(1).max(120), statements: z.array(KeyedStatement) })),
  milestones: z.array(Dated).describe('what was finished or released'),
  insights: z.array(Dated).describe('what was understood and is of use elsewhere'),
  facts: z.array(
    KeyedStatement.extend({
      about: z.enum(['user', 'procedure', 'world']).describe('preference, way of working, or other'),
    }),
  ),
  questions: z.array(z.object({ text: z.string().min(1).max(1000) })).describe('what is doubtful or was left open'),
});
export type Extraction = z.infer<typeof Extraction>;
