import { z } from 'zod';
import { Project } from '../schema/project.ts';
import { operation } from './operation.ts';

export const projects = operation({
  name: 'projects',
  summary: 'List the projects that sessions worked in',
  input: z.object({}),
  output: z.object({ projects: z.array(Project) }),
  surfaces: ['cli', 'http', 'mcp'],
  examples: ['holdfast projects', 'holdfast projects --json'],
  run: async ({ store }) => ({ projects: [...(await store.projects())] }),
});
