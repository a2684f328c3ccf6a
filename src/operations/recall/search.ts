import { z } from 'zod';
import { searchByFile } from '../../recall/briefing/by-file.ts';
import { hasWord } from '../../recall/question/words.ts';
import { search as recall } from '../../recall/search.ts';
import { Role } from '../../schema/entry.ts';
import { Hit, HitKind, isDerived, UseKind } from '../../schema/hit.ts';
import { HoldfastError } from '../../system/errors.ts';
import { embedNow } from '../data/embed-now.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import { type Context, operation } from '../operation.ts';
import type { MemoryPorts } from '../ports.ts';
import { filterFields, fromElsewhere, limitField, sameNamed, toFilter, withHome } from './filters.ts';
import { nothingYet } from './observations.ts';
import { withTeam } from './team-search.ts';
import { isUseKind, refuseToolFilters, toolFilter, unknownTool } from './tool-filter.ts';

export const search = operation({
  name: 'search',
  summary: 'Search messages, commands and memories by words and by meaning; without words, while you type',
  input: z.object({
    query: z.string().default('').meta({ description: 'words, and "phrases in quotes"', rest: true }),
    kind: z
      .enum([...HitKind.options, ...UseKind.options])
      .default('entry')
      .describe('what to find; command, edit and error find entries by their tool uses'),
    tool: z.string().min(1).optional().describe('only where this tool was used, such as Bash'),
    outcome: z.enum(['ok', 'error']).optional().describe('only where a tool ended like this'),
    file: z.string().min(1).optional().describe('list what touched this file, newest first: a path, or the end of one'),
    ...filterFields,
    role: Role.optional().describe('only messages of this role'),
    subagents: z.boolean().default(false).describe('also what subagents said; a session is always found by that too'),
    scope: z
      .enum(['me', 'team'])
      .optional()
      .describe('me (the default): this machine; team: also what teammates share through the hub'),
    explain: z.boolean().optional().describe('also show the features that ranked each hit'),
    limit: limitField.default(10).describe('at most this many hits'),
  }),
  output: z.object({
    hits: z.array(Hit),
    note: z.string().optional().describe('why something cannot be found, if known'),
  }),
  surfaces: ['cli', 'http', 'mcp'],
  positional: ['query'],
  http: { aliases: { q: 'query' } },
  mcp: {
    without: ['group'],
    description:
      'Search everything that was said and done in past coding sessions on this machine. Use it before you work on something that may have come up earlier: a bug, a decision, a command, "how did we …". With `file` instead of words: who touched it, when and why. Kind memory: lasting facts. Answers with short hits; go on with timeline around an id, or get by ids.',
    foremost: true,
  },
  examples: [
    'holdfast search flaky login test',
    'holdfast search \'"race condition" worker\' --since 2w',
    'holdfast search migration --kind session --project holdfast --json',
    'holdfast search package manager --kind memory',
    'holdfast search --file src/auth/jwt.ts',
    'holdfast search docker build --kind command --outcome error',
    'holdfast search flaky login test --scope team',
  ],
  viaWorker: (input) => (input.file === undefined ? fromElsewhere(input) : undefined),
  async run(
    context: Context<
      MemoryPorts | 'conversations' | 'distilled' | 'entries' | 'hub' | 'search' | 'transfer' | 'vectors'
    >,
    input,
  ) {
    if (input.query.trim() === '' && input.file === undefined)
      throw new HoldfastError('BAD_INPUT', 'The query is empty', {
        hint: 'Examples: holdfast search flaky login test; holdfast search --file src/auth/jwt.ts',
      });
    if (input.file !== undefined && (input.kind === 'conversation' || input.kind === 'memory'))
      throw new HoldfastError(
        'BAD_INPUT',
        `--file cannot find ${input.kind === 'memory' ? 'memories' : 'conversations'}`,
        {
          hint: 'It finds entries, sessions, observations and summaries: holdfast search --file src/auth/jwt.ts --kind session',
        },
      );
    if (input.role !== undefined && isDerived(input.kind))
      throw new HoldfastError('BAD_INPUT', '--role only applies to messages', {
        hint: 'Leave out the role, or search entries, sessions or conversations.',
      });
    if (input.kind === 'memory') await bringPagesIn(context);
    refuseToolFilters(input);
    const filter = await toFilter(context, input);
    const { query, file, limit, role, subagents, explain } = input;
    const kind = isUseKind(input.kind) ? 'entry' : input.kind;
    const use = await toolFilter(context.store, input);
    if (use?.tools?.length === 0) return { hits: [], note: await unknownTool(context.store, input) };
    const wanted = { ...filter, ...(role ? { role } : {}), ...(use ? { use } : {}) };
    const request = {
      ...{ query, kind, limit, explain, withEntries: input.scope === 'team' },
      filter: { ...wanted, subagents, ...(file ? { file: withHome(file.trim()) } : {}) },
    };
    const isByWords = file === undefined || kind === 'conversation' || isDerived(kind);
    const here = isByWords
      ? await recall(context, request)
      : await searchByFile(context, { file: withHome(file), query, kind, limit, filter: wanted });
    if (input.scope === 'team' && (!isByWords || use !== undefined))
      throw new HoldfastError('BAD_INPUT', '--file and --tool only search this machine', {
        hint: 'Leave out --scope, or leave out --file and --tool.',
      });
    const found = input.scope === 'team' ? await withTeam(context, request, here) : here;
    if (found.hits.length === 0 && query.trim() !== '' && !hasWord(query))
      return { note: 'The query has no words, and nothing is similar in meaning.', ...found };
    const isDistilled = kind === 'observation' || kind === 'summary';
    if (isDistilled && found.hits.length === 0 && (await context.store.distilled.counts())[countOf[kind]] === 0)
      return { ...found, note: nothingYet };
    const { project } = filter;
    // A mistyped project must not look like lost memory.
    const unknown =
      found.hits.length === 0 &&
      project !== undefined &&
      (await context.store.sessions.list({ project, limit: 1 })).length === 0;
    if (unknown) return { ...found, note: `No session is known in the project ${input.project}.` };
    // At a terminal, the person was warned beside the answer.
    const several = project && context.warn === undefined ? await sameNamed(context.store, project) : undefined;
    if (several === undefined) return found;
    return { ...found, note: 'note' in found && found.note ? `${found.note} ${several}` : several };
  },
});

const countOf = { observation: 'observations', summary: 'summaries' } as const;

/** Embedding this many texts takes no time; an import embeds more. */
const mostEmbedded = 500;

/** Also finds what a person has written into the files since. */
async function bringPagesIn(context: Context<MemoryPorts | 'vectors'>): Promise<void> {
  const { bringInLine } = await librarian();
  await bringInLine(toDeps(context));
  const pending = (await context.store.vectors.pending(mostEmbedded + 1)).length;
  if (pending === 0 || pending > mostEmbedded) return;
  await embedNow(context);
}
