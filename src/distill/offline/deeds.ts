// Tool uses of a turn → what the agent did: files read and modified, commands and their outcomes, searches.

import path from 'node:path';
import { shell } from '../../agents/tools/shell-tools.ts';
import { type UsualCommand, usualIn } from '../../agents/tools/usual-commands.ts';
import { looksAround, modifies, seenFrom } from '../../language/files-touched.ts';
import { commandLine, cut, inOneLine, inputField } from '../../language/gist.ts';
import { isAnswer, tellsOfPassing } from '../../language/open-ends.ts';
import { wasStopped } from '../../language/stopped.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { Turn } from '../material.ts';
import { type CommandKind, neverRan, outcomeOf, type ParsedCommand, parseCommand, reasonIn } from './commands.ts';
import { bodyIn, commitMessage, requestNumber, requestTitle } from './commit-message.ts';
import { unique } from './say.ts';

export interface Command {
  readonly kind: CommandKind;
  readonly told: string;
  /** As it was typed, for a command that failed. */
  readonly ran: string;
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
  /** The folder of the other repository in which it ran, if that is not the session's own. */
  readonly elsewhere?: string;
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

/** An issue or a pull request that the agent looked up. */
export interface Shown {
  readonly kind: 'issue' | 'PR';
  readonly number?: string;
  readonly title: string;
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
  readonly shown: readonly Shown[];
  readonly tools: readonly string[];
  /** Entries that changed something, or whose command failed. */
  readonly entries: readonly string[];
}

/** The first lines of the messages of commits that did not fail. */
export const commitTitles = ({ commands }: Pick<Deeds, 'commands'>): string[] =>
  commands.flatMap(({ message, outcome }) => (message !== undefined && outcome !== 'failed' ? [message] : []));

/** An agent's own plans and notes are not work on the project. */
const ownNotes = /\/\.(?:claude|codex|gemini|cursor|copilot)\/(?:plans|todos|projects|memory)\//;
const delegates = /^(?:task|agent|subagent|spawn\w*|invoke_agent|use_subagents)$/i;
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
  readonly shown: Shown[];
  readonly entries: string[];
}

function findDeeds(turn: Turn): Deeds {
  const found: Found = { files: new Map(), commands: [], searches: [], delegated: [], shown: [], entries: [] };
  for (const use of usesOf(turn)) noteUse(use, turn, found);
  const byCount = [...found.files].sort(([, a], [, b]) => b.modified - a.modified || b.read - a.read);
  return {
    modified: byCount.filter(([, { modified }]) => modified > 0).map(([name]) => name),
    read: byCount.filter(([, { modified }]) => modified === 0).map(([name]) => name),
    commands: found.commands,
    failures: failuresIn(found.commands, lastAnswer(turn)),
    searches: unique(found.searches),
    delegated: unique(found.delegated),
    shown: found.shown,
    tools: unique(turn.toolUses.map(({ tool }) => tool)),
    entries: unique(found.entries),
  };
}

function noteUse(use: ToolUse, turn: Turn, found: Found): void {
  const shown = shownBy(use);
  if (shown !== undefined) found.shown.push(shown);
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

const views = /\b(?:gh|glab) (pr|mr|issue) view\b(?:\s+(?:\S*\/)?#?(\d+)\b)?/;
const viewTool = /(?:get|read|view|fetch)_?(issue|pull_?request|merge_?request)|(issue|pull_request)_read/i;

/** The issue or pull request that a tool use showed, if its output has the title. */
export function shownBy({ tool, input, output = '', outcome }: ToolUse): Shown | undefined {
  const isShell = shell.test(tool);
  if (outcome === 'error' || output === '' || !(isShell ? input.includes(' view') : viewTool.test(tool)))
    return undefined;
  const [, kind = '', asked] = isShell
    ? (views.exec(input) ?? [])
    : [undefined, viewTool.exec(tool)?.[1] ?? viewTool.exec(tool)?.[2], undefined];
  if (kind === '') return undefined;
  const title =
    /^title:[^\S\n]+(\S.*)$/m.exec(output)?.[1] ??
    /"title":\s*"((?:[^"\\]|\\.){4,300})"/.exec(output)?.[1]?.replace(/\\(["\\/])/g, '$1');
  const number = asked ?? /"number":\s*(\d+)/.exec(output)?.[1] ?? /^number:[^\S\n]+(\d+)/m.exec(output)?.[1];
  return title === undefined
    ? undefined
    : {
        kind: /^issue$/i.test(kind) ? 'issue' : 'PR',
        title: cut(inOneLine(title), 120),
        ...(number === undefined ? {} : { number }),
      };
}

