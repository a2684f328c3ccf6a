// Prompts that a person typed while the agent worked. The client writes a `queue-operation` line when one is queued
// (`enqueue`), and another when it leaves the queue: `dequeue` (a user line follows), `remove` (given to the running
// turn; newer clients add a `queued_command` attachment with the text, older ones nothing), `popAll` (the person took
// it back to edit it).
//
// So a queued prompt is an entry from its first line on, with an id made from that line. When the same text comes
// again, as a user line or as an attachment, that line becomes the entry: it has its own id, which forks copy. The
// queue's entry is then withdrawn.
import { createHash } from 'node:crypto';
import type { AgentState, ParsedEntry, ParsedItem } from '../agent.ts';
import { derivedId } from '../derived-id.ts';
import { asObject, asString, asTime } from '../json.ts';
import { asTyped, machineMade, typedBlocks } from './prompt.ts';

/** One queued prompt in the reader's state: no text, and too little of its hash to guess the text. */
interface Queued {
  readonly uuid: string;
  readonly length: number;
  readonly hash: string;
  /** When the running turn received it; 0 while it waits. */
  readonly given: number;
  readonly isCommand: boolean;
  /** When it was queued. */
  readonly since: number;
}

const stateKey = 'queue';
const longestQueue = 64;
/** A client that writes a `remove` and then a user line writes both at once. Later, the same words are a new prompt. */
const sameMoment = 10_000;

export function readQueueLine(line: Record<string, unknown>, state: AgentState): ParsedItem[] {
  const queue = queueOf(state);
  if (line.operation === 'enqueue') {
    const said = typedBlocks(line.content);
    const text = asTyped(said.own.join('\n'));
    if (text === '' || isMachines(text)) return [];
    const { length, hash } = markOf(text);
    const uuid = derivedId('claude-code', 'queued', asString(line.timestamp) ?? String(line.sessionId), hash);
    // A line that occurs twice counts once.
    if (queue.some((one) => one.uuid === uuid)) return [];
    keep(state, [
      ...queue,
      { uuid, length, hash, given: 0, isCommand: text.startsWith('/'), since: asTime(line.timestamp) ?? 0 },
    ]);
    return [queuedEntry(line, uuid, text, 'waiting')];
  }
  if (line.operation === 'remove') {
    // Commands wait for the end of the turn, so a prompt leaves before them.
    const waiting = queue.filter(({ given }) => given === 0);
    const next = waiting.find(({ isCommand }) => !isCommand) ?? waiting[0];
    if (next === undefined) return [];
    const given = { ...next, given: asTime(line.timestamp) ?? 1 };
    keep(state, [...queue.filter((one) => one !== next), given]);
    return [{ kind: 'moved', uuid: next.uuid }];
  }
  if (line.operation === 'popAll') {
    const text = asTyped(typedBlocks(line.content).own.join('\n'));
    const waiting = queue.filter(({ given }) => given === 0);
    const named = text === '' ? undefined : waiting.find((one) => isSame(one, text));
    const back = text === '' ? waiting : named === undefined ? [] : [named];
    keep(
      state,
      queue.filter((one) => !back.includes(one)),
    );
    return back.map(({ uuid }) => ({ kind: 'withdrawn', uuid }));
  }
  return [];
}

/** A `queued_command` attachment: the text that the running turn received. */
export function readQueuedCommand(line: Record<string, unknown>, state: AgentState): ParsedItem[] {
  const { prompt, commandMode, origin } = asObject(line.attachment);
  const uuid = asString(line.uuid);
  const text = asTyped(typedBlocks(prompt).own.join('\n'));
  const source = asString(asObject(origin).kind);
  const machine =
    (commandMode !== undefined && commandMode !== 'prompt') || (source !== undefined && source !== 'human');
  if (uuid === undefined || text === '' || machine || isMachines(text) || line.isMeta === true) return [];
  const queue = queueOf(state);
  const found = queue.find((one) => one.given > 0 && isSame(one, text)) ?? queue.find((one) => isSame(one, text));
  if (found !== undefined)
    keep(
      state,
      queue.filter((one) => one !== found),
    );
  return [...withdrawn(found === undefined ? [] : [found]), queuedEntry(line, uuid, text, 'given')];
}

