// Continues a session in another agent by writing its messages in that agent's format. Everything comes from the store,
// so it is redacted and holds no instructions of a client.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import type { CarriedSession, CarryTurn } from '../../agents/carry.ts';
import { agents } from '../../agents/index.ts';
import { carriedFolder, noteCarried } from '../../capture/carried.ts';
import { sourceTools } from '../../capture/pull/source-tools.ts';
import type { AgentName } from '../../schema/agent-name.ts';
import { type Entry, saidOrUsed } from '../../schema/entry.ts';
import type { Session } from '../../schema/session.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import { isAlive } from '../../system/alive.ts';
import { explain, HoldfastError } from '../../system/errors.ts';
import type { Context } from '../operation.ts';

/** About a quarter of a model's context window; the agent can ask for older turns. */
const mostCharacters = 200_000;
const longestUse = 1500;

export const carriers = (agents as readonly Agent[]).filter((agent) => agent.carry !== undefined);

export async function carrySession(
  context: Pick<Context<'entries'>, 'store' | 'config' | 'clock'>,
  session: Session,
  into: AgentName,
): Promise<CarriedSession> {
  const { store, config, clock } = context;
  const agent = carriers.find(({ name }) => name === into);
  if (agent?.carry === undefined)
    throw new HoldfastError(
      'BAD_INPUT',
      `${agents.find(({ name }) => name === into)?.title ?? into} cannot take over sessions of other agents`,
      {
        hint: `These do: ${carriers.map(({ name }) => name).join(', ')}.`,
      },
    );
  const entries = await store.entries.transcript(session.agent, session.id);
  const uses = await store.entries.toolUses(entries.map(({ id }) => id));
  const from = agents.find(({ name }) => name === session.agent)?.title ?? session.agent;
  const turns = turnsOf(entries, uses, `${from} session ${session.id}`);
  if (turns.length === 0)
    throw new HoldfastError('NOT_FOUND', `Session ${session.id} has no messages to continue from`, {
      hint: `Look at it with: holdfast show ${session.id}`,
    });
  const folder = carriedFolder(config.home);
  const tools = sourceTools(config.home, path.join(config.home, `rereading-${process.pid}`, 'carry'));
  try {
    const now = clock();
    const carried = agent.carry(turns, {
      ...{ cwd: session.cwd, title: session.title, now, branch: session.branch },
      ...{ root: config.watchPath(agent), folder, newId: randomUUID, tools, settingsFile: config.agentMcpFile(agent) },
    });
    const uuids = Object.entries(carried.files).flatMap(([file, text]) => uuidsIn(agent, file, text));
    noteCarried(config.home, {
      agent: into,
      session: carried.session,
      from: { agent: session.agent, session: session.id },
      at: now,
      uuids,
    });
    for (const [file, text] of Object.entries(carried.files)) writeNew(file, text);
    return carried;
  } finally {
    tools.close();
  }
}

/** The ids that the agent's own reader will give the entries. */
function uuidsIn(agent: Agent, file: string, text: string): string[] {
  if (!file.endsWith('.jsonl')) return [];
  const [state, key] = [{}, path.basename(file)];
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => agent.read(JSON.parse(line), { key, state }).items)
    .flatMap((item) => (item.kind === 'entry' ? [item.uuid] : []));
}

/** Writes the whole file or nothing, and never overwrites an existing file. */
function writeNew(file: string, text: string): void {
  const draft = `${file}.${process.pid}.draft`;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    sweepDrafts(path.dirname(file));
    fs.writeFileSync(draft, text, { mode: 0o600, flush: true });
    fs.linkSync(draft, file);
  } catch (error) {
    throw explain(error, file);
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** Removes half-written sessions of killed processes. */
function sweepDrafts(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    const pid = Number(/\.(\d+)\.draft$/.exec(name)?.[1]);
    if (pid > 0 && pid !== process.pid && !isAlive(pid)) fs.rmSync(path.join(folder, name), { force: true });
  }
}

