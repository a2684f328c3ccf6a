import { z } from 'zod';
import { HoldfastError } from '../errors.ts';
import { searchByFile } from '../recall/by-file.ts';
import { search as recall } from '../recall/search.ts';
import { Role } from '../schema/entry.ts';
import { Hit, HitKind } from '../schema/hit.ts';
import { filterFields, fromElsewhere, limitField, toFilter, withHome } from './filters.ts';
import { operation } from './operation.ts';

export const search = operation({
  name: 'search',
  summary: 'Find what was said, by words and by meaning: entries, sessions or conversations',
  input: z.object({
    query: z.string().default('').meta({ description: 'words, and "phrases in quotes"', rest: true }),
    kind: HitKind.default('entry').describe('what to find'),
    file: z.string().min(1).optional().describe('who touched this file, newest first: a path, or the end of one'),
    ...filterFields,
    role: Role.optional().describe('only what this side said'),
    subagents: z.boolean().default(false).describe('also what subagents said'),
    limit: limitField.default(10).describe('at most this many hits'),
  }),
  output: z.object({
    hits: z.array(Hit),
    note: z.string().optional().describe('why something cannot be found, where that is known'),
  }),
  surfaces: ['cli', 'http', 'mcp'],
  positional: ['query'],
  http: { aliases: { q: 'query' } },
  mcp: {
    description:
      'Search everything that was said and done in past coding sessions on this machine. Use it before you work on something that may have come up earlier: a bug, a decision, a command, "how did we …". With `file` instead of words: who touched it, when and why. Answers with short hits; go on with timeline around an id, or get by ids.',
    foremost: true,
  },
  examples: [
    'holdfast search flaky login test',
    'holdfast search \'"race condition" worker\' --since 2w',
    'holdfast search migration --kind session --project holdfast --json',
    'holdfast search --file src/auth/jwt.ts',
  ],
  viaWorker: (input) => (input.file === undefined ? fromElsewhere(input) : undefined),
  async run(context, input) {
    if (input.query.trim() === '' && input.file === undefined)
      throw new HoldfastError('BAD_INPUT', 'The query is empty', {
        hint: 'Examples: holdfast search flaky login test; holdfast search --file src/auth/jwt.ts',
      });
    if (input.file !== undefined && input.kind === 'conversation')
      throw new HoldfastError('BAD_INPUT', 'By file, entries and sessions can be found, not conversations', {
        hint: 'Example: holdfast search --file src/auth/jwt.ts --kind session',
      });
    const filter = await toFilter(context, input);
    const { query, kind, file, limit, role, subagents } = input;
    const wanted = { ...filter, ...(role ? { role } : {}) };
    const found =
      file === undefined || kind === 'conversation'
        ? await recall(context, { query, kind, limit, filter: { ...wanted, subagents } })
        : await searchByFile(context, { file: withHome(file), query, kind, limit, filter: wanted });
    const { project } = filter;
    // A project that was mistyped must not look like a memory that was lost.
    const unknown =
      found.hits.length === 0 &&
      project !== undefined &&
      (await context.store.sessions({ project, limit: 1 })).length === 0;
    return unknown ? { ...found, note: `No session is known in the project ${input.project}.` } : found;
  },
});
