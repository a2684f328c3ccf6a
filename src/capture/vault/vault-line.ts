// A line of a transcript → the line for the vault: redacted, and still usable by the agent that wrote it.
import type { Agent, ParsedItem } from '../../agents/agent.ts';
import { notKept } from '../../schema/not-kept.ts';
import { emptyState, type ReaderState } from '../../schema/reader-state.ts';
import { type Tombstones, tombstone } from '../../store/removal/tombstone.ts';
import { startIn } from '../folder-beside.ts';
import { type Keeper, keeper, type Limits, noLimits } from '../keep.ts';
import {
  fieldName,
  optionBefore,
  redact,
  redactField,
  withoutKubernetesSecret,
  withoutPrivatePassages,
} from '../redaction/redact.ts';
import { openWalk, type Walk } from '../walk.ts';

/** Fields that the model's service has signed or encrypted: they must be sent back unchanged, or not at all. */
const sealed = new Set(['signature', 'thinkingSignature', 'textSignature', 'encrypted_content', 'data']);

/** Fields that say how a line relates to other lines, not what was said. */
const structure = new Set(
  (
    'type subtype role id uuid parentUuid parentId logicalParentUuid leafUuid sessionId session timestamp version userType ' +
    'tool_use_id toolCallId toolUseId name toolName customType model provider api stop_reason stopReason requestId agentId ' +
    'call_id callId turn_id turnId thread_id namespace parentSession forked_from_id parent_thread_id'
  ).split(' '),
);

/** Fields in which agents put a line's content, below the structural fields. */
const envelopes = new Set(['message', 'payload', 'data']);

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const deepest = 200;

/** Processes the lines of one file, in order, and updates the state. Undefined: the line is left out. */
export function vaultLines(
  agent: Agent,
  key: string,
  state: ReaderState,
  limits: Limits,
  deps: {
    readonly projectOf: (folder: string) => string;
    readonly sessionState: (session: string) => ReaderState | undefined;
    readonly forgotten?: Tombstones | undefined;
    readonly fileTimes?: (() => readonly number[]) | undefined;
    /** The session's folder, if a file beside the transcript names it. */
    readonly folder?: string | undefined;
  },
): (line: string) => string | undefined {
  const { subagent } = agent.describe(key);
  const walk = openWalk(agent, key, state);
  startIn(deps.folder, walk);
  const keep = keeper(limits, state.capture, { ...deps, subagent: subagent !== undefined });
  const forgets = forgetter(agent, key, deps.forgotten ?? new Set());
  return (line) => {
    const value = parse(line);
    if (value === undefined) return undefined;
    const { items } = walk.read(value);
    const kept = isKept(items, walk, keep) && !keep.hidesTask(line) && !keep.namesHiddenUse(line);
    if (state.capture.ignored === true) return undefined;
    const fate = forgets(value, items, walk.session());
    if (fate === 'out') return undefined;
    const isRetold = items.length === 0 && state.capture.privateTurns !== undefined && agent.retells?.(value) === true;
    if (!kept || isRetold || fate === 'emptied') return JSON.stringify(emptied(value, 0));
    return JSON.stringify(clean(fate === 'stays' ? value : withoutUses(value, fate), 0));
  };
}

/** Redacts the lines of a copy that was made under older rules. */
export function redactLines(
  agent: Agent,
  key: string,
  sessionState: ReaderState | undefined,
): (line: string) => string | undefined {
  return vaultLines(agent, key, emptyState(), noLimits, {
    projectOf: (folder) => folder,
    sessionState: () => sessionState,
  });
}

/** Removes forgotten entries from the lines of a copy. */
export function forgetLines(agent: Agent, key: string, forgotten: Tombstones): (line: string) => string | undefined {
  const walk = openWalk(agent, key, emptyState());
  const forgets = forgetter(agent, key, forgotten);
  return (line) => {
    const value = parse(line);
    if (value === undefined) return undefined;
    const { items } = walk.read(value);
    for (const item of items) if (item.kind === 'header' || item.kind === 'entry') walk.enter(item);
    const fate = forgets(value, items, walk.session());
    if (fate === 'out') return undefined;
    if (fate === 'stays') return line;
    return JSON.stringify(fate === 'emptied' ? emptied(value, 0) : withoutUses(value, fate));
  };
}

/**
 * What happens to a line. Lines that other lines continue from are emptied, so that the chain stays whole. Lines outside the chain that repeat
 * other lines' words (a queued prompt, the last prompt, a title) are removed from every transcript with something forgotten. A set holds the
 * ids of tool uses that go while the rest of the line stays.
 */
