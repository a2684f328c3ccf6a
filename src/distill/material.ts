// ③ Store → material for a distiller: a turn, a session's turns, or a conversation's turns. All of it is bounded.
import type { AgentName } from '../schema/agent-name.ts';
import type { Entry } from '../schema/entry.ts';
import type { TitleSource } from '../schema/session-fact.ts';
import type { Moment } from '../schema/time.ts';
import type { ToolUse } from '../schema/tool-use.ts';
import type { StoredTurn } from '../store/entries/port.ts';
import type { Store } from '../store/store.ts';

export interface SessionContext {
  readonly agent: AgentName;
  readonly session: string;
  readonly project: string;
  readonly projectPath: string;
  readonly cwd: string;
}

/** A person's prompt and everything until the next prompt, without subagents, abandoned branches and copies. */
export interface Turn extends SessionContext {
  /** The number of the prompt in its session, from 1; 0 for entries before the first prompt. */
  readonly prompt: number;
  /** Absent if the conversation or session begins in the middle of a turn. */
  readonly request?: Entry;
  /** The beginnings of the previous prompts, the latest first. */
  readonly before: readonly string[];
  readonly entries: readonly Entry[];
  readonly toolUses: readonly ToolUse[];
  readonly startedAt: Moment;
  readonly endedAt: Moment;
}

export interface SessionMaterial extends SessionContext {
  readonly title: string;
  /** Where the title comes from; absent if it is just the first prompt. */
  readonly titleSource?: TitleSource | undefined;
  /** The latest first. */
  readonly branches?: readonly string[];
  /** Pull requests and the like. */
  readonly links?: readonly string[];
  readonly startedAt: Moment;
  readonly endedAt: Moment;
  readonly prompts: number;
  readonly turns: readonly Turn[];
}

export interface ConversationMaterial extends Omit<SessionMaterial, 'title' | 'titleSource' | 'prompts'> {
  readonly id: number;
}

export interface TurnKey {
  readonly agent: AgentName;
  readonly session: string;
  readonly prompt: number;
}

export async function readTurn(store: Pick<Store, 'entries'>, key: TurnKey): Promise<Turn | undefined> {
  const found = await store.entries.turns(key.agent, key.session, key.prompt);
  const [turn] = found?.turns ?? [];
  return found === undefined || turn === undefined
    ? undefined
    : toTurn({ agent: key.agent, session: key.session, ...placeOf(found) }, turn);
}

export async function readSession(
  store: Pick<Store, 'entries'>,
  key: Omit<TurnKey, 'prompt'>,
): Promise<SessionMaterial | undefined> {
  const found = await store.entries.turns(key.agent, key.session);
  if (found === undefined) return undefined;
  const place: SessionContext = { agent: key.agent, session: key.session, ...placeOf(found) };
  const turns = found.turns.map((turn) => toTurn(place, turn));
  const span = spanOf(turns);
  if (span === undefined) return undefined;
  const { title, titleSource, branches, links, prompts } = found;
  return { ...place, title, titleSource, branches, links, prompts, ...span, turns };
}

/** Undefined if it contains nothing to distil, as in a subagent's conversation. */
export async function readConversation(
  store: Pick<Store, 'conversations' | 'entries' | 'sessions'>,
  id: number,
): Promise<ConversationMaterial | undefined> {
  const entries = (await store.conversations.entries(id)).filter(
    (entry) => !entry.abandoned && entry.subagent === undefined,
  );
  const [first] = entries;
  if (first === undefined) return undefined;
  const session = (await store.sessions.find(first.session)).find(
    (one) => one.id === first.session && one.agent === first.agent,
  );
  const place: SessionContext = {
    agent: first.agent,
    session: first.session,
    ...placeOf(session ?? { project: '', projectPath: '', cwd: '' }),
  };
  const uses = new Map<string, ToolUse[]>();
  for (const use of await store.entries.toolUses(
    entries.filter(({ tools }) => tools.length > 0).map((entry) => entry.id),
  ))
    uses.set(use.entry, [...(uses.get(use.entry) ?? []), use]);
  const turns = cutIntoTurns(entries).map((part, i, all) =>
    toTurn(place, {
      prompt: i + (all[0]?.[0]?.author === 'person' ? 1 : 0),
      before: all
        .slice(Math.max(0, i - 3), i)
        .reverse()
        .flatMap(([prompt]) => (prompt?.author === 'person' ? [prompt.text.slice(0, 1000)] : [])),
      entries: part,
      toolUses: part.flatMap((entry) => uses.get(entry.id) ?? []),
    }),
  );
  const span = spanOf(turns);
  const said = {
    branches: session?.branches ?? (session?.branch === undefined ? [] : [session.branch]),
    links: session?.links ?? [],
  };
  return span === undefined ? undefined : { id, ...place, ...said, ...span, turns };
}

function cutIntoTurns(entries: readonly Entry[]): Entry[][] {
  const turns: Entry[][] = [];
  for (const entry of entries) {
    const last = turns.at(-1);
    if (last === undefined || entry.author === 'person') turns.push([entry]);
    else last.push(entry);
  }
  return turns;
}

/** A session's project has a label that other projects may change. Pages belong to the folder's own name. */
const placeOf = ({ project, projectPath, cwd }: Pick<SessionContext, 'project' | 'projectPath' | 'cwd'>) => ({
  ...{ project: projectPath.split('/').at(-1) || project, projectPath, cwd },
});

function toTurn(place: SessionContext, { prompt, before, entries, toolUses }: StoredTurn): Turn {
  const [first] = entries;
  // A tool use has the time of its entry, so the entries alone determine when the turn began and ended.
  const times = entries.map(({ at }) => at).sort();
  return {
    ...place,
    prompt,
    ...(first?.author === 'person' ? { request: first } : {}),
    before,
    entries,
    toolUses,
    startedAt: times[0] as Moment,
    endedAt: times.at(-1) as Moment,
  };
}

const spanOf = (turns: readonly Turn[]): { startedAt: Moment; endedAt: Moment } | undefined =>
  turns.length === 0
    ? undefined
    : {
        startedAt: turns.map(({ startedAt }) => startedAt).sort()[0] as Moment,
        endedAt: turns
          .map(({ endedAt }) => endedAt)
          .sort()
          .at(-1) as Moment,
      };
