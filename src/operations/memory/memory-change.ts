// Changes to memory that a person asks for. Each is the person's own edit, and wins over what conversations say.

import { z } from 'zod';
import { plural } from '../../language/plural.ts';
import { About, Memory } from '../../schema/memory.ts';
import { briefingFolder } from '../../system/briefing-folder.ts';
import { HoldfastError } from '../../system/errors.ts';
import { reachBackups } from '../data/backups.ts';
import { embedNow } from '../data/embed-now.ts';
import { ringForgotten } from '../data/forgotten-bell.ts';
import { type Context, operation } from '../operation.ts';
import type { BriefingPorts, MemoryPorts } from '../ports.ts';
import { projectName } from '../recall/filters.ts';
import { renewBriefings } from '../recall/prepare-briefings.ts';
import { librarian, nameField, shown, toDeps } from './memory.ts';

/** After a change: commit if the folder is a repository, and embed if that takes no time. */
async function finish(context: Context<MemoryPorts | 'vectors'>): Promise<void> {
  const { commitPages } = await librarian();
  await commitPages(toDeps(context));
  await embedNow(context);
}

/** Secrets and private passages do not enter memory by hand either. */
async function permitted(text: string): Promise<string> {
  const { isWhollyPrivate, redact } = await import('../../capture/redaction/redact.ts');
  const clean = redact(text).trim();
  // Pages hold no control characters, so a text of these alone would not be found there.
  if (/[^\p{C}\p{Z}]/u.test(clean) && !isWhollyPrivate(text)) return clean;
  throw new HoldfastError('BAD_INPUT', 'There is nothing to remember', {
    hint: isWhollyPrivate(text) ? 'All of it was marked as private.' : 'Give a text.',
  });
}

const wishFields = {
  about: About.optional().describe('user: a preference; procedure: how things are done; world: any other fact'),
  key: z.string().min(1).max(80).optional().describe('the topic: a later memory with the same key replaces this one'),
  project: z.string().min(1).optional().describe('the project it belongs to, by name or a path inside it'),
};

const Kept = z.object({ memory: Memory, known: z.boolean().describe('true: it was remembered before') });

export const rememberThis = operation({
  name: 'remember',
  summary: 'Remember something for good: search finds it at once, and it wins over what conversations say',
  input: z.object({
    text: z.string().min(1).max(2000).meta({ description: 'what to remember, in one statement', rest: true }),
    ...wishFields,
    tag: z
      .string()
      .regex(
        /^[\p{L}\p{N}_/-]+(,[\p{L}\p{N}_/-]+)*$/u,
        'must be words of letters, digits, _, / and -, separated by commas',
      )
      .optional()
      .describe('tags, separated by commas'),
  }),
  output: Kept,
  surfaces: ['cli', 'http', 'mcp'],
  http: { method: 'POST' },
  positional: ['text'],
  mcp: {
    description:
      'Store one lasting statement, when the user asks you to remember something or states a preference, convention or decision that matters in later sessions. Not for progress of the task, never for secrets. Give `key` (such as "package manager") so that a later statement replaces it, `about` for whom it concerns, `project` for what holds only there.',
    foremost: true,
  },
  examples: [
    'holdfast remember "Deploys happen on Tuesdays" --key "deploy day"',
    'holdfast remember Tabs, never spaces --about user --key indentation',
    'holdfast remember "The queue is in Postgres" --project courier',
  ],
  async run(context: Context<MemoryPorts | 'vectors'>, { text, tag, project, ...wish }) {
    const { remember } = await librarian();
    const { memory, known } = await remember(toDeps(context), {
      ...wish,
      text: await permitted(text),
      saidBy: context.byAgent ? 'agent' : 'person',
      ...(wish.key === undefined ? {} : { key: await permitted(wish.key) }),
      project: project === undefined ? undefined : await projectName(context, project),
      tags: tag?.split(',') ?? [],
    });
    await finish(context);
    return { memory: shown(memory), known };
  },
});

export const memoryPromote = operation({
  name: 'memory promote',
  summary: 'Turn something on a page, such as an episode, into a lasting fact; its source is kept',
  input: z.object({
    memory: z.string().min(1).describe('id of a memory; its beginning is enough'),
    ...wishFields,
    text: z.string().min(1).max(2000).optional().describe('the fact in other words'),
  }),
  output: Kept,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['memory'],
  examples: ['holdfast memory promote m3f2a --key "deploy day" --about procedure'],
  async run(context: Context<MemoryPorts | 'vectors'>, { memory: id, text, project, ...wish }) {
    const { promote } = await librarian();
    const { memory, known } = await promote(toDeps(context), id, {
      ...wish,
      ...(text === undefined ? {} : { text: await permitted(text) }),
      project: project === undefined ? undefined : await projectName(context, project),
    });
    await finish(context);
    return { memory: shown(memory), known };
  },
});

