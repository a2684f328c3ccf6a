import { z } from 'zod';
import { Moment } from './time.ts';

/** What is dated fades in recall; what is evergreen holds until it is changed. */
export const MemoryKind = z.enum(['dated', 'evergreen']);
export type MemoryKind = z.infer<typeof MemoryKind>;

/** Whom or what a fact is about: it decides the page. */
export const About = z.enum(['user', 'procedure', 'world']);
export type About = z.infer<typeof About>;

/** Who said it: the librarian took it from a conversation, somebody asked to remember it, or a person wrote it into the file. */
export const MemorySource = z.enum(['conversation', 'remembered', 'promoted', 'person']);
export type MemorySource = z.infer<typeof MemorySource>;

/** Whose words a statement rests on: the person's, an agent's text, or commands that were run. */
export const SaidBy = z.enum(['person', 'agent', 'runs']);
export type SaidBy = z.infer<typeof SaidBy>;

/** A durable statement, or a short section, of a page. */
export const Memory = z.object({
  id: z.string(),
  page: z.string().describe('path below the folder of memories'),
  title: z.string().describe('the heading it stands under'),
  text: z.string(),
  kind: MemoryKind,
  at: Moment.describe('when it was said, or written'),
  project: z.string().describe('empty when it belongs to none'),
  session: z.string().describe('the session it was taken from; empty when there is none'),
  source: MemorySource,
  saidBy: SaidBy.describe('whose words it rests on'),
  group: z.string().describe('the group that it was said in; empty for what is yours'),
});
export type Memory = z.infer<typeof Memory>;

export const MemoryVersion = z.object({
  version: z.int().min(1),
  at: Moment,
  text: z.string().describe('empty when a person took it out'),
  source: MemorySource,
  saidBy: SaidBy,
  session: z.string().optional(),
  from: z.string().optional().describe('what it was promoted from'),
  why: z.string().optional(),
  current: z.boolean(),
});
export type MemoryVersion = z.infer<typeof MemoryVersion>;
