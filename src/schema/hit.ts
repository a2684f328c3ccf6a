import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Role } from './entry.ts';
import { derivedKinds } from './hit-text.ts';
import { Moment } from './time.ts';

export const HitKind = z.enum(['entry', 'session', 'conversation', ...derivedKinds]);
export type HitKind = z.infer<typeof HitKind>;

/** Kinds of tool uses that can be searched separately: commands that ran, files that changed, and failures. */
export const UseKind = z.enum(['command', 'edit', 'error']);
export type UseKind = z.infer<typeof UseKind>;

/** A matching tool use: what was done, its outcome, and the matching part of its output. */
export const UsedTool = z.object({
  tool: z.string(),
  did: z.string().describe('the command that ran, the file that changed, or other input of the tool'),
  outcome: z.enum(['ok', 'error']).optional().describe('absent while no result has been seen'),
  line: z.string().optional().describe('the line of the output that matches best, or shows what went wrong'),
});
export type UsedTool = z.infer<typeof UsedTool>;

/** The turn of a hit. */
export const HitTurn = z.object({
  id: z.string().describe("id of the person's prompt"),
  asked: z.string().describe('the text of the prompt, shortened'),
});
export type HitTurn = z.infer<typeof HitTurn>;

/** What was done with a requested file, and for which prompt. */
export const Touched = z.object({
  files: z.array(z.string()).describe('the paths as the agent wrote them'),
  tools: z.array(z.object({ tool: z.string(), times: z.int(), failed: z.int() })),
  prompt: z.string().optional().describe('id of the prompt'),
  asked: z.string().optional().describe('the text of the prompt, shortened'),
});
export type Touched = z.infer<typeof Touched>;

/** One ranked hit. In `snippet`, matches stand between « and ». */
export const Hit = z.object({
  kind: HitKind,
  id: z.string().describe('uuid of the entry, or id of the item'),
  session: z.string().describe('empty for a memory without a session'),
  project: z.string(),
  agent: AgentName.optional(),
  at: Moment,
  role: Role.optional(),
  score: z.number().describe('higher is better; comparable within one answer only'),
  snippet: z.string(),
  why: z.array(z.string()).optional().describe('short reasons why it was found'),
  title: z.string().optional(),
  subagent: z.string().optional(),
  abandoned: z.boolean().optional(),
  gone: z.boolean().optional().describe('no longer in the transcript'),
  use: UsedTool.optional().describe('of its tool uses, the one that matches best'),
  turn: HitTurn.optional().describe('the prompt that led to it'),
  features: z
    .record(z.string(), z.number())
    .optional()
    .describe('with `explain`: the parts of the score, each from 0 to 1'),
  by: z.string().optional().describe('with scope team: the teammate it belongs to'),
  machine: z.string().optional().describe('with scope team: the machine it comes from'),
  touched: Touched.optional().describe('with `file`: what was done with it'),
});
export type Hit = z.infer<typeof Hit>;
