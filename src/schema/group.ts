import { z } from 'zod';
import { AgentName } from './agent-name.ts';
import { Moment } from './time.ts';

/** The group that sees all others. */
export const mainGroup = 'main';
/** In a filter: the person's own and what belongs to any group. */
export const everyone = '*';
/** What belonged to a group that was removed stays apart from what is the person's. No group can have such a name. */
export const removedGroup = (name: string): string => `${name}:removed`;
/** The name that the group has, or had. */
export const nameOfGroup = (owner: string): string => owner.replace(/:removed$/, '');
/** The folder beside those of the groups that holds what all of them are told. */
export const globalFolder = 'global';

const devices = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** Who shares memory and a sandbox. The name is also that of its folders, so it must mean the same on every file system. */
export const GroupName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be up to 63 of a-z, 0-9, _ and -, and begin with a letter or digit')
  .refine((name) => name !== globalFolder, `must not be ${globalFolder}: that is what all groups share`)
  .refine((name) => !devices.test(name), 'must not be what Windows takes for a device');
export type GroupName = z.infer<typeof GroupName>;

/** An earlier session of a group, under the name it was left with. */
export const Bookmark = z.object({
  id: z.int(),
  session: z.string(),
  agent: AgentName,
  name: z.string(),
  createdAt: Moment.describe('when the session began'),
  archivedAt: Moment.describe('when it was left'),
});
export type Bookmark = z.infer<typeof Bookmark>;

/** Which session is active for a group. A process that began under an older epoch has no say any more. */
export const Pointer = z.object({
  epoch: z.int(),
  session: z.string().optional(),
  agent: AgentName.optional(),
  resumeAt: z.string().optional().describe('the entry to go on after, where that is not the last'),
  since: Moment.optional().describe('when the session became the active one'),
});
export type Pointer = z.infer<typeof Pointer>;

export const Group = z.object({
  name: GroupName,
  createdAt: Moment,
  pointer: Pointer,
  bookmarks: z.int(),
  sessions: z.int().describe('all that ever belonged to it, as far as they are known'),
});
export type Group = z.infer<typeof Group>;
