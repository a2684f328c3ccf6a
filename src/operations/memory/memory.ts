// The pages of memory: list them, show one, and show its history.
import { z } from 'zod';
import type { MemoryDeps } from '../../distill/memory/librarian.ts';
import { nameOfGroup } from '../../schema/group.ts';
import { Memory, MemoryKind, MemoryVersion } from '../../schema/memory.ts';
import { Moment } from '../../schema/time.ts';
import { type Context, operation } from '../operation.ts';
import { projectName, refuseUnknown, toProject } from '../recall/filters.ts';

/** Loaded when used, so that other commands do not pay for it. */
export const librarian = () => import('../../distill/memory/index.ts');

export const nameField = z
  .string()
  .min(1)
  .describe('id of a memory (its beginning is enough), its key, or a page such as core/facts or projects/courier');

export const toDeps = ({
  store,
  config,
  clock,
  say,
}: Context<'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>): MemoryDeps => ({
  store,
  config,
  clock,
  log: say,
});

/** Without the fields that only the librarian needs. */
export const shown = ({
  id,
  page,
  title,
  text,
  kind,
  at,
  project,
  session,
  source,
  saidBy,
  group,
}: Memory): Memory => ({
  ...{ id, page, title, text, kind, at, project, session, source, saidBy, group },
});

export const memoryList = operation({
  name: 'memory list',
  summary: 'List the pages of memory',
  input: z.object({
    project: z.string().min(1).optional().describe('only pages of this project, by name or a path inside it'),
    only: MemoryKind.optional().describe(
      'dated: episodes, milestones, questions; evergreen: facts and other lasting pages',
    ),
    group: z.string().min(1).optional().describe('the pages of this group instead of yours'),
  }),
  output: z.object({
    folder: z.string(),
    pages: z.array(
      z.object({
        page: z.string(),
        title: z.string(),
        kind: MemoryKind,
        memories: z.int().describe('how many statements and sections it has'),
        at: Moment.describe('time of the latest one'),
        own: z.boolean().describe('a file that the person made; Holdfast only reads it'),
      }),
    ),
  }),
  surfaces: ['cli', 'http', 'mcp'],
  mcp: {
    without: ['group'],
    description:
      'List the pages of long-term memory: lasting facts, preferences and procedures (core/), projects, people, and what happened day by day. Read one with memory_show.',
  },
  examples: ['holdfast memory list', 'holdfast memory list --project courier', 'holdfast memory list --only evergreen'],
  async run(
    context: Context<'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>,
    { project, only, group = '' },
  ) {
    const { bringInLine } = await librarian();
    await bringInLine(toDeps(context));
    const { store, config } = context;
    const derived = new Set((await store.pages.list()).filter((page) => page.derived).map(({ page }) => page));
    const pages = new Map<string, Memory[]>();
    const about = project === undefined ? {} : { project: await projectName(context, project) };
    const found = await store.memory.list({ ...about, kind: only, group: nameOfGroup(group.trim()) });
    // Only memories may be about a project, so it need not have sessions.
    if (project !== undefined && found.length === 0)
      await refuseUnknown(store, project, await toProject(store, project, config.settings.separateWorktrees));
    for (const memory of found) pages.set(memory.page, [...(pages.get(memory.page) ?? []), memory]);
    return {
      folder: config.memoryPath,
      pages: [...pages].map(([page, memories]) => ({
        page,
        title: memories[0]?.title ?? '',
        kind: memories[0]?.kind ?? 'evergreen',
        memories: memories.length,
        at: memories
          .map(({ at }) => at)
          .sort()
          .at(-1) as string,
        own: !derived.has(page),
      })),
    };
  },
});

export const memoryShow = operation({
  name: 'memory show',
  summary: 'Show a page of memory, or one memory, with the ids for changing it',
  input: z.object({ name: nameField }),
  output: z.object({
    page: z.string(),
    file: z.string().describe('path of the file'),
    text: z.string().describe('the page as Markdown, or the text of a single memory'),
    memories: z.array(Memory),
  }),
  surfaces: ['cli', 'http', 'mcp'],
  positional: ['name'],
  mcp: { description: 'Read a page of long-term memory in full, or one memory by its id.' },
  examples: ['holdfast memory show core/facts', 'holdfast memory show projects/courier', 'holdfast memory show m3f2a'],
  async run(context: Context<'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>, { name }) {
    const { bringInLine, findNamed, readPage } = await librarian();
    const deps = toDeps(context);
    await bringInLine(deps);
    const { memoryPath } = context.config;
    const { page, memory } = await findNamed(deps, name);
    const memories = memory === undefined ? await context.store.memory.list({ page }) : [memory];
    const text = memory?.text ?? readPage(memoryPath, page)?.text ?? '';
    return { page, file: `${memoryPath}/${page}`, text, memories: memories.map(shown) };
  },
});

export const memoryHistory = operation({
  name: 'memory history',
  summary: 'Show every version of a memory, or of everything that was ever on a page, with time and source',
  input: z.object({ name: nameField }),
  output: z.object({
    memories: z.array(z.object({ id: z.string(), page: z.string(), versions: z.array(MemoryVersion) })),
  }),
  surfaces: ['cli', 'http', 'mcp'],
  positional: ['name'],
  mcp: { description: 'How a fact in long-term memory has changed over time, and which sessions said so.' },
  examples: ['holdfast memory history m3f2a', 'holdfast memory history core/facts'],
  async run(context: Context<'admin' | 'groups' | 'memory' | 'pages' | 'projects' | 'sessions'>, { name }) {
    const { historyOf } = await librarian();
    const found = await historyOf(toDeps(context), name);
    return { memories: found.map((each) => ({ ...each, versions: [...each.versions] })) };
  },
});
