import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Role } from './entry.ts';
import { Moment } from './time.ts';

/** What was made of entries. */
const DerivedKind = z.enum(['observation', 'summary', 'memory']);
export type DerivedKind = z.infer<typeof DerivedKind>;

export const HitKind = z.enum(['entry', 'session', 'conversation', ...DerivedKind.options]);
export type HitKind = z.infer<typeof HitKind>;

export const isDerived = (kind: string): kind is DerivedKind => DerivedKind.safeParse(kind).success;

/** What tools did can be asked for apart: commands that were run, files that were changed, whatever failed. */
export const UseKind = z.enum(['command', 'edit', 'error']);
export type UseKind = z.infer<typeof UseKind>;

/** A use of a tool that was found: what was done, how it went, and what of its output matches. */
export const UsedTool = z.object({
  tool: z.string(),
  did: z.string().describe('the command as it was run, the file that was changed, or what else the tool was given'),
  outcome: z.enum(['ok', 'error']).optional().describe('absent while no result has been seen'),
  line: z.string().optional().describe('the line of the output that matches best, or tells what went wrong'),
});
export type UsedTool = z.infer<typeof UsedTool>;

/** The turn that a hit stands in. */
export const HitTurn = z.object({
  id: z.string().describe("the entry of the person's prompt"),
  asked: z.string().describe('what the prompt says, cut'),
});
export type HitTurn = z.infer<typeof HitTurn>;

/** What was done with a file that was asked for, and for which prompt. */
export const Touched = z.object({
  files: z.array(z.string()).describe('as the agent wrote the path'),
  tools: z.array(z.object({ tool: z.string(), times: z.int(), failed: z.int() })),
  prompt: z.string().optional().describe("the prompt's entry"),
  asked: z.string().optional().describe('what the prompt says, cut'),
});
export type Touched = z.infer<typeof Touched>;

/** Whether a hit has something of the query in it, and is not merely like it. */
export const hasWords = ({
  why = [],
  snippet,
  use,
  touched,
}: Pick<Hit, 'why' | 'snippet' | 'use' | 'touched'>): boolean =>
  snippet.includes('«') ||
  use !== undefined ||
  touched !== undefined ||
  why.some((one) => /^(?:words: |has )/.test(one));

export const onlySimilar = 'Nothing has these words. Similar in meaning:';

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
  use: UsedTool.optional().describe('the use of a tool that matches, or that failed'),
  turn: HitTurn.optional().describe('the prompt that led to it'),
  features: z
    .record(z.string(), z.number())
    .optional()
    .describe('with `explain`: what the score was made of, each from 0 to 1'),
  by: z.string().optional().describe('with scope team: the teammate whose it is'),
  machine: z.string().optional().describe('with scope team: the machine that it comes from'),
  touched: Touched.optional().describe('with `file`: what was done with it'),
});
export type Hit = z.infer<typeof Hit>;
