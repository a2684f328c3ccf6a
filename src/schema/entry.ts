import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

export const Role = z.enum(['user', 'assistant']);
export type Role = z.infer<typeof Role>;

/** Who wrote the text: a person at the keyboard, the machine (notifications, reminders, compaction), or the model. */
export const Author = z.enum(['person', 'machine', 'model']);
export type Author = z.infer<typeof Author>;

/**
 * The form of a text that is more than a prompt or an answer. `command`: a slash command with its arguments; `shell`: a
 * line for the shell; `choice`: the person's answer to the agent's questions; `verdict`: the person's decision on a
 * plan or on a tool that asked first; `compaction`: the agent's own summary of the session so far.
 */
export const EntryForm = z.enum(['command', 'shell', 'choice', 'verdict', 'compaction']);
export type EntryForm = z.infer<typeof EntryForm>;

/** One immutable item of a session. */
export const Entry = z.object({
  id: z.string().describe("the agent's own uuid, or one derived from the session and the ordinal"),
  session: z.string(),
  agent: AgentName,
  role: Role,
  author: Author,
  form: EntryForm.optional().describe('set when the text is more than a prompt or an answer'),
  at: Moment,
  text: z.string(),
  tools: z.array(z.string()).describe('names of the tools used in this entry'),
  subagent: z.string().optional().describe('set when a subagent of the session said it'),
  abandoned: z.boolean().describe('on a branch that the session left'),
  gone: z.boolean().optional().describe('no longer in the transcript, which was cut or rewritten'),
});
export type Entry = z.infer<typeof Entry>;

/** The text of an entry. If it only used tools: their names. */
export const saidOrUsed = ({ text, tools }: Pick<Entry, 'text' | 'tools'>): string =>
  text.trim() === '' && tools.length > 0 ? `used ${tools.join(', ')}` : text;
