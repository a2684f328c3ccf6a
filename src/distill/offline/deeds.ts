// Tool uses of a turn → what was done: files read and modified, commands and how they went, what was searched for.
import type { ToolUse } from '../../schema/tool-use.ts';
import { looksAround, modifies, seenFrom } from '../../text/files-touched.ts';
import { cut, inOneLine, inputField } from '../../text/gist.ts';
import { refused } from '../../text/open-ends.ts';
import { shell } from '../../text/shell-tools.ts';
import type { Turn } from '../material.ts';
import { type CommandKind, commitMessage, outcomeOf, parseCommand, reasonIn } from './commands.ts';
import { unique } from './say.ts';

export interface Command {
  readonly kind: CommandKind;
  readonly told: string;
  readonly outcome: 'ok' | 'failed' | 'unknown';
  readonly reason: string;
  readonly message?: string;
  readonly entry: string;
  readonly at: string;
}

export interface Failure {
  readonly command: Command;
  /** Whether the same command, or the same kind of check, went well later in the turn. */
  readonly gone: boolean;
}

export interface Deeds {
  /** Most often touched first, as seen from the project. */
  readonly modified: readonly string[];
  readonly read: readonly string[];
  readonly commands: readonly Command[];
  readonly failures: readonly Failure[];
  /** Patterns, queries and addresses. */
  readonly searches: readonly string[];
  /** What subagents were asked to do. */
  readonly delegated: readonly string[];
  readonly tools: readonly string[];
  /** Entries that changed something, or whose command failed. */
  readonly entries: readonly string[];
}

const delegates = /^(?:task|agent|subagent|spawn\w*)$/i;
const web = /^web_?(?:search|fetch)$|^fetch$/i;

/** A turn is read for its observation, its row, its session and its conversation: the work is done once. */
const known = new WeakMap<Turn, Deeds>();

export function deedsOf(turn: Turn): Deeds {
  const made = known.get(turn) ?? findDeeds(turn);
  known.set(turn, made);
  return made;
}

function findDeeds(turn: Turn): Deeds {
  const files = new Map<string, { modified: number; read: number }>();
  const commands: Command[] = [];
  const searches: string[] = [];
  const delegated: string[] = [];
  const entries: string[] = [];
  for (const use of usesOf(turn)) {
    const failed = use.outcome === 'error';
    if (shell.test(use.tool)) {
      const command = commandOf(use);
      if (command === undefined) continue;
      commands.push(command);
      if (command.outcome === 'failed' || (command.kind !== 'look' && command.kind !== 'run')) entries.push(use.entry);
    } else if (delegates.test(use.tool)) {
      const asked = inputField(use.input, 'description') ?? inputField(use.input, 'prompt');
      if (asked !== undefined) delegated.push(cut(inOneLine(asked), 100));
    } else if (looksAround.test(use.tool) || web.test(use.tool)) {
      const looked = inputField(use.input, 'pattern') ?? inputField(use.input, 'query') ?? inputField(use.input, 'url');
      if (looked !== undefined) searches.push(cut(inOneLine(looked), 80));
    } else if (!failed) {
      const changes = modifies.test(use.tool);
      if (changes && use.files.length > 0) entries.push(use.entry);
      for (const file of use.files) {
        const name = seenFrom(turn.projectPath || turn.cwd, { file, cwd: turn.cwd }) ?? file;
        const counts = files.get(name) ?? { modified: 0, read: 0 };
        files.set(name, changes ? { ...counts, modified: counts.modified + 1 } : { ...counts, read: counts.read + 1 });
      }
    }
  }
  const byCount = [...files].sort(([, a], [, b]) => b.modified - a.modified || b.read - a.read);
  return {
    modified: byCount.filter(([, { modified }]) => modified > 0).map(([name]) => name),
    read: byCount.filter(([, { modified }]) => modified === 0).map(([name]) => name),
    commands,
    failures: failuresIn(commands),
    searches: unique(searches),
    delegated: unique(delegated),
    tools: unique(turn.toolUses.map(({ tool }) => tool)),
    entries: unique(entries),
  };
}

/** Uses by the agent. What the person ran, and what was refused, is not its work. */
export const usesOf = (turn: Turn): readonly ToolUse[] =>
  turn.toolUses.filter(
    (use) => use.entry !== turn.request?.id && !(use.outcome === 'error' && refused.test(use.output ?? '')),
  );

function commandOf(use: ToolUse): Command | undefined {
  const line = inputField(use.input, 'command') ?? inputField(use.input, 'cmd');
  if (line === undefined || line.trim() === '') return undefined;
  const { kind, told } = parseCommand(line);
  const output = use.output ?? '';
  const outcome = outcomeOf(kind, use.outcome, output);
  const message = kind === 'commit' ? commitMessage(line) : undefined;
  return {
    kind,
    told,
    outcome,
    reason: outcome === 'failed' ? reasonIn(output) : '',
    ...(message === undefined ? {} : { message }),
    entry: use.entry,
    at: use.at,
  };
}

/** Commands under one name are tries at the same thing. */
export const purposeOf = ({ kind, told }: Pick<Command, 'kind' | 'told'>): string =>
  kind === 'run' || kind === 'alter' ? told.split(' ', 2).join(' ') : kind;

/** The last failure of each command that matters; a search that finds nothing "fails" too, and does not. */
function failuresIn(commands: readonly Command[]): Failure[] {
  const last = new Map<string, { command: Command; place: number }>();
  for (const [place, command] of commands.entries())
    if (command.outcome === 'failed' && command.kind !== 'look') last.set(purposeOf(command), { command, place });
  return [...last.values()].map(({ command, place }) => ({
    command,
    gone: commands.slice(place + 1).some((later) => later.outcome === 'ok' && purposeOf(later) === purposeOf(command)),
  }));
}