const lastAnswer = (turn: Turn): string => {
  const last = turn.entries.findLast((entry) => isAnswer(entry) && entry.text.trim() !== '');
  return last === undefined ? '' : last.text.slice(0, 8000);
};

/** The agent's own tool uses, without those that the person ran, refused or stopped. */
export const usesOf = (turn: Turn): readonly ToolUse[] =>
  turn.toolUses.filter(
    (use) => use.entry !== turn.request?.id && !(use.outcome === 'error' && wasStopped(use.output ?? '')),
  );

/** Scratch folders are not part of the project, so commits and usual commands in them do not count. */
const scratch = /(?:^|[\s"'=])(?:\/private)?\/(?:var\/folders|tmp)\//;

function commandOf(use: ToolUse, { projectPath, cwd }: Turn): Command | undefined {
  const line = commandLine(use.input, 1600);
  if (line === undefined || line.trim() === '') return undefined;
  const parsed = parseCommand(line);
  const output = use.output ?? '';
  const judged = outcomeOf(parsed.kind, use.outcome, output);
  const isUnrun = (judged === 'failed' || parsed.kind in checking) && neverRan(line, output);
  const { kind, told, ran, purpose, purposes } = isUnrun ? unrun(parsed) : parsed;
  const outcome = isUnrun ? 'failed' : judged;
  const inScratch = scratch.test(line.slice(0, 300)) && !scratch.test(cwd);
  const message = kind === 'commit' && !inScratch ? commitMessage(line) : undefined;
  const opened = kind === 'request' ? openedBy(line, output) : undefined;
  const body = message === undefined && opened === undefined ? '' : bodyIn(line);
  const folder = (message ?? opened) === undefined ? undefined : elsewhereIn(line, projectPath || cwd, cwd);
  return {
    kind,
    told,
    ran,
    outcome,
    purpose,
    ...(purposes === undefined ? {} : { purposes }),
    reason: outcome === 'failed' ? reasonIn(output) : '',
    ...(message === undefined ? {} : { message }),
    ...(opened === undefined ? {} : { opened }),
    ...(body === '' ? {} : { body }),
    ...(folder === undefined ? {} : { elsewhere: folder }),
    usual: outcome === 'ok' && use.outcome === 'ok' && !inScratch ? usualIn(line, projectPath || cwd, cwd) : [],
    entry: use.entry,
    at: use.at,
  };
}

const checking: Partial<Record<CommandKind, true>> = { test: true, check: true, build: true };

/** A failure of the program that should have run a command says nothing about that command. */
const unrun = ({ ran }: ParsedCommand): ParsedCommand => ({ kind: 'run', told: ran, ran, purpose: ran });

const goesTo = /^\s*cd\s+["']?([^\s"';&|]+)["']?\s*(?:&&|;|\n)|\bgit -C ["']?([^\s"';&|]+)/;

/** The folder beside the project that a commit belongs to. A folder beside it with a longer name is a worktree more often than not. */
function elsewhereIn(line: string, project: string, cwd: string): string | undefined {
  const found = goesTo.exec(line.slice(0, 300));
  const given = found?.[1] ?? found?.[2];
  if (given === undefined || project === '' || /^[~$]/.test(given)) return undefined;
  const folder = path.posix.resolve(cwd || project, given);
  const isApart =
    !`${folder}/`.startsWith(`${project}/`) &&
    !folder.startsWith(`${project}-`) &&
    !`${project}/`.startsWith(`${folder}/`);
  return isApart ? folder : undefined;
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
