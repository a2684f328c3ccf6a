// The table of operations → commands. This file knows no particular operation.
import { Command, Option } from 'commander';
import type { Operation } from '../../operations/operation.ts';
import { version } from '../../package.ts';
import { HoldfastError } from '../../system/errors.ts';
import { completion, shells } from './completion.ts';
import { type Field, fieldsOf, toInput } from './fields.ts';
import { otherNames } from './names.ts';
import { chosenOf } from './table.ts';
import { tableColumns } from './table-columns.ts';
import { topicOf, topics } from './topics.ts';

export interface RunOptions {
  readonly json: boolean;
  /** The chosen columns of a table. */
  readonly columns?: readonly string[];
}

export type Run = (operation: Operation, input: Record<string, unknown>, options: RunOptions) => Promise<void>;

export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/**
 * Groups of two-word commands whose first word is not an operation; `bare` is the command that the first word runs
 * alone.
 */
const groups: Readonly<Record<string, { readonly summary: string; readonly bare?: string }>> = {
  config: { summary: 'Read and change settings', bare: 'config list' },
  model: { summary: 'The model that distils' },
  memory: { summary: 'Lasting memory in pages: facts, projects, people, days', bare: 'memory list' },
  host: { summary: 'The process that runs the agents of groups' },
  hub: { summary: 'One memory on several machines and for a team', bare: 'hub status' },
  worker: { summary: 'The process that watches for new transcripts' },
};

const examples = [
  'holdfast start                        set up, import, open the viewer',
  'holdfast search flaky login test      find what was said and done',
  'holdfast show 0f3c                    read a session',
  'holdfast resume                       choose a session and continue it',
  'holdfast day yesterday                what happened on a day',
  'holdfast help search                  all options of a command',
];

