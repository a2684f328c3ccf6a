// Tool uses of a turn → what the agent did: files read and modified, commands and their outcomes, searches.

import path from 'node:path';
import { shell } from '../../agents/tools/shell-tools.ts';
import { type UsualCommand, usualIn } from '../../agents/tools/usual-commands.ts';
import { looksAround, modifies, seenFrom } from '../../language/files-touched.ts';
import { cut, inOneLine, inputField } from '../../language/gist.ts';
import { isAnswer, refused, tellsOfPassing } from '../../language/open-ends.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { Turn } from '../material.ts';
import {
  bodyIn,
  type CommandKind,
  commitMessage,
  outcomeOf,
  parseCommand,
  reasonIn,
  requestNumber,
  requestTitle,
} from './commands.ts';
import { unique } from './say.ts';

export interface Command {
  readonly kind: CommandKind;
  readonly told: string;
  readonly outcome: 'ok' | 'failed' | 'unknown';
  readonly reason: string;
  /** Commands with the same purpose count as attempts at the same thing. */
  readonly purpose: string;
  /** All purposes of a line that checks several things. */
  readonly purposes?: readonly string[];
  /** The first line of the commit message. */
  readonly message?: string;
  /** The text below that line, or the description of the pull request. */
  readonly body?: string;
  /** It ran in another repository than the session. */
  readonly elsewhere?: true;
  /** The title and number of the pull request that the command opened. */
  readonly opened?: { readonly title?: string; readonly number?: string };
  /** The parts of a successful line that build, test, lint or format the whole project. */
  readonly usual: readonly UsualCommand[];
  readonly entry: string;
  readonly at: string;
}

export interface Failure {
  readonly command: Command;
  /** Whether a later command of the turn with the same purpose, or one that depends on it, succeeded. */
  readonly gone: boolean;
}

