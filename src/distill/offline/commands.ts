// A command line → its purpose, a short form of it, and whether it succeeded.

import { type Part, splitLine, withoutPlace, withoutPrefix, wrapperOf } from '../../agents/tools/command-line.ts';
import { type Purpose, roughPurpose } from '../../agents/tools/usual-commands.ts';
import { cut, inOneLine } from '../../language/gist.ts';
import { errorLine } from '../../language/open-ends.ts';
import { commitMessage } from './commit-message.ts';

export type CommandKind =
  | 'test'
  | 'check'
  | 'build'
  | 'install'
  | 'commit'
  | 'merge'
  | 'push'
  | 'tag'
  | 'publish'
  | 'request'
  | 'alter'
  | 'look'
  | 'run';

/** A command line has the first kind in this list whose pattern matches one of its parts. The most telling kinds come first. */
const kinds: readonly (readonly [CommandKind, RegExp])[] = [
  [
    'publish',
    /^(?:npm|pnpm|yarn|bun|cargo) (?:run )?(?:publish|release)\b|^(?:twine upload|gh release create|vsce publish|uv publish|poetry publish|gem push)\b/,
  ],
  ['tag', /^git tag (?:-[asfm]+ )*(?!-)(?=[\w.@/"'])(?!.*(?:\s-l\b|--list|--sort|--points-at|--contains))/],
  ['commit', /^git (?:-\S+ )*commit\b/],
  ['request', /^(?:gh pr create|glab mr create)\b/],
  ['merge', /^(?:git merge (?!--abort)(?=\S)|gh pr merge|git rebase (?!--abort)|git cherry-pick (?!--abort))/],
  ['push', /^git push\b/],
  [
    'install',
    /^(?:npm (?:i|install|ci|add|uninstall)|(?:pnpm|yarn|bun) (?:add|install|i|remove)|pip3? install|uv (?:add|sync|tool install|pip|remove)|poetry (?:add|install)|cargo add|brew install|apt(?:-get)? install|gem install|bundle install|go get|composer require)\b/,
  ],
  [
    'alter',
    /^(?:git (?:checkout|switch|branch -[mdMD]|stash(?! list)|reset|restore|revert|mv|rm|add|submodule|worktree (?:add|remove)|init|clone)|cp|mv|rm|mkdir|touch|ln|chmod|sed -i|perl -pi|tee|patch|npm version|npm init)\b/,
  ],
  [
    'look',
    /^(?:ls|cat|bat|head|tail|less|grep|rg|ag|find|fd|tree|wc|pwd|which|type|file|stat|du|df|ps|env|printenv|echo|printf|date|sed -n|awk|sort|uniq|jq|diff|cd|true|sleep|command -v|whoami|uname|man|git (?:-\S+ )*(?:status|diff|log|show|branch|remote|blame|ls-files|rev-parse|stash list|fetch|grep|reflog|worktree list|check-ignore)|gh (?:pr|issue|run|api|repo) ?(?:view|list|checks|diff|status|watch)?|npm (?:ls|view|info|outdated)|docker (?:ps|images|logs)|(?:\S+ )?--?(?:help|version)\b)/i,
  ],
];

export interface ParsedCommand {
  readonly kind: CommandKind;
  /** The part that determines the kind, without programs that only run it, shortened to fit a line. */
  readonly told: string;
  /** The same as it was typed, with the checks of the line: any of them may have failed. */
  readonly ran: string;
  /** Commands with the same purpose count as attempts at the same thing. */
  readonly purpose: string;
  /** All purposes of a line that checks several things. Any of them may have failed. */
  readonly purposes?: readonly string[];
}

const kindOf: Readonly<Record<Purpose, CommandKind>> = {
  ...{ test: 'test', build: 'build', lint: 'check', format: 'check', 'type check': 'check', check: 'check' },
};
const purposes: readonly Purpose[] = ['test', 'check', 'type check', 'lint', 'format', 'build'];

/** A simple command of a line: what it does, as it was typed, and what it checks. */
interface Step {
  readonly plain: string;
  readonly typed: string;
  readonly joint: Part['joint'];
  readonly purpose: Purpose | undefined;
}

/** Contract: linear in the length of the command, which the caller has already cut. */
export function parseCommand(command: string): ParsedCommand {
  const steps = splitLine(command).flatMap(({ text, joint }): Step[] => {
    const plain = withFirstLines(withoutPlace(withoutPrefix(text)), command);
    if (plain === '') return [];
    const prefix = text.slice(0, text.length - withoutPrefix(text).length);
    return [{ plain, typed: prefix + plain, joint, purpose: roughPurpose(plain) }];
  });
  const parsed = (kind: CommandKind, step: Step, purpose: string): ParsedCommand => ({
    ...{ kind, told: cut(inOneLine(step.plain), 100), ran: ranBy(steps, step), purpose },
  });
  const matching = (pattern: RegExp) => steps.find(({ plain }) => pattern.test(plain));
  for (const [kind, pattern] of deciding) {
    const found = matching(pattern);
    if (found !== undefined) return parsed(kind, found, kind);
  }
  for (const purpose of purposes) {
    const found = steps.find((step) => step.purpose === purpose);
    if (found === undefined) continue;
    const several = [...new Set(steps.flatMap((step) => step.purpose ?? []))];
    return { ...parsed(kindOf[purpose], found, purpose), ...(several.length > 1 ? { purposes: several } : {}) };
  }
  for (const [kind, pattern] of others) {
    const found = matching(pattern);
    if (found !== undefined) return parsed(kind, found, kind === 'alter' ? nameOf(found.plain) : kind);
  }
  const acts = steps.find(({ plain }) => !lookPattern.test(plain));
  if (acts !== undefined) return parsed('run', acts, nameOf(acts.plain));
  // Describe a command that only looks by its first part that is not `cd`.
  const looks = steps.find(({ plain }) => !/^cd\b/.test(plain));
  return parsed('look', looks ?? { plain: command, typed: command, joint: '', purpose: undefined }, 'look');
}

/** The step as it was typed, joined with the checks before and after it. */
function ranBy(steps: readonly Step[], told: Step): string {
  let out = '';
  let joints: Part['joint'][] = [];
  for (const step of steps) {
    if (step === told || step.purpose !== undefined) {
      const joint = joints.find((one) => one === ';' || one === '\n') ?? joints.find((one) => one !== '|') ?? ';';
      out += out === '' ? step.typed : `${joint === '\n' || joint === ';' ? ';' : ` ${joint}`} ${step.typed}`;
      joints = [];
    }
    joints.push(step.joint);
  }
  return cut(inOneLine(out === '' ? told.typed : out), 120);
}

const messageOption = /(\s(?:-[a-z]*m|-[bt]|--(?:message|title|body|notes))[ =]?)("(?:[^"\\]|\\[\s\S])*"|'[^']*')/g;

/** A message of several lines is told by its first line, also if it was a here-document. Of other options, an empty document tells nothing. */
function withFirstLines(part: string, command: string): string {
  return part.replace(messageOption, (whole, option: string, quoted: string) => {
    const [first = '', ...rest] = quoted.slice(1, -1).trim().split('\n');
    if (first !== '' || !command.includes('<<'))
      return rest.length === 0 ? whole : `${option}${quoted[0]}${first}${quoted[0]}`;
    const message = /^\s(?:-[a-z]*m|--message)/.test(option) ? commitMessage(command) : undefined;
    return message === undefined ? '' : `${option}"${message.replaceAll('"', "'")}"`;
  });
}

/** Whether the error came from a program that should only have run the command, so that the command itself never ran. */
export function neverRan(command: string, output: string): boolean {
  const wrappers = new Set(splitLine(command).flatMap(({ text }) => wrapperOf(text) ?? []));
  return [...wrappers].some((name) =>
    new RegExp(
      `^(?:usage: ${name}\\b|${name}: .{0,200}(?:not found|no such|failed to run|cannot run|denied|password))`,
      'im',
    ).test(output.slice(0, 1000)),
  );
}

const nameOf = (part: string): string => part.split(/\s+/, 2).join(' ').slice(0, 80);
const lookPattern = kinds.at(-1)?.[1] as RegExp;
const decisive: ReadonlySet<CommandKind> = new Set(['publish', 'tag', 'commit', 'request', 'merge', 'push']);
const deciding = kinds.filter(([kind]) => decisive.has(kind));
const others = kinds.filter(([kind]) => !decisive.has(kind) && kind !== 'look');

const failing =
  /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\bFAILED\b|^[^\S\n]*FAIL\b|\berror TS\d+|npm ERR!|npm error|Traceback \(most recent call last\)|\bAssertionError\b|panicked at|\bBUILD FAILED\b|Found [1-9]\d* (?:errors?|diagnostics?)/m;
const passing =
  /\b\d+ (?:passed|passing)\b|\b0 (?:failed|failures|errors)\b|\btest result: ok\b|\ball (?:\d+ )?(?:tests|checks) pass|\bPASS\b|\bNo issues found\b|All checks passed/i;

/** Whether the command succeeded. A pipe hides the exit status, so for tests and checks the output counts too. */
export function outcomeOf(
  kind: CommandKind,
  outcome: 'ok' | 'error' | undefined,
  output: string,
): 'ok' | 'failed' | 'unknown' {
  if (outcome === 'error') return 'failed';
  if (kind === 'test' || kind === 'check' || kind === 'build') {
    if (failing.test(output)) return 'failed';
    if (kind === 'test' && !passing.test(output)) return outcome === undefined ? 'unknown' : 'ok';
  }
  return outcome === undefined ? 'unknown' : 'ok';
}

/** What went wrong, in one line; empty if the output does not say. */
export const reasonIn = (output: string): string => {
  const line = inOneLine(errorLine(output) ?? '');
  return line.length < 8 ? '' : line;
};
