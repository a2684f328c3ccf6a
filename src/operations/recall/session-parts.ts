// Parts of one session beside its transcript: its prompts, where words occur in it, and what it changed.
import { z } from 'zod';
import { shell } from '../../agents/tools/shell-tools.ts';
import { commitsIn, webAddressOf } from '../../language/commits.ts';
import { modifies } from '../../language/files-touched.ts';
import { cut, inOneLine, line } from '../../language/gist.ts';
import { AgentName } from '../../schema/agent-name.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Session } from '../../schema/session.ts';
import { Moment } from '../../schema/time.ts';
import { ToolUse } from '../../schema/tool-use.ts';
import type { UseAt } from '../../store/entries/port.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { find } from './find.ts';

const idField = z.string().min(1).describe('id of a session; its beginning is enough');
const agentField = AgentName.optional().describe('the agent, if two agents use the same id');

const longestPrompt = 160;
/** Prompts read at once. */
const promptsAtOnce = 1000;
/** This much of a prompt is enough to show what it is about. */
const longestRead = 2000;

const Placed = z.object({
  id: z.string().describe('id of the entry'),
  at: Moment,
  place: z.int().describe('position of the entry in the transcript, from 0'),
  text: z.string(),
});

export const sessionsOutline = operation({
  name: 'sessions outline',
  summary: 'List the prompts of a session, one per line',
  input: z.object({
    id: idField,
    agent: agentField,
    after: z.int().min(0).optional().describe('only prompts after this position of the transcript, from 0'),
    before: z.int().min(0).optional().describe('only prompts before this position; with a limit, the last of them'),
    limit: z.int().min(1).optional().describe('at most this many prompts'),
  }),
  output: z.object({
    session: z.string(),
    prompts: z.array(Placed),
    more: z.boolean().describe('true: there are more prompts than these'),
  }),
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/outline' },
  positional: ['id'],
  examples: ['holdfast sessions outline 0f3c', 'holdfast sessions outline 0f3c --after 500 --limit 20'],
  async run(context: Context<'entries' | 'sessions'>, { id, agent, limit = Number.POSITIVE_INFINITY, ...range }) {
    const session = await sessionNamed(context, id, agent);
    const prompts: z.infer<typeof Placed>[] = [];
    let more = true;
    while (more && prompts.length < limit) {
      if (prompts.length > 0) await pause(context.signal);
      const read = await promptsIn(context, session, {
        ...range,
        limit: Math.min(promptsAtOnce, limit - prompts.length),
      });
      more = read.more;
      if (range.before === undefined) {
        prompts.push(...read.prompts);
        range.after = prompts.at(-1)?.place;
      } else {
        prompts.unshift(...read.prompts);
        range.before = prompts[0]?.place;
      }
    }
    return { session: session.id, prompts, more };
  },
});

interface PromptRange {
  after?: number | undefined;
  before?: number | undefined;
}

async function promptsIn(
  { store }: Context<'entries'>,
  { agent, id }: Session,
  { limit, ...range }: PromptRange & { limit: number },
) {
  const found = await store.entries.promptsOf(agent, id, { characters: longestRead, limit: limit + 1, ...range });
  const kept = range.before === undefined ? found.slice(0, limit) : found.slice(-limit);
  const prompts = kept.map(({ text, ...one }) => ({
    ...one,
    text: line(text, longestPrompt) || cut(inOneLine(text), longestPrompt),
  }));
  return { prompts, more: found.length > limit };
}

const mostMatches = 5000;
/** Characters on each side of the match. */
const around = 60;

export const sessionsFind = operation({
  name: 'sessions find',
  summary: 'Find words in one session: in what was said, in commands, edits and outputs',
  input: z.object({
    id: idField,
    query: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .meta({ description: 'the words as they appear; case does not matter', rest: true }),
    subagents: z.boolean().default(false).describe('also what subagents said and did'),
    agent: agentField,
  }),
  output: z.object({
    session: z.string(),
    matches: z.array(Placed).describe('one for each entry, in the order of the transcript'),
    more: z.boolean().describe('true: there are more entries than these'),
  }),
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/find' },
  positional: ['id', 'query'],
  examples: ['holdfast sessions find 0f3c race condition', 'holdfast sessions find 0f3c "npm test" --json'],
  async run(context: Context<'entries' | 'sessions'>, { id, query, subagents, agent }) {
    const session = await sessionNamed(context, id, agent);
    const wanted = query.toLowerCase();
    const matches: z.infer<typeof Placed>[] = [];
    for await (const entries of entriesWith(context, session, subagents, wanted)) {
      const inText = entries.map(({ entry }) => snippetAt(entry.text, wanted));
      // Reading tool uses takes longer than the entries, so only where the text does not match.
      const uses = await usesOf(
        context.store,
        entries.flatMap(({ entry }, i) => (inText[i] === undefined ? [entry] : [])),
      );
      for (const [i, { entry, place }] of entries.entries()) {
        const found = inText[i] ?? snippetIn(uses.get(entry.id) ?? [], wanted);
        if (found === undefined) continue;
        if (matches.length === mostMatches) return { session: session.id, matches, more: true };
        matches.push({ id: entry.id, at: entry.at, place, text: found });
      }
    }
    return { session: session.id, matches, more: false };
  },
});

