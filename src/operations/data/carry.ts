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
  const leftOut = kept.length < turns.length ? ' Earlier turns were left out.' : '';
  const first = kept.findIndex(({ role }) => role === 'assistant');
  return kept.map((turn, i) =>
    i === first
      ? {
          ...turn,
          text: `[Holdfast: continued from ${origin}; tool uses appear here as text.${leftOut}]\n\n${turn.text}`,
        }
      : turn,
  );
}

function newest(turns: readonly CarryTurn[]): CarryTurn[] {
  let [from, characters] = [turns.length, 0];
  while (from > 0 && characters + (turns[from - 1]?.text.length ?? 0) <= mostCharacters)
    characters += turns[--from]?.text.length ?? 0;
  // An agent's session begins with a person's turn.
  while (from < turns.length && turns[from]?.role !== 'user') from++;
  return turns.slice(from);
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