export const memoryEdit = operation({
  name: 'memory edit',
  summary: 'Change a memory or a page: in your editor, with --text, or from a pipe',
  input: z.object({
    name: nameField,
    text: z.string().min(1).optional().describe('the new text'),
    was: z.string().optional().describe('the text that you saw: if it has changed since, nothing is changed'),
  }),
  output: z.object({ page: z.string(), file: z.string() }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['name'],
  examples: ['holdfast memory edit core/facts', 'holdfast memory edit m3f2a --text "Deploys happen on Mondays"'],
  async run(context: Context<MemoryPorts | 'vectors'>, { name, text, was }) {
    const { bringInLine, editMemory, findNamed } = await librarian();
    const deps = toDeps(context);
    const { memoryPath } = context.config;
    if (text === undefined) {
      await bringInLine(deps);
      const { page } = await findNamed(deps, name);
      const file = `${memoryPath}/${page}`;
      if (await context.person?.edit(file)) {
        await bringInLine(deps);
        await finish(context);
        return { page, file };
      }
    }
    const given = text ?? (await context.person?.piped()) ?? '';
    const { page } = await editMemory(deps, name, given.trim() === '' ? '' : await permitted(given), was);
    await finish(context);
    return { page, file: `${memoryPath}/${page}` };
  },
});

export const memoryRevert = operation({
  name: 'memory revert',
  summary: 'Restore an earlier version of a memory, or let conversations change a line that you edited',
  input: z.object({
    memory: z.string().min(1).describe('id of a memory; its beginning is enough'),
    to: z.int().min(1).optional().describe('the version, as `memory history` numbers them (default: the one before)'),
    release: z
      .boolean()
      .default(false)
      .describe('undo your own edits instead, so that conversations may change it again'),
  }),
  output: z.object({ page: z.string(), id: z.string(), text: z.string().describe('empty: it was removed') }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['memory'],
  examples: [
    'holdfast memory revert m3f2a',
    'holdfast memory revert m3f2a --to 1',
    'holdfast memory revert m3f2a --release',
  ],
  async run(context: Context<MemoryPorts | 'vectors'>, { memory: name, to, release }) {
    const { revert } = await librarian();
    const { page, id, text } = await revert(toDeps(context), name, { to, release });
    await finish(context);
    return { page, id, text };
  },
});

const Shown = z.object({ id: z.string(), text: z.string() });

export const memoryConsolidate = operation({
  name: 'memory consolidate',
  summary: 'Show facts that say the same under two keys; with --apply, merge them',
  input: z.object({
    page: z.string().min(1).optional().describe('only this page'),
    apply: z.boolean().default(false).describe('merge the facts shown; their history stays'),
    undo: z.string().min(1).optional().describe('split what was merged into the memory with this id'),
  }),
  output: z.object({
    duplicates: z.array(z.object({ page: z.string(), keep: Shown, merge: z.array(Shown) })),
    applied: z.boolean(),
    parted: z.int().describe('how many memories were split again'),
  }),
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  examples: [
    'holdfast memory consolidate',
    'holdfast memory consolidate --apply',
    'holdfast memory consolidate --undo m3f2a',
  ],
  async run(context: Context<MemoryPorts | 'vectors'>, { page, apply, undo }) {
    const { consolidate, separate } = await librarian();
    const deps = toDeps(context);
    if (undo !== undefined) {
      const { parted } = await separate(deps, undo);
      await finish(context);
      return { duplicates: [], applied: false, parted };
    }
    const { duplicates } = await consolidate(deps, { apply, page });
    if (apply) await finish(context);
    return { duplicates: duplicates.map((each) => ({ ...each, merge: [...each.merge] })), applied: apply, parted: 0 };
  },
});

export const memoryForget = operation({
  name: 'memory forget',
  summary: 'Delete a memory, or a whole page, for good: file, index, vectors, history; it does not come back',
  input: z.object({
    name: nameField,
    yes: z.boolean().default(false).describe('do not ask; needed without a terminal'),
  }),
  output: z.object({
    page: z.string(),
    forgotten: z.int().describe('0: nothing was changed'),
    left: z.array(z.string()).describe('what could not be reached'),
  }),
  destroys: true,
  surfaces: ['cli', 'http'],
  http: { method: 'POST' },
  positional: ['name'],
  examples: ['holdfast memory forget m3f2a', 'holdfast memory forget relationships/ana'],
  succeeded: ({ forgotten }) => forgotten > 0,
  async run(context: Context<BriefingPorts | MemoryPorts | 'location' | 'vectors'>, { name, yes }) {
    const { forgetMemory, isRepository } = await librarian();
    const briefings = briefingFolder(context.config.home);
    const wasPrepared = briefings.exists();
    const { page, forgotten } = await forgetMemory(toDeps(context), name, async (going) => {
      const what = going.text ?? plural(going.memories, 'memory', 'memories');
      const agreed = yes || (await context.person?.agrees?.(`Forget for good, of ${going.page}: ${what}?`)) !== false;
      // Clear briefings before the memory goes: a process killed after that leaves no briefing with it.
      if (agreed) briefings.clear();
      return agreed;
    });
    if (forgotten === 0) return { page, forgotten, left: [] };
    await renewBriefings(context, wasPrepared);
    await finish(context);
    await context.store.admin.purge();
    ringForgotten(context.config, context.clock());
    const { memoryPath } = context.config;
    const left = isRepository(memoryPath) ? [`the git history of ${memoryPath}, which is yours`] : [];
    left.push(...(await reachBackups(context)));
    return { page, forgotten, left };
  },
});