/** The messages as alternating turns. If there is too much, keeps the newest. */
export function turnsOf(entries: readonly Entry[], uses: readonly ToolUse[], origin: string): CarryTurn[] {
  const byEntry = new Map<string, ToolUse[]>();
  for (const use of uses) byEntry.set(use.entry, [...(byEntry.get(use.entry) ?? []), use]);
  const said = entries
    .filter(
      ({ role, author, form, abandoned }) =>
        !abandoned && form !== 'compaction' && (role === 'assistant' || author === 'person'),
    )
    .map((entry) => ({ role: entry.role, at: Date.parse(entry.at), text: textOf(entry, byEntry.get(entry.id) ?? []) }))
    .filter(({ text }) => text !== '');
  const turns: CarryTurn[] = [];
  for (const turn of said) {
    const last = turns.at(-1);
    if (last?.role === turn.role) turns[turns.length - 1] = { ...last, text: `${last.text}\n\n${turn.text}` };
    else turns.push(turn);
  }
  const kept = newest(turns);
  const leftOut = lengthOf(kept) < lengthOf(turns) ? ' Earlier turns were left out.' : '';
  const first = kept.findIndex(({ role }) => role === 'assistant');
  const noted = kept.map((turn, i) =>
    i === first
      ? {
          ...turn,
          text: `[Holdfast: continued from ${origin}; tool uses appear here as text.${leftOut}]\n\n${turn.text}`,
        }
      : turn,
  );
  // An agent's session begins with a person's turn. What other agents ordered is left out above.
  const [begins] = noted;
  if (begins?.role !== 'assistant') return noted;
  return [{ role: 'user', at: begins.at, text: '[Holdfast: no prompt of this session was stored.]' }, ...noted];
}

const lengthOf = (turns: readonly CarryTurn[]): number => turns.reduce((sum, { text }) => sum + text.length, 0);

/** A shorter piece of a turn says too little. */
const leastPart = 2000;
/** Of the prompt before an answer that is cut short. */
const longestPrompt = 4000;

/** The last turns, and the piece of the one before them that still fits. Begins with a person's turn if there is one. */
function newest(turns: readonly CarryTurn[]): CarryTurn[] {
  const kept: CarryTurn[] = [];
  let left = mostCharacters;
  let from = turns.length;
  for (let turn = turns[from - 1]; turn !== undefined; turn = turns[from - 1]) {
    if (turn.text.length > left && left < leastPart) break;
    kept.unshift(pieceOf(turn, left));
    left -= turn.text.length;
    from--;
  }
  const before = turns[from - 1];
  if (kept[0]?.role === 'assistant' && before !== undefined) kept.unshift(pieceOf(before, longestPrompt));
  return kept;
}

/** Of an answer the end, of a prompt the beginning. */
function pieceOf(turn: CarryTurn, most: number): CarryTurn {
  const { role, text } = turn;
  if (text.length <= most) return turn;
  const piece = role === 'assistant' ? `… ${text.slice(-most)}` : `${text.slice(0, most)} …`;
  return { ...turn, text: piece.toWellFormed() };
}

function textOf(entry: Entry, uses: readonly ToolUse[]): string {
  const words = uses.length === 0 ? saidOrUsed(entry) : entry.text;
  return [words, ...uses.map(useInWords)].filter((part) => part.trim() !== '').join('\n\n');
}

function useInWords({ tool, input, output, outcome }: ToolUse): string {
  const clip = (said: string) => (said.length > longestUse ? `${said.slice(0, longestUse).toWellFormed()} …` : said);
  const given = clip(commandIn(input));
  const result = output === undefined || output.trim() === '' ? '' : `\n${clip(output.trim())}`;
  const how = outcome === 'error' ? ' (failed)' : '';
  return `[Used ${tool}${how}: ${given}]${result}`;
}

/** The single input of a tool, or all inputs if it has several. */
function commandIn(input: string): string {
  try {
    const value = JSON.parse(input) as Record<string, unknown>;
    const one = value.command ?? value.cmd ?? value.file_path ?? value.filePath ?? value.path;
    return typeof one === 'string' && Object.keys(value).length <= 2 ? one : input;
  } catch {
    return input; // capture cut it short, so it is not valid JSON
  }
}
