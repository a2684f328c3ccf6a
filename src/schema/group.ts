import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

/** The group that sees all others. */
export const mainGroup = 'main';
/** In a filter: the person's own sessions and those of every group. */
export const everyone = '*';
/** Sessions of a removed group stay separate from the person's own. No group can have such a name. */
export const removedGroup = (name: string): string => `${name}:removed`;
/** The name that the group has, or had. */
export const nameOfGroup = (owner: string): string => owner.replace(/:removed$/, '');
/** The folder beside those of the groups with the instructions for all of them. */
export const globalFolder = 'global';

const devices = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A group shares memory and a sandbox. The name is also that of its folders, so it must mean the same on every file
 * system.
 */
export const GroupName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be up to 63 of a-z, 0-9, _ and -, and begin with a letter or digit')
  .refine((name) => name !== globalFolder, `must not be ${globalFolder}: that folder is shared by all groups`)
  .refine((name) => !devices.test(name), 'must not be a Windows device name');
export type GroupName = z.infer<typeof GroupName>;

/** An earlier session of a group, under the name it was given when it was left. */
export const Bookmark = z.object({
  id: z.int(),
  session: z.string(),
  agent: AgentName,
  name: z.string(),
  createdAt: Moment.describe('when the session began'),
  archivedAt: Moment.describe('when it was left'),
});
export type Bookmark = z.infer<typeof Bookmark>;

/** Which session is active for a group. A process that began under an older epoch can no longer change it. */
export const Pointer = z.object({
  epoch: z.int(),
  session: z.string().optional(),
  agent: AgentName.optional(),
  resumeAt: z.string().optional().describe('the entry to continue after, if it is not the last'),
  since: Moment.optional().describe('when the session became active'),
});
export type Pointer = z.infer<typeof Pointer>;

export const Group = z.object({
  name: GroupName,
  createdAt: Moment,
  pointer: Pointer,
  bookmarks: z.int(),
  sessions: z.int().describe('all known sessions that ever belonged to it'),
});
export type Group = z.infer<typeof Group>;