export function buildProgram(operations: readonly Operation[], run: Run, output: Output): Command {
  const program = new Command('holdfast');
  settle(program, output)
    .description('The memory of AI coding agents: every session on this machine, kept safe and searchable')
    .version(version(), '-V, --version', 'print the version')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`)
    .action((_, command: Command) => {
      const [word] = command.args;
      if (word === undefined) program.outputHelp();
      else
        throw unknown(
          word,
          program.commands.map((child) => child.name()),
        );
    })
    .allowExcessArguments(true);
  const parents = new Map<string, Command>();
  for (const operation of operations) {
    const [first = '', second] = operation.name.split(' ');
    let parent = program;
    // A command with subcommands is a group, even if it does something by itself.
    const isGroup = second === undefined && operations.some(({ name }) => name.startsWith(`${first} `));
    if (second !== undefined || isGroup) {
      parent = parents.get(first) ?? addGroup(program, first, operations, run, output);
      parents.set(first, parent);
    }
    if (!isGroup) addOperation(parent, second ?? first, operation, run, output);
  }
  for (const [other, name] of Object.entries(otherNames)) {
    const [first = '', second = ''] = other.split(' ');
    const operation = operations.find((one) => one.name === name);
    const parent = parents.get(first);
    if (operation && parent) addOperation(parent, second, operation, run, output);
  }
  addOwnCommands(program, operations, output);
  // The order of topics, and within a topic the order of its list.
  const order = Object.values(topics).flat();
  const placeOf = (command: Command) => (order.indexOf(command.name()) + order.length + 1) % (order.length + 1);
  (program.commands as Command[]).sort((a, b) => placeOf(a) - placeOf(b));
  for (const command of program.commands) command.helpGroup(`${topicOf(command.name())}:`);
  return program;
}

/** Commands without an operation behind them. */
function addOwnCommands(program: Command, operations: readonly Operation[], output: Output): void {
  settle(program.command('help'), output)
    .summary('Show the options and examples of a command')
    .description('Show the options and examples of a command')
    .argument('[command...]', 'a command, such as search or memory edit')
    .addHelpText('after', '\nExamples:\n  holdfast help search\n  holdfast help memory edit')
    .action((words: string[]) => {
      let command: Command = program;
      for (const [i, word] of words.entries()) {
        const found = command.commands.find((child) => child.name() === word);
        // Names of options and arguments may follow; an unknown command is a mistake.
        if (found === undefined && (i === 0 || command.commands.length > 0))
          throw unknown(
            words.slice(0, i + 1).join(' '),
            command.commands.map((child) => child.name()),
            i === 0 ? undefined : words.slice(0, i).join(' '),
          );
        command = found ?? command;
      }
      command.outputHelp();
    });
  settle(program.command('version'), output)
    .summary('Print the version')
    .description('Print the version')
    .action(() => output.out(`${version()}\n`));
  settle(program.command('completion'), output)
    .summary('Print a script that completes commands in your shell')
    .description('Print a script that completes commands in your shell')
    .argument('<shell>', shells.join(', '))
    .addHelpText('after', '\nExamples:\n  source <(holdfast completion bash)\n  holdfast completion fish | source')
    .action((shell: string) => output.out(completion(shell, operations)));
}

function addGroup(program: Command, name: string, operations: readonly Operation[], run: Run, output: Output): Command {
  const bare = operations.find((operation) => operation.name === (groups[name]?.bare ?? name));
  const summary = groups[name]?.summary ?? bare?.summary ?? '';
  const command = settle(program.command(name), output).summary(summary).description(summary);
  command.allowExcessArguments(true).action(async (_, self: Command) => {
    const names = self.commands.map((child) => child.name());
    const [word] = self.args;
    if (word !== undefined) throw unknown(`${name} ${word}`, names, name);
    if (bare === undefined)
      throw new HoldfastError('BAD_INPUT', `holdfast ${name} needs one of: ${names.join(', ')}`, {
        hint: `See: holdfast ${name} --help`,
      });
    const { json, columns, ...typed } = self.opts();
    await run(bare, toInput(bare, typed), optionsOf(bare, json, columns));
  });
  for (const field of bare ? fieldsOf(bare) : []) addOption(command, field);
  if (bare) addOutputOptions(command, bare);
  if (bare?.name === name)
    command.addHelpText('after', `\nExamples:\n${bare.examples.map((example) => `  ${example}`).join('\n')}`);
  return command;
}

function addOperation(parent: Command, name: string, operation: Operation, run: Run, output: Output): void {
  const command = settle(parent.command(name), output).summary(operation.summary).description(operation.summary);
  const fields = fieldsOf(operation);
  for (const field of fields) {
    if (field.positional) command.argument(argumentOf(field), field.description);
    else addOption(command, field);
  }
  addOutputOptions(command, operation).allowExcessArguments(true);
  command.addHelpText('after', `\nExamples:\n${operation.examples.map((example) => `  ${example}`).join('\n')}`);
  command.action(async () => {
    // A parent also takes its own options, so `--json` of `config list --json` may end up there.
    const { json, columns, ...options } = command.optsWithGlobals();
    const known = Object.entries(options).filter(([name]) => fields.some((field) => field.name === name));
    const typed: Record<string, unknown> = Object.fromEntries(known);
    const taken = fields.filter((field) => field.positional);
    taken.forEach((field, i) => {
      if (i < command.args.length) typed[field.name] = field.rest ? command.args.slice(i).join(' ') : command.args[i];
    });
    if (!taken.some((field) => field.rest)) refuseExtra(operation, command.args.slice(taken.length));
    await run(operation, toInput(operation, typed), optionsOf(operation, json, columns));
  });
}

function refuseExtra({ name, hintForExtra }: Operation, extra: readonly string[]): void {
  const words = extra.join(' ');
  if (words !== '')
    throw new HoldfastError('BAD_INPUT', `holdfast ${name} does not take the argument "${words}"`, {
      hint: hintForExtra?.(words) ?? `See: holdfast ${name} --help`,
    });
}

function addOutputOptions(command: Command, { name }: Operation): Command {
  const names = tableColumns[name];
  if (names !== undefined)
    command.option('--columns <names>', `which columns, and in which order: ${names.join(', ')}`);
  return command.option('--json', 'print JSON');
}

function optionsOf({ name }: Operation, json: unknown, columns: unknown): RunOptions {
  if (typeof columns !== 'string') return { json: json === true };
  if (json === true)
    throw new HoldfastError('BAD_INPUT', '--columns and --json cannot be combined', {
      hint: 'JSON always has all fields. Leave one of the two out.',
    });
  const names = columns.split(/[\s,]+/).filter((part) => part !== '');
  const known = (tableColumns[name] ?? []).map((one) => ({ name: one }));
  if (names.length === 0)
    throw new HoldfastError('BAD_INPUT', '--columns must name at least one column', {
      hint: `Columns: ${known.map((one) => one.name).join(', ')}.`,
    });
  return { json: false, columns: chosenOf(known, names).map((one) => one.name) };
}

/** Settings of every command. It throws errors, and the caller prints them. */
function settle(command: Command, output: Output): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err, outputError: () => {} })
    .helpOption('-h, --help', 'show this help');
}

function argumentOf({ name, required, rest }: Field): string {
  const inside = rest ? `${name}...` : name;
  return required ? `<${inside}>` : `[${inside}]`;
}

const longestPlaceholder = 20;

/** A flag that is on by default can also be given: `--subagents` beside `--no-subagents`. */
function addOption(command: Command, field: Field): void {
  if (field.label.startsWith('--no-') && field.fallback === true)
    command.addOption(new Option(field.label.replace('--no-', '--')).hideHelp());
  command.addOption(optionOf(field));
}

function optionOf({ name, label: long, short, kind, choices, fallback, description }: Field): Option {
  const label = short === undefined ? long : `${short}, ${long}`;
  if (kind === 'flag') return new Option(label, description);
  const listed = kind === 'choice' ? choices.join('|') : kind === 'number' ? 'n' : name;
  // Long lists would leave no room for the descriptions of all other options.
  const isLong = listed.length > longestPlaceholder;
  const shown = [
    description,
    ...(isLong ? [`: ${choices.join(', ')}`] : []),
    ...(fallback === undefined ? [] : [` (default: ${fallback})`]),
  ].join('');
  return new Option(`${label} <${isLong ? name : listed}>`, shown);
}

function unknown(word: string, names: readonly string[], group?: string): HoldfastError {
  const prefix = group === undefined ? 'holdfast' : `holdfast ${group}`;
  const near = similar(word.split(' ').at(-1) as string, names).map((name) => `${prefix} ${name}`);
  const hint =
    near.length > 0 ? `Did you mean: ${near.join(', or ')}?` : `Commands: ${names.join(', ')}. See: ${prefix} --help`;
  return new HoldfastError('BAD_INPUT', `There is no command "${word}"`, { hint });
}

/** Commander suggests names only for a command without an action of its own, so ask one that has the same names. */
function similar(word: string, names: readonly string[]): string[] {
  const asked = new Command().exitOverride().configureOutput({ outputError: () => {} });
  for (const name of names) asked.command(name);
  try {
    asked.parse(['--', word.replace(/^-+/, '')], { from: 'user' });
  } catch (error) {
    const [, found] = /\(Did you mean (?:one of )?(.+)\?\)$/.exec((error as Error).message) ?? [];
    return found?.split(', ') ?? [];
  }
  return [];
}