/**
 * A person's user line: finds the queued prompts that it is, or joins. After any other line, what is still queued was
 * left there and is done with.
 */
export function leaveQueue(text: string, at: number | undefined, state: AgentState): ParsedItem[] {
  const queue = queueOf(state);
  if (queue.length === 0) return [];
  const found: Queued[] = [];
  const matches = (one: Queued, rest: string) =>
    !found.includes(one) && (one.given === 0 || Math.abs((at ?? 0) - one.given) <= sameMoment) && begins(one, rest);
  // Some clients send everything that waits as one prompt, line after line.
  for (let rest: string | undefined = withoutBang(text); rest !== undefined; ) {
    const from: string = rest;
    const next = queue.find((one) => matches(one, from));
    if (next === undefined) break;
    found.push(next);
    rest = from.length > next.length ? from.slice(next.length + 1) : undefined;
  }
  const whole = found.reduce((sum, one) => sum + one.length + 1, -1) === withoutBang(text).length;
  // A fork begins with its queue and copies its history after it: lines from before a prompt was queued do not concern
  // it.
  const later = queue.filter(({ since }) => at !== undefined && at < since);
  keep(state, whole ? queue.filter((one) => !found.includes(one)) : later);
  return whole ? withdrawn(found) : [];
}

const queuedEntry = (
  line: Record<string, unknown>,
  uuid: string,
  text: string,
  queued: 'waiting' | 'given',
): ParsedEntry => ({
  kind: 'entry',
  uuid,
  session: asString(line.sessionId),
  role: 'user',
  author: 'person',
  at: asTime(line.timestamp),
  cwd: asString(line.cwd),
  branch: line.gitBranch === 'HEAD' ? undefined : asString(line.gitBranch),
  text,
  form: text.startsWith('/') && queued === 'waiting' ? 'command' : undefined,
  toolUses: [],
  queued,
});

const withdrawn = (queue: readonly Queued[]): ParsedItem[] => queue.map(({ uuid }) => ({ kind: 'withdrawn', uuid }));

/** Notes on background tasks are queued like prompts. */
const isMachines = (text: string): boolean => machineMade.test(text) || text.startsWith('{"task_id"');

/** A shell line is queued without the mark that it is shown with. */
const withoutBang = (text: string): string => text.replace(/^! /, '').trim();

function markOf(text: string): { length: number; hash: string } {
  const typed = withoutBang(text);
  return { length: typed.length, hash: createHash('sha256').update(typed).digest('hex').slice(0, 8) };
}

function isSame(one: Queued, text: string): boolean {
  const { length, hash } = markOf(text);
  return one.length === length && one.hash === hash;
}

const begins = (one: Queued, text: string): boolean =>
  (text.length === one.length || text[one.length] === '\n') && isSame(one, text.slice(0, one.length));

function queueOf(state: AgentState): Queued[] {
  const held = state[stateKey];
  if (typeof held !== 'string') return [];
  return held.split('\n').map((row) => {
    const [uuid = '', length = '', hash = '', given = '', command = '', since = ''] = row.split(' ');
    return {
      ...{ uuid, hash, length: Number(length), given: Number(given) },
      isCommand: command === '/',
      since: Number(since),
    };
  });
}

function keep(state: AgentState, queue: readonly Queued[]): void {
  if (queue.length === 0) delete state[stateKey];
  else
    state[stateKey] = queue
      .slice(-longestQueue)
      .map(
        ({ uuid, length, hash, given, isCommand, since }) =>
          `${uuid} ${length} ${hash} ${given} ${isCommand ? '/' : '-'} ${since}`,
      )
      .join('\n');
}
