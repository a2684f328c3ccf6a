// A line of a transcript → the line for the vault: redacted, and still of use to the agent that wrote it.
import type { Agent, ReaderState } from '../agents/agent.ts';
import { notKept } from '../schema/not-kept.ts';
import { type Keeper, keeper, type Limits } from './keep.ts';
import { redact } from './redact.ts';

/** What the model's service has signed or sealed: it is sent back as it was, or not at all. */
const sealed = new Set(['signature', 'thinkingSignature', 'textSignature', 'encrypted_content', 'data']);

/** Texts that say how a line hangs together with the others, not what was said. */
const structure = new Set(
  (
    'type subtype role id uuid parentUuid parentId logicalParentUuid leafUuid sessionId session timestamp version userType ' +
    'tool_use_id toolCallId toolUseId name toolName customType model provider api stop_reason stopReason requestId agentId'
  ).split(' '),
);

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const deepest = 200;

/** Goes through the lines of one file, in order, from a state that it changes. Undefined: the line is left out. */
export function vaultLines(
  agent: Agent,
  key: string,
  state: ReaderState,
  limits: Limits,
  deps: {
    readonly projectOf: (folder: string) => string;
    readonly sessionState: (session: string) => ReaderState | undefined;
  },
): (line: string) => string | undefined {
  const { session: named, subagent } = agent.describe(key);
  const keep = keeper(limits, state, { ...deps, subagent: subagent !== undefined });
  return (line) => {
    const value = parse(line);
    if (value === undefined) return undefined;
    const kept = isKept(agent.read(value, { key, state }), named, keep, state);
    if (state['@ignored'] === true) return undefined;
    return JSON.stringify(kept ? clean(value, 0) : emptied(value, 0));
  };
}

function isKept({ at, items }: ReturnType<Agent['read']>, named: string, keep: Keeper, state: ReaderState): boolean {
  if (at !== undefined) state['@line'] = at;
  const lineAt = state['@line'] as number | undefined;
  let kept = true;
  for (const item of items) {
    if (item.kind === 'header') {
      if (item.session !== undefined) state['@session'] = item.session;
      if (item.cwd !== undefined) state['@cwd'] = item.cwd;
    } else if (item.kind === 'entry') {
      const session = item.session ?? (state['@session'] as string | undefined) ?? named;
      state['@session'] = session;
      const cwd = item.cwd ?? (state['@cwd'] as string | undefined);
      kept = keep.entry(item, session, cwd, item.at ?? lineAt ?? 0) && kept;
    }
  }
  return kept && keep.other((state['@session'] as string | undefined) ?? named, lineAt);
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // no agent can resume from a broken line
  }
}

/** Every text redacted; a signed block that would change goes whole. */
function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null || depth === deepest) return value;
  if (Array.isArray(value))
    return value.flatMap((item) => (isSealed(item) ? unchanged(item) : [clean(item, depth + 1)]));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isBinary(value as Fields, key) ? item : clean(item, depth + 1)]),
  );
}

const isSealed = (item: unknown): item is Fields =>
  isObject(item) &&
  Object.entries(item).some(([key, inside]) => sealed.has(key) && typeof inside === 'string' && inside !== '');

function unchanged(block: Fields): Fields[] {
  const said = Object.entries(block).filter(([key]) => !sealed.has(key));
  return said.every(([, inside]) => JSON.stringify(clean(inside, 0)) === JSON.stringify(inside)) ? [block] : [];
}

/** The bytes of a picture hold no secret that a rule could find, and must stay whole. */
const isBinary = (holder: Fields, key: string): boolean => key === 'data' && typeof holder.media_type === 'string';

/** Nothing of what was said; only that a line was here, and between which others. */
function emptied(value: unknown, depth: number, key = ''): unknown {
  if (typeof value === 'string') return structure.has(key) ? value : notKept;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isSealed(item)).map((item) => emptied(item, depth + 1, key));
    return items.length > 0 || value.length === 0 ? items : [{ type: 'text', text: notKept }];
  }
  const fields = Object.entries(value).flatMap(([name, inside]): [string, unknown][] => {
    if (name === 'input' || name === 'arguments') return [[name, {}]];
    if (typeof inside === 'string' && !structure.has(name) && name !== 'text' && name !== 'content') return [];
    if (depth === 0 && isObject(inside) && name !== 'message') return [];
    return [[name, emptied(inside, depth + 1, name)]];
  });
  return Object.fromEntries(fields);
}
