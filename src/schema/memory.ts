import { z } from 'zod';
import { Moment } from './time.ts';

/** Dated memories fade in recall; evergreen ones hold until they are changed. */
export const MemoryKind = z.enum(['dated', 'evergreen']);
export type MemoryKind = z.infer<typeof MemoryKind>;

/** Whom or what a fact is about; decides its page. */
export const About = z.enum(['user', 'procedure', 'world']);
export type About = z.infer<typeof About>;

/**
 * Where it comes from: the librarian took it from a conversation, a person or agent asked to remember it, or a person
 * wrote it into the file.
 */
export const MemorySource = z.enum(['conversation', 'remembered', 'promoted', 'person']);
export type MemorySource = z.infer<typeof MemorySource>;

/** Whose words support a statement: the person's, an agent's, or commands that were run. */
export const SaidBy = z.enum(['person', 'agent', 'runs']);
export type SaidBy = z.infer<typeof SaidBy>;

/** A lasting statement or a short section of a page. */
export const Memory = z.object({
  id: z.string(),
  page: z.string().describe('path below the memory folder'),
  title: z.string().describe('the heading above it'),
  text: z.string(),
  kind: MemoryKind,
  at: Moment.describe('when it was said, or written'),
  project: z.string().describe('empty if it belongs to no project'),
  session: z.string().describe('the session it was taken from; empty if it comes from no session'),
  source: MemorySource,
  saidBy: SaidBy.describe('whose words support it'),
  group: z.string().describe('the group it was said in; empty for your own'),
});
export type Memory = z.infer<typeof Memory>;

export const MemoryVersion = z.object({
  version: z.int().min(1),
  at: Moment,
  text: z.string().describe('empty if a person removed it'),
  source: MemorySource,
  saidBy: SaidBy,
  session: z.string().optional(),
  from: z.string().optional().describe('the memory it was promoted from'),
  why: z.string().optional(),
  current: z.boolean(),
});
export type MemoryVersion = z.infer<typeof MemoryVersion>;