const snippetIn = (uses: readonly ToolUse[], wanted: string): string | undefined =>
  uses
    .flatMap(({ input, output = '' }) => [readable(input), output])
    .map((text) => snippetAt(text, wanted))
    .find((snippet) => snippet !== undefined);

/** Shows an escaped line break as a person would type it. */
const readable = (input: string): string => input.replace(/\\n/g, '\n').replace(/\\"/g, '"');

function snippetAt(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  const [from, to] = [Math.max(0, at - around), at + wanted.length + around];
  const [before, after] = [from > 0 ? '…' : '', to < text.length ? '…' : ''];
  return `${before}${inOneLine(text.slice(from, to).toWellFormed())}${after}`;
}

/** Tool uses fill much memory, so a caller asks for the rest. */
const mostEdits = 1000;

export const sessionsChanges = operation({
  name: 'sessions changes',
  summary: 'Show what a session changed, file by file, as patches',
  input: z.object({
    id: idField,
    file: z.string().min(1).optional().describe('only this file: a path, or the end of one'),
    from: z.int().min(0).default(0).describe('start at this edit, counted from 0, file by file'),
    limit: z.int().min(1).max(mostEdits).default(mostEdits).describe('at most this many edits, file by file'),
    agent: agentField,
  }),
  output: z.object({
    session: z.string(),
    folder: z.string().describe('folder of the project'),
    files: z.array(
      z.object({
        file: z.string(),
        edits: z.int().describe('how many edits of this file there are'),
        uses: z.array(ToolUse).describe('those of them that this answer holds'),
      }),
    ),
    left: z.int().describe('edits that follow these'),
  }),
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/changes' },
  positional: ['id'],
  examples: [
    'holdfast sessions changes 0f3c',
    'holdfast sessions changes 0f3c --file src/auth/jwt.ts',
    'holdfast sessions changes 0f3c --from 1000',
  ],
  async run(context: Context<'entries' | 'search' | 'sessions'>, { id, file: wanted, from, limit, agent }) {
    const session = await sessionNamed(context, id, agent);
    const edits = new Map<string, UseAt[]>();
    for (const use of await usesBy(context, session, modifies)) {
      const { file } = use;
      if (file === undefined) continue;
      if (wanted !== undefined && file !== wanted && !file.endsWith(`/${wanted}`)) continue;
      const known = edits.get(file);
      if (known === undefined) edits.set(file, [use]);
      else known.push(use);
    }
    const all = [...edits.values()].flat();
    const shown = new Map<string, ToolUse[]>([...edits.keys()].map((file) => [file, []]));
    for await (const uses of usesRead(context, all.slice(from, from + limit)))
      for (const use of uses) shown.get(use.files[0] ?? '')?.push(use);
    return {
      session: session.id,
      folder: session.projectPath,
      files: [...edits].map(([file, uses]) => ({ file, edits: uses.length, uses: shown.get(file) ?? [] })),
      left: Math.max(0, all.length - from - limit),
    };
  },
});

/** More commits than a person looks through. */
const mostCommits = 500;

export const sessionsCommits = operation({
  name: 'sessions commits',
  summary: 'List the commits that a session made, as its commands report them',
  input: z.object({ id: idField, agent: agentField }),
  output: z.object({
    session: z.string(),
    repository: z.string().optional().describe('web address of the repository, if known'),
    commits: z.array(
      z.object({
        hash: z.string(),
        branch: z.string(),
        subject: z.string(),
        at: Moment,
        entry: z.string().describe('the entry in which the command ran'),
      }),
    ),
  }),
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/commits' },
  positional: ['id'],
  examples: ['holdfast sessions commits 0f3c', 'holdfast sessions commits 0f3c --json'],
  async run(context: Context<'entries' | 'search' | 'sessions'>, { id, agent }) {
    const session = await sessionNamed(context, id, agent);
    const commits: { hash: string; branch: string; subject: string; at: string; entry: string }[] = [];
    for await (const uses of usesRead(context, await usesBy(context, session, shell, 'git')))
      for (const use of uses) {
        if (!/\bgit\b/.test(use.input)) continue;
        for (const commit of commitsIn(use.output ?? ''))
          if (commits.length < mostCommits) commits.push({ ...commit, at: use.at, entry: use.entry });
      }
    const repository = webAddressOf(session.repository);
    return { session: session.id, ...(repository === undefined ? {} : { repository }), commits };
  },
});

const pageSize = 1000;

/** The worker answers other requests here. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise(setImmediate);
  signal?.throwIfAborted();
}

/** The rows of a session's entries in pieces, with pauses for other work. */
async function* rowsOf({ store, signal }: Context<'entries'>, { agent, id }: Session, subagents: boolean) {
  const rows = await store.entries.order(agent, id, { subagents });
  for (let from = 0; from < rows.length; from += pageSize) {
    await pause(signal);
    yield { from, rows: rows.slice(from, from + pageSize) };
  }
}

/** The entries of a session that may contain the words, with their places. Most are ruled out without being read here. */
async function* entriesWith(context: Context<'entries'>, session: Session, subagents: boolean, wanted: string) {
  const { entries } = context.store;
  const part = necessaryPart(wanted);
  for await (const { from, rows } of rowsOf(context, session, subagents)) {
    const kept = part === undefined ? rows : await entries.containing(rows, part);
    const places = new Map(rows.map((row, i) => [row, from + i]));
    yield (await entries.at(kept)).map(({ row, entry }) => ({ entry, place: places.get(row) ?? from }));
  }
}

/**
 * The longest part of the words that every match contains as it is stored. The store compares without case only in ASCII,
 * and a tool's input has its quotes and line breaks escaped. Undefined if nothing is left.
 */
export function necessaryPart(wanted: string): string | undefined {
  const isCaseless = wanted.toLowerCase() === wanted.toUpperCase();
  return wanted
    .split(isCaseless ? /["\n]/ : /["\n]|\P{ASCII}/u)
    .filter((part) => part !== '')
    .toSorted((a, b) => b.length - a.length)[0];
}

/** The uses of these tools in a session that did not fail, subagents included, without their texts. */
async function usesBy(
  { store }: Context<'entries' | 'search'>,
  { agent, id, toolUses, forkOf }: Session,
  tools: RegExp,
  input?: string,
): Promise<readonly UseAt[]> {
  // The count leaves out the history that a fork copied.
  if (toolUses === 0 && forkOf === undefined) return [];
  const names = (await store.search.toolNames()).filter((name) => tools.test(name));
  return store.entries.usesIn(agent, id, { tools: names, input });
}

/** Tool uses fill much memory, and take a while to read. */
const usesAtOnce = 100;

async function* usesRead({ store, signal }: Context<'entries'>, found: readonly UseAt[]) {
  for (let from = 0; from < found.length; from += usesAtOnce) {
    if (from > 0) await pause(signal);
    yield await store.entries.toolUsesAt(found.slice(from, from + usesAtOnce).map(({ use }) => use));
  }
}

async function usesOf(store: Pick<Store, 'entries'>, entries: readonly Entry[]): Promise<Map<string, ToolUse[]>> {
  const uses = new Map<string, ToolUse[]>();
  const users = entries.filter(({ tools }) => tools.length > 0).map(({ id }) => id);
  for (const use of users.length === 0 ? [] : await store.entries.toolUses(users)) {
    const own = uses.get(use.entry);
    if (own === undefined) uses.set(use.entry, [use]);
    else own.push(use);
  }
  return uses;
}

export async function sessionNamed(
  { store }: Pick<Context<'entries' | 'sessions'>, 'store'>,
  id: string,
  agent: AgentName | undefined,
): Promise<Session> {
  const { session, entry } = await find(store, id.trim(), agent);
  if (entry === undefined) return session;
  throw new HoldfastError('BAD_INPUT', `${id} is an entry, not a session`, { hint: `Its session is ${session.id}.` });
}