export interface Deeds {
  /** Paths relative to the project, the most often touched first. */
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

/** An agent's own plans and notes are not work on the project. */
const ownNotes = /\/\.(?:claude|codex|gemini|cursor|copilot)\/(?:plans|todos|projects|memory)\//;
const delegates = /^(?:task|agent|subagent|spawn\w*)$/i;
const web = /^web_?(?:search|fetch)$|^fetch$/i;

/** Observation, row, session and conversation all need the deeds of a turn, so this caches them. */
const known = new WeakMap<Turn, Deeds>();

export function deedsOf(turn: Turn): Deeds {
  const made = known.get(turn) ?? findDeeds(turn);
  known.set(turn, made);
  return made;
}

/** What is found so far, in the order of the tool uses. */
interface Found {
  readonly files: Map<string, { readonly modified: number; readonly read: number }>;
  readonly commands: Command[];
  readonly searches: string[];
  readonly delegated: string[];
  readonly entries: string[];
}

function findDeeds(turn: Turn): Deeds {
  const found: Found = { files: new Map(), commands: [], searches: [], delegated: [], entries: [] };
  for (const use of usesOf(turn)) noteUse(use, turn, found);
  const byCount = [...found.files].sort(([, a], [, b]) => b.modified - a.modified || b.read - a.read);
  return {
    modified: byCount.filter(([, { modified }]) => modified > 0).map(([name]) => name),
    read: byCount.filter(([, { modified }]) => modified === 0).map(([name]) => name),
    commands: found.commands,
    failures: failuresIn(found.commands, lastAnswer(turn)),
    searches: unique(found.searches),
    delegated: unique(found.delegated),
    tools: unique(turn.toolUses.map(({ tool }) => tool)),
    entries: unique(found.entries),
  };
}

function noteUse(use: ToolUse, turn: Turn, found: Found): void {
  if (shell.test(use.tool)) noteCommand(use, turn, found);
  else if (delegates.test(use.tool)) noteFirst(use, ['description', 'prompt'], 100, found.delegated);
  else if (looksAround.test(use.tool) || web.test(use.tool))
    noteFirst(use, ['pattern', 'query', 'url'], 80, found.searches);
  else if (use.outcome !== 'error') noteFiles(use, turn, found);
}

function noteCommand(use: ToolUse, turn: Turn, { commands, entries }: Found): void {
  const command = commandOf(use, turn);
  if (command === undefined) return;
  commands.push(command);
  if (command.outcome === 'failed' || (command.kind !== 'look' && command.kind !== 'run')) entries.push(use.entry);
}

/** Notes the first of the fields that the tool's input has. */
function noteFirst({ input }: ToolUse, fields: readonly string[], longest: number, list: string[]): void {
  for (const field of fields) {
    const text = inputField(input, field);
    if (text === undefined) continue;
    list.push(cut(inOneLine(text), longest));
    return;
  }
}

function noteFiles(use: ToolUse, { projectPath, cwd }: Turn, { files, entries }: Found): void {
  const changes = modifies.test(use.tool);
  if (changes && use.files.length > 0) entries.push(use.entry);
  for (const file of use.files.filter((one) => !ownNotes.test(one))) {
    const name = seenFrom(projectPath || cwd, { file, cwd }) ?? file;
    const { modified, read } = files.get(name) ?? { modified: 0, read: 0 };
    files.set(name, changes ? { modified: modified + 1, read } : { modified, read: read + 1 });
  }
}

const lastAnswer = (turn: Turn): string => {
  const last = turn.entries.findLast((entry) => isAnswer(entry) && entry.text.trim() !== '');
  return last === undefined ? '' : last.text.slice(0, 8000);
};

/** The agent's own tool uses, without those that the person ran or refused. */
export const usesOf = (turn: Turn): readonly ToolUse[] =>
  turn.toolUses.filter(
    (use) => use.entry !== turn.request?.id && !(use.outcome === 'error' && refused.test(use.output ?? '')),
  );

/** Scratch folders are not part of the project, so commits and usual commands in them do not count. */
const scratch = /(?:^|[\s"'=])(?:\/private)?\/(?:var\/folders|tmp)\//;

function commandOf(use: ToolUse, { projectPath, cwd }: Turn): Command | undefined {
  const line = inputField(use.input, 'command', 1600) ?? inputField(use.input, 'cmd', 1600) ?? commandWords(use.input);
  if (line === undefined || line.trim() === '') return undefined;
  const { kind, told, purpose, purposes } = parseCommand(line);
  const output = use.output ?? '';
  const outcome = outcomeOf(kind, use.outcome, output);
  const inScratch = scratch.test(line.slice(0, 300)) && !scratch.test(cwd);
  const message = kind === 'commit' && !inScratch ? commitMessage(line) : undefined;
  const opened = kind === 'request' ? openedBy(line, output) : undefined;
  const body = message === undefined && opened === undefined ? '' : bodyIn(line);
  return {
    kind,
    told,
    outcome,
    purpose,
    ...(purposes === undefined ? {} : { purposes }),
    reason: outcome === 'failed' ? reasonIn(output) : '',
    ...(message === undefined ? {} : { message }),
    ...(opened === undefined ? {} : { opened }),
    ...(body === '' ? {} : { body }),
    ...((message ?? opened) !== undefined && isElsewhere(line, projectPath || cwd, cwd)
      ? { elsewhere: true as const }
      : {}),
    usual: outcome === 'ok' && use.outcome === 'ok' && !inScratch ? usualIn(line, projectPath || cwd, cwd) : [],
    entry: use.entry,
    at: use.at,
  };
}

const goesTo = /^\s*cd\s+["']?([^\s"';&|]+)["']?\s*(?:&&|;|\n)|\bgit -C ["']?([^\s"';&|]+)/;

/** Whether a commit belongs to a folder beside the project. A folder beside it with a longer name is a worktree more often than not. */
function isElsewhere(line: string, project: string, cwd: string): boolean {
  const found = goesTo.exec(line.slice(0, 300));
  const given = found?.[1] ?? found?.[2];
  if (given === undefined || project === '' || /^[~$]/.test(given)) return false;
  const folder = path.posix.resolve(cwd || project, given);
  return (
    !`${folder}/`.startsWith(`${project}/`) &&
    !folder.startsWith(`${project}-`) &&
    !`${project}/`.startsWith(`${folder}/`)
  );
}

/** Some agents pass a command as a list of words, with the line after `-c`. */
function commandWords(input: string): string | undefined {
  const words = /"command":\[((?:"(?:[^"\\]|\\.)*",?){1,8})\]/.exec(input)?.[1];
  if (words === undefined) return undefined;
  try {
    const list = JSON.parse(`[${words}]`) as string[];
    const shellLine = list.findIndex((word) => /^-l?c$/.test(word));
    return shellLine >= 0 ? list[shellLine + 1] : list.join(' ');
  } catch {
    // The stored input was cut in the middle of a word.
    return undefined;
  }
}

function openedBy(line: string, output: string): Command['opened'] {
  const title = requestTitle(line);
  const number = requestNumber(output);
  return { ...(title === undefined ? {} : { title }), ...(number === undefined ? {} : { number }) };
}

/** Kinds of commands whose failure is worth reporting. */
const matters: ReadonlySet<CommandKind> = new Set([
  ...(['test', 'check', 'build', 'install', 'commit', 'merge', 'push', 'tag', 'publish', 'request'] as const),
]);

/** Whether a later command clears a failure. A passing check of everything clears failures of parts. A commit or push clears any failure. */
export function ends(
  later: Pick<Command, 'kind' | 'purpose' | 'outcome' | 'told'>,
  failed: Pick<Command, 'kind' | 'purpose' | 'purposes'>,
): boolean {
  if (later.outcome !== 'ok') return false;
  if ((failed.purposes ?? [failed.purpose]).includes(later.purpose) || later.kind === 'commit' || later.kind === 'push')
    return true;
  if (later.kind === 'request' || later.kind === 'publish' || /^git \w[\w-]* --continue\b/.test(later.told))
    return true;
  if (later.purpose === 'check') return failed.kind === 'check' || failed.kind === 'test';
  return later.kind === 'test' && (failed.kind === 'build' || failed.purpose === 'type check');
}

/** The last failure of each purpose that matters. A search that finds nothing also exits with an error, but does not matter. */
function failuresIn(commands: readonly Command[], answer: string): Failure[] {
  const last = new Map<string, { command: Command; place: number }>();
  for (const [place, command] of commands.entries())
    if (command.outcome === 'failed' && matters.has(command.kind)) last.set(command.purpose, { command, place });
  const passed = tellsOfPassing(answer);
  return [...last.values()].map(({ command, place }) => ({
    command,
    gone: passed || commands.slice(place + 1).some((later) => ends(later, command)),
  }));
}
