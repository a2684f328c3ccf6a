// Parts of one session beside its transcript: its prompts, where words occur in it, and what it changed.
import { z } from 'zod';
import { shell } from '../../agents/tools/shell-tools.ts';
import { commitsIn, webAddressOf } from '../../language/commits.ts';
import { modifies } from '../../language/files-touched.ts';
import { cut, gist, inOneLine } from '../../language/gist.ts';
import { AgentName } from '../../schema/agent-name.ts';
import type { Entry } from '../../schema/entry.ts';
import type { Session } from '../../schema/session.ts';
import { Moment } from '../../schema/time.ts';
import { ToolUse } from '../../schema/tool-use.ts';
import type { Store } from '../../store/store.ts';
import { HoldfastError } from '../../system/errors.ts';
import { type Context, operation } from '../operation.ts';
import { find } from './find.ts';

const idField = z.string().min(1).describe('id of a session; its beginning is enough');
const agentField = AgentName.optional().describe('the agent, if two agents use the same id');

const longestPrompt = 160;
const mostPrompts = 2000;
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
  input: z.object({ id: idField, agent: agentField }),
  output: z.object({ session: z.string(), prompts: z.array(Placed) }),
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/outline' },
  positional: ['id'],
  examples: ['holdfast sessions outline 0f3c', 'holdfast sessions outline 0f3c --json'],
  async run(context: Context<'entries' | 'sessions'>, { id, agent }) {
    const session = await sessionNamed(context, id, agent);
    const found = await context.store.entries.promptsOf(session.agent, session.id, {
      characters: longestRead,
      limit: mostPrompts,
    });
    const prompts = found.map(({ text, ...one }) => ({
      ...one,
      text: gist(text, longestPrompt) || cut(inOneLine(text), longestPrompt),
    }));
    return { session: session.id, prompts };
  },
});

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
      const uses = await usesOf(
        context.store,
        entries.map(({ entry }) => entry),
      );
      for (const { entry, place } of entries) {
        const own = uses.get(entry.id) ?? [];
        const found = [entry.text, ...own.flatMap(({ input, output = '' }) => [readable(input), output])]
          .map((text) => snippetAt(text, wanted))
          .find((snippet) => snippet !== undefined);
        if (found === undefined) continue;
        if (matches.length === mostMatches) return { session: session.id, matches, more: true };
        matches.push({ id: entry.id, at: entry.at, place, text: found });
      }
    }
    return { session: session.id, matches, more: false };
  },
});

/** Shows an escaped line break as a person would type it. */
const readable = (input: string): string => input.replace(/\\n/g, '\n').replace(/\\"/g, '"');

function snippetAt(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at < 0) return undefined;
  return inOneLine(text.slice(Math.max(0, at - around), at + wanted.length + around).toWellFormed());
}

/** More edits than a person looks through. */
const mostEdits = 1000;

export const sessionsChanges = operation({
  name: 'sessions changes',
  summary: 'Show what a session changed, file by file, as patches',
  input: z.object({
    id: idField,
    file: z.string().min(1).optional().describe('only this file: a path, or the end of one'),
    agent: agentField,
  }),
  output: z.object({
    session: z.string(),
    folder: z.string().describe('folder of the project'),
    files: z.array(z.object({ file: z.string(), uses: z.array(ToolUse) })),
    left: z.int().describe('edits that were left out'),
  }),
  surfaces: ['cli', 'http'],
  // Not below `/api/sessions/{id}`, where any word may be the id of a session.
  http: { path: '/api/changes' },
  positional: ['id'],
  examples: ['holdfast sessions changes 0f3c', 'holdfast sessions changes 0f3c --file src/auth/jwt.ts'],
  async run(context: Context<'entries' | 'sessions'>, { id, file: wanted, agent }) {
    const session = await sessionNamed(context, id, agent);
    const files = new Map<string, ToolUse[]>();
    let [count, left] = [0, 0];
    for await (const uses of usesBy(context, session, modifies)) {
      for (const use of uses) {
        const [file] = use.files;
        if (file === undefined || !modifies.test(use.tool) || use.outcome === 'error') continue;
        if (wanted !== undefined && file !== wanted && !file.endsWith(`/${wanted}`)) continue;
        if (count === mostEdits) left++;
        else {
          files.set(file, [...(files.get(file) ?? []), use]);
          count++;
        }
      }
    }
    return {
      session: session.id,
      folder: session.projectPath,
      files: [...files].map(([file, uses]) => ({ file, uses })),
      left,
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
  async run(context: Context<'entries' | 'sessions'>, { id, agent }) {
    const session = await sessionNamed(context, id, agent);
    const commits: { hash: string; branch: string; subject: string; at: string; entry: string }[] = [];
    for await (const uses of usesBy(context, session, shell, 'git')) {
      for (const use of uses) {
        if (!shell.test(use.tool) || use.outcome === 'error' || !/\bgit\b/.test(use.input)) continue;
        for (const commit of commitsIn(use.output ?? ''))
          if (commits.length < mostCommits) commits.push({ ...commit, at: use.at, entry: use.entry });
      }
    }
    const repository = webAddressOf(session.repository);
    return { session: session.id, ...(repository === undefined ? {} : { repository }), commits };
  },
});

const pageSize = 1000;

/** The rows of a session's entries in pieces, with pauses for other work. */
async function* rowsOf({ store, signal }: Context<'entries'>, { agent, id }: Session, subagents: boolean) {
  const rows = await store.entries.order(agent, id, { subagents });
  for (let from = 0; from < rows.length; from += pageSize) {
    // The worker answers other requests here.
    await new Promise(setImmediate);
    signal?.throwIfAborted();
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

/** The uses of these tools in a session, subagents included, and all uses of the same entries. Reads no other entries. */
async function* usesBy(
  context: Context<'entries'>,
  session: Session,
  tools: RegExp,
  input?: string,
): AsyncGenerator<ToolUse[]> {
  const { entries } = context.store;
  // The count leaves out the history that a fork copied.
  if (session.toolUses === 0 && session.forkOf === undefined) return;
  for await (const { rows } of rowsOf(context, session, true)) {
    const found = (await entries.usesAt(rows, input)).filter(({ tool }) => tools.test(tool));
    if (found.length === 0) continue;
    const users = new Set(found.map(({ row }) => row));
    const wanted = await entries.at(rows.filter((row) => users.has(row)));
    const uses = await usesOf(
      context.store,
      wanted.map(({ entry }) => entry).filter(({ abandoned }) => !abandoned),
    );
    yield [...uses.values()].flat();
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
