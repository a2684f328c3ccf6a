// What the first line of a rollout says about the thread.
import type { AgentState, ParsedItem } from '../agent.ts';
import { asObject, asString } from '../json.ts';
import { enterCopy, namesTurns } from './ids.ts';
import { tellsCalls } from './scripts.ts';

type Json = Record<string, unknown>;

/** The last version known to report prompts in events. Newer ones may change that. */
const lastWithEvents = 166;

/** The first one is the file's own; a fork of an old file copies those of its origin after it. */
export function readMeta(meta: Json, at: number | undefined, state: AgentState): readonly ParsedItem[] {
  const id = asString(meta.id);
  if (id === undefined) return [];
  if (state.own === true) {
    if (id === state.thread) return [];
    enterCopy(state, id, asString(meta.cli_version), at);
    // Later ids depend on this line too.
    if (state.forked === true) return [{ kind: 'header' }];
    state.forked = true;
    return [{ kind: 'header', forkOf: id }];
  }
  state.own = true;
  state.thread = id;
  const version = asString(meta.cli_version);
  if (namesTurns(version)) state.turns = true;
  if (meta.history_mode === 'paginated' && tellsCalls(version)) state.tellsCalls = true;
  const minor = Number(/^0\.(\d+)/.exec(version ?? '')?.[1] ?? 0);
  if (minor > 0 && minor <= lastWithEvents) state.surelyEvents = true;
  else if (minor > 0 || /^[1-9]/.test(version ?? '')) state.newer = true;
  const { parent, subagent, internal } = originOf(meta);
  if (internal) state.internal = true;
  if (subagent !== undefined) state.subagent = true;
  const forkOf = asString(meta.forked_from_id);
  if (forkOf !== undefined) state.forked = true;
  const git = asObject(meta.git);
  return [
    {
      kind: 'header',
      session: id,
      cwd: asString(meta.cwd),
      parent,
      subagent,
      forkOf,
      branch: asString(git.branch),
      repository: asString(git.repository_url),
    },
  ];
}

/** Who started the thread: a person, another thread, or Codex for its own purposes (its memory, its guardian). */
function originOf(meta: Json): { parent?: string | undefined; subagent?: string | undefined; internal: boolean } {
  const source = asObject(meta.source);
  const internal = source.internal !== undefined || meta.thread_source === 'memory_consolidation';
  if (source.subagent === undefined && meta.thread_source !== 'subagent') return { internal };
  const { thread_spawn, other } = asObject(source.subagent);
  const spawn = asObject(thread_spawn);
  const role =
    asString(source.subagent) ?? asString(spawn.agent_role) ?? asString(spawn.agent_nickname) ?? asString(other);
  const parent = asString(meta.parent_thread_id) ?? asString(spawn.parent_thread_id);
  return { parent, subagent: role ?? 'subagent', internal: internal || role === 'memory_consolidation' };
}
