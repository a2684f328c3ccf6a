import { resolve } from 'node:path';
import { z } from 'zod';
import { projectOf } from '../../capture/project.ts';
import { Project } from '../../schema/project.ts';
import { followLinks, isWithin } from '../../store/projects/follow-links.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import type { BriefingPorts } from '../ports.ts';
import { isTooLong } from './filters.ts';
import { renewBriefings } from './prepare-briefings.ts';

export const projects = operation({
  name: 'projects',
  summary: 'List the projects that sessions worked in',
  input: z.object({}),
  output: z.object({ projects: z.array(Project) }),
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    description: 'List the projects that are remembered, with their folders. Their names serve as `project` elsewhere.',
  },
  examples: ['holdfast projects', 'holdfast projects --json'],
  run: async ({ store }: Context<'projects'>) => ({ projects: [...(await store.projects.list())] }),
});

const folder = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, 'must not hold a null byte')
  .refine((text) => !isTooLong(text), 'is longer than any path');

export const projectsLink = operation({
  name: 'projects link',
  summary: 'Record that a folder was moved: the sessions of the old folder now belong to the new one',
  input: z.object({
    from: folder.describe('where the folder was'),
    to: folder.describe('where it is now'),
  }),
  output: z.object({ from: z.string(), to: z.string(), project: z.string(), sessions: z.int() }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['from', 'to'],
  examples: ['holdfast projects link ~/old/shop ~/code/shop'],
  async run({ store, config, clock }: Context<BriefingPorts>, input) {
    const link = { from: resolve(input.from), to: resolve(input.to) };
    const known = await store.projects.list();
    const moved = known.filter(({ path }) => isWithin(path, link.from));
    if (isWithin(link.to, link.from))
      throw new HoldfastError('BAD_INPUT', `${link.to} is inside ${link.from}`, {
        hint: 'Name two different folders.',
      });
    if (moved.length === 0)
      throw new HoldfastError('NOT_FOUND', `No session worked in ${link.from}`, {
        hint: 'List projects and their paths with `holdfast projects`.',
      });
    const target = (path: string) => projectOf(followLinks(path, [link]), config.settings.separateWorktrees);
    const sessions = await store.projects.link(
      link,
      moved.map(({ path }) => ({ from: path, to: target(path) })),
    );
    await renewBriefings({ store, config, clock });
    return { ...link, project: target(link.from), sessions };
  },
});
