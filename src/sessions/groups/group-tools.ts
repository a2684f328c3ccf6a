// The tools with which a group's agent manages its sessions. The channel determines the group: no tool takes a group's name.
import { z } from 'zod';
import { Bookmark } from '../../schema/group.ts';
import type { GroupSessions } from './groups.ts';

export interface GroupTool<Name extends string = string, Output extends z.ZodType = z.ZodType> {
  readonly name: Name;
  readonly description: string;
  /** Strict: refuses unknown fields, above all `group`. */
  readonly input: z.ZodObject;
  readonly output: Output;
  /** A call changes nothing. */
  readonly readOnly: boolean;
  run(group: GroupSessions, input: Record<string, unknown>): Promise<unknown>;
}

/** Keeps the name and the types of input and output together where a tool is declared. */
const tool = <const Name extends string, Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Omit<GroupTool<Name, Output>, 'input' | 'run'> & {
    input: Input;
    run(group: GroupSessions, input: z.output<Input>): Promise<z.input<Output>>;
  },
): GroupTool<Name, Output> => declared;

const name = z.string().trim().min(1).max(200);

/** What became of the session that was active. */
export const Left = z.object({
  session: z.string().optional().describe('the session that was active'),
  bookmark: Bookmark.optional().describe('under which it can be resumed'),
  archive: z.string().optional().describe('the file with what was said'),
});

export const leftOf = ({
  session,
  bookmark,
  archive,
}: Awaited<ReturnType<GroupSessions['clear']>>): z.infer<typeof Left> => ({
  ...(session === undefined ? {} : { session }),
  ...(bookmark === undefined ? {} : { bookmark }),
  ...(archive?.file === undefined ? {} : { archive: archive.file }),
});

export const GroupHit = z.object({
  id: z.int().optional().describe('of its bookmark; without one, the id of the session leads back to it'),
  session: z.string(),
  name: z.string(),
  at: z.string(),
  snippet: z.string(),
  current: z.boolean().describe('it is the session that is active now'),
});

const tools = [
  tool({
    name: 'clear_session',
    description:
      'End this conversation and begin a new one. It is kept under the name you give: readable in conversations/, listed by list_sessions, and resumable. Tell the person first; your process is closed after this call.',
    input: z.strictObject({
      name: name.describe('what to call this conversation: a few words a person would look for'),
    }),
    output: Left,
    readOnly: false,
    run: async (group, { name: given }) => leftOf(await group.clear(given)),
  }),
  tool({
    name: 'list_sessions',
    description: 'List the earlier conversations of this group, newest first, with the ids that resume_session takes.',
    input: z.strictObject({}),
    output: z.object({ sessions: z.array(Bookmark) }),
    readOnly: true,
    run: async (group) => ({ sessions: [...(await group.bookmarks())] }),
  }),
  tool({
    name: 'resume_session',
    description:
      'Go on with an earlier conversation of this group in place of this one. Without save_current_as this one gets no name. Your process is closed after this call, and the next message continues the earlier conversation.',
    input: z.strictObject({
      id: z
        .union([z.int(), z.string().min(1)])
        .describe('from list_sessions or search_sessions: the number, or the id of the session'),
      save_current_as: name.optional().describe('what to call this conversation, to come back to it later'),
    }),
    output: z.object({ session: z.string(), left: Left }),
    readOnly: false,
    async run(group, { id, save_current_as }) {
      // Some models write numbers as texts.
      const target = typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id;
      const { session, left } = await group.resume(target, save_current_as);
      return { session, left: leftOf(left) };
    },
  }),
  tool({
    name: 'search_sessions',
    description:
      'Find earlier conversations of this group by what was said in them. Each hit has the id that resume_session takes.',
    input: z.strictObject({ query: z.string().trim().min(1).max(2000).describe('words, and "phrases in quotes"') }),
    output: z.object({ hits: z.array(GroupHit) }),
    readOnly: true,
    run: async (group, { query }) => ({ hits: [...(await group.search(query))] }),
  }),
] as const;

export const groupTools: readonly GroupTool[] = tools;

/** What each tool answers, by its name. */
export type GroupToolOutputs = {
  readonly [Tool in (typeof tools)[number] as Tool['name']]: z.output<Tool['output']>;
};
