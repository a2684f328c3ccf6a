import { z } from 'zod';
import { type FileRequest, searchByFile } from '../../recall/briefing/by-file.ts';
import { hasWord } from '../../recall/question/words.ts';
import { search as recall, type SearchAnswer } from '../../recall/search.ts';
import { Role } from '../../schema/entry.ts';
import { Hit, HitKind, UseKind } from '../../schema/hit.ts';
import { isDerived } from '../../schema/hit-text.ts';
import type { ProjectFilter } from '../../store/projects/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { embedNow } from '../data/embed-now.ts';
import { librarian, toDeps } from '../memory/memory.ts';
import { type Context, operation } from '../operation.ts';
import type { MemoryPorts } from '../ports.ts';
import { type Filters, filterFields, fromElsewhere, limitField, sameNamed, toFilter, withHome } from './filters.ts';
import { nothingYet } from './observations.ts';
import { withTeam } from './team-search.ts';
import { isUseKind, refuseToolFilters, type ToolInput, toolFilter, unknownTool } from './tool-filter.ts';

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
    subagents: z.boolean().default(true).describe('what subagents said and did; a session is found by it either way'),
    scope: z
      .enum(['me', 'team'])
      .optional()
      .describe('me (the default): this machine; team: also what teammates share through the hub'),
    perSession: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('after this many hits of one session, show hits of other sessions first; for messages'),
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
    without: ['group', 'perSession'],
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
    refuseInput(input);
    if (input.kind === 'memory') await bringPagesIn(context);
    refuseToolFilters(input);
    // A teammate's project, or one that only memories are about, may have no sessions here.
    const anyProject = input.scope === 'team' || input.kind === 'memory';
    const filter = await toFilter(context, input, { anyProject });
    const use = await toolFilter(context.store, input);
    if (use?.tools?.length === 0) return { hits: [], note: await unknownTool(context.store, input) };
    const found = await findHits(context, input, {
      ...filter,
      ...(input.role ? { role: input.role } : {}),
      ...(use ? { use } : {}),
    });
    const reason = found.hits.length > 0 ? undefined : await whyNothing(context.store, input, filter.project, found);
    if (reason !== undefined) return { ...found, note: reason };
    // At a terminal, the person was warned beside the answer.
    const several =
      filter.project && context.warn === undefined ? await sameNamed(context.store, filter.project) : undefined;
    if (several === undefined) return found;
    return { ...found, note: found.note ? `${found.note} ${several}` : several };
  },
});

type SearchInput = Filters &
  ToolInput & {
    readonly query: string;
    readonly limit: number;
    readonly role?: Role | undefined;
    readonly subagents: boolean;
    readonly scope?: 'me' | 'team' | undefined;
    readonly perSession?: number | undefined;
    readonly explain?: boolean | undefined;
  };

function refuseInput({ query, file, kind, role }: SearchInput): void {
  if (query.trim() === '' && file === undefined)
    throw new HoldfastError('BAD_INPUT', 'The query is empty', {
      hint: 'Examples: holdfast search flaky login test; holdfast search --file src/auth/jwt.ts',
    });
  if (file !== undefined && (kind === 'conversation' || kind === 'memory'))
    throw new HoldfastError('BAD_INPUT', `--file cannot find ${kind === 'memory' ? 'memories' : 'conversations'}`, {
      hint: 'It finds entries, sessions, observations and summaries: holdfast search --file src/auth/jwt.ts --kind session',
    });
  if (role !== undefined && isDerived(kind))
    throw new HoldfastError('BAD_INPUT', '--role only applies to messages', {
      hint: 'Leave out the role, or search entries, sessions or conversations.',
    });
}

/** `command`, `edit` and `error` find entries. */
const hitKind = ({ kind }: SearchInput): HitKind => (isUseKind(kind) ? 'entry' : kind);

async function findHits(
  context: Context<
    'conversations' | 'distilled' | 'entries' | 'hub' | 'projects' | 'search' | 'sessions' | 'transfer' | 'vectors'
  >,
  input: SearchInput,
  wanted: NonNullable<FileRequest['filter']>,
): Promise<SearchAnswer> {
  const { query, limit, subagents, perSession, explain } = input;
  const kind = hitKind(input);
  const byFile =
    input.file !== undefined && (kind === 'entry' || kind === 'session')
      ? { file: withHome(input.file), kind }
      : undefined;
  if (input.scope === 'team' && (byFile !== undefined || wanted.use !== undefined))
    throw new HoldfastError('BAD_INPUT', '--file and --tool only search this machine', {
      hint: 'Leave out --scope, or leave out --file and --tool.',
    });
  if (byFile !== undefined) return searchByFile(context, { ...byFile, query, limit, filter: wanted });
  const file = input.file === undefined ? {} : { file: withHome(input.file.trim()) };
  const isOfTeam = input.scope === 'team';
  const filter = { ...wanted, subagents, ...file };
  const request = { query, kind, limit, perSession, explain, withEntries: isOfTeam, filter };
  const here = await recall(context, request);
  return isOfTeam ? withTeam(context, request, here) : here;
}

const countOf = { observation: 'observations', summary: 'summaries' } as const;

/** The likely reason why a search finds nothing, if there is one to tell. */
async function whyNothing(
  store: Pick<Store, 'distilled' | 'sessions'>,
  input: SearchInput,
  project: ProjectFilter | undefined,
  found: SearchAnswer,
): Promise<string | undefined> {
  if (input.query.trim() !== '' && !hasWord(input.query))
    return found.note ?? 'The query has no words, and nothing is similar in meaning.';
  const { kind } = input;
  if ((kind === 'observation' || kind === 'summary') && (await store.distilled.counts())[countOf[kind]] === 0)
    return nothingYet;
  // A mistyped project must not look like lost memory.
  const isUnknown = project !== undefined && (await store.sessions.list({ project, limit: 1 })).length === 0;
  return isUnknown ? `No session is known in the project ${input.project}.` : undefined;
}

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