function forgetter(agent: Agent, key: string, forgotten: Tombstones) {
  const affected = forgotten.has(tombstone.file(agent.name, key));
  return (
    value: Fields,
    items: readonly ParsedItem[],
    session: string,
  ): 'stays' | 'emptied' | 'out' | ReadonlySet<string> => {
    if (!affected) return 'stays';
    const gone = items.some((item) => {
      if (item.kind === 'tool-result') return forgotten.has(tombstone.use(agent.name, key, item.id));
      if (item.kind === 'title') return forgotten.has(tombstone.title(agent.name, session, item.title));
      if (item.kind !== 'entry') return false;
      const of = item.session ?? session;
      return forgotten.has(tombstone.entry(agent.name, item.uuid)) || forgotten.has(tombstone.session(agent.name, of));
    });
    const said = items.some(
      (item) => (item.kind === 'entry' && item.queued !== 'waiting') || item.kind === 'tool-result',
    );
    const isLink = typeof value.uuid === 'string' || typeof value.parentId === 'string' || typeof value.id === 'string';
    if (said && gone) return 'emptied';
    const used = items.flatMap((item) => (item.kind === 'entry' ? item.toolUses.map(({ id }) => id) : []));
    const goneUses = used.filter((id) => forgotten.has(tombstone.use(agent.name, key, id)));
    if (goneUses.length > 0) return new Set(goneUses);
    if (said || items.some(({ kind }) => kind === 'header')) return 'stays';
    if (items.some(({ kind }) => kind === 'title') && !gone) return 'stays';
    return isLink ? 'emptied' : 'out';
  };
}

const useNames = ['id', 'call_id', 'callId', 'toolCallId', 'tool_call_id', 'toolUseId', 'tool_use_id'];

/** Empties the parts of a line that hold these tool uses. A line in which one of them is not found is emptied whole. */
function withoutUses(value: Fields, uses: ReadonlySet<string>): unknown {
  const found = new Set<string>();
  const look = (inside: unknown, depth: number): unknown => {
    if (typeof inside !== 'object' || inside === null) return inside;
    if (depth === deepest) return notKept;
    if (Array.isArray(inside)) return inside.map((item) => look(item, depth + 1));
    const fields = inside as Fields;
    const use = depth > 0 && useNames.map((name) => fields[name]).find((id) => uses.has(id as string));
    if (typeof use === 'string') {
      found.add(use);
      return emptied(fields, depth);
    }
    return Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, look(item, depth + 1)]));
  };
  const left = look(value, 0);
  return found.size === uses.size ? left : emptied(value, 0);
}

function isKept(items: readonly ParsedItem[], walk: Walk, keep: Keeper): boolean {
  const { capture } = walk.state;
  const lineAt = walk.lineAt();
  let kept = true;
  for (const item of items) {
    if (item.kind === 'header') walk.enter(item);
    else if (item.kind === 'entry') {
      const folder = walk.folderOf(item);
      walk.enter(item);
      kept = keep.entry(item, walk.session(), folder, item.at ?? lineAt ?? 0) && kept;
    } else if (item.kind === 'title') {
      kept = keep.title(item, walk.session(), lineAt, capture.title) && kept;
      if (kept) capture.title = redact(item.title).trim();
    }
  }
  return kept && keep.other(walk.session(), lineAt);
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // no agent can resume from a broken line
  }
}

/** Redacts every text, including keys; a signed block that would change is dropped whole. `holder` is the name of the field around it. */
function clean(value: unknown, depth: number, holder = ''): unknown {
  if (typeof value === 'string') return redactField(holder, value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return notKept;
  if (Array.isArray(value))
    return withoutPassagesOverBlocks(value).flatMap((item, i, all) =>
      isSealed(item) ? unchanged(item) : [clean(item, depth + 1, optionBefore(all, i) ?? holder)],
    );
  const fields = withoutKubernetesSecret(value as Fields);
  return Object.fromEntries(
    Object.entries(fields).map(([key, item]) => {
      if (isBinary(fields, key)) return [key, item];
      return [redact(key), clean(item, depth + 1, structure.has(key) ? '' : fieldName(fields, key, holder))];
    }),
  );
}

/** A private passage may begin in one block of a message and end in another. */
function withoutPassagesOverBlocks(blocks: readonly unknown[]): readonly unknown[] {
  const textAt = (block: unknown): string => (isObject(block) && typeof block.text === 'string' ? block.text : '');
  if (!blocks.some((block) => /private/i.test(textAt(block)))) return blocks;
  const left = withoutPrivatePassages(blocks.map(textAt));
  return blocks.map((block, i) => (isObject(block) && textAt(block) !== left[i] ? { ...block, text: left[i] } : block));
}

const isSealed = (item: unknown): item is Fields =>
  isObject(item) &&
  Object.entries(item).some(([key, inside]) => sealed.has(key) && typeof inside === 'string' && inside !== '');

function unchanged(block: Fields): Fields[] {
  return JSON.stringify(clean(block, 1)) === JSON.stringify(block) ? [block] : [];
}

/** A picture's bytes contain no secret that a rule could find, and must stay whole. A text document may contain one. */
const isBinary = (holder: Fields, key: string): boolean =>
  key === 'data' && typeof holder.media_type === 'string' && !/^text\/|json|xml|yaml/i.test(holder.media_type);

/** Removes everything that was said and keeps only the line's place among the others. */
function emptied(value: unknown, depth: number, key = ''): unknown {
  if (typeof value === 'string') return structure.has(key) ? redact(value) : notKept;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isSealed(item)).map((item) => emptied(item, depth + 1, key));
    return items.length > 0 || value.length === 0 ? items : [{ type: 'text', text: notKept }];
  }
  const fields = Object.entries(value).flatMap(([name, inside]): [string, unknown][] => {
    if (name === 'input' || name === 'arguments') return [[name, {}]];
    if (typeof inside === 'string' && !structure.has(name) && name !== 'text' && name !== 'content') return [];
    if (depth === 0 && isObject(inside) && !envelopes.has(name)) return [];
    return [[redact(name), emptied(inside, depth + 1, name)]];
  });
  return Object.fromEntries(fields);
}
