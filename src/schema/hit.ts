import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Role } from './entry.ts';
import { Moment } from './time.ts';

/** What was made of entries. */
const DerivedKind = z.enum(['observation', 'summary', 'memory']);
export type DerivedKind = z.infer<typeof DerivedKind>;

export const HitKind = z.enum(['entry', 'session', 'conversation', ...DerivedKind.options]);
export type HitKind = z.infer<typeof HitKind>;

export const isDerived = (kind: HitKind): kind is DerivedKind => DerivedKind.safeParse(kind).success;

/** What was done with a file that was asked for, and for which prompt. */
export const Touched = z.object({
  files: z.array(z.string()).describe('as the agent wrote the path'),
  tools: z.array(z.object({ tool: z.string(), times: z.int(), failed: z.int() })),
  prompt: z.string().optional().describe("the prompt's entry"),
  asked: z.string().optional().describe('what the prompt says, cut'),
});
export type Touched = z.infer<typeof Touched>;

/** One ranked answer of recall. In `snippet` the matches stand between « and ». */
export const Hit = z.object({
  kind: HitKind,
  id: z.string().describe("the entry's uuid, or the id of what else was found"),
  session: z.string().describe('empty for a memory that comes from none'),
  project: z.string(),
  agent: AgentName.optional(),
  at: Moment,
  role: Role.optional(),
  score: z.number().describe('higher is better; comparable within one answer only'),
  snippet: z.string(),
  why: z.array(z.string()).optional().describe('why it was found, in a few words each'),
  title: z.string().optional(),
  subagent: z.string().optional(),
  abandoned: z.boolean().optional(),
  gone: z.boolean().optional().describe('no longer in the transcript'),
  touched: Touched.optional().describe('with `file`: what was done with it'),
});
export type Hit = z.infer<typeof Hit>;
