// A conversation → what the librarian keeps of it. A wrong fact is worse than none: only what was run or said outright.
import type { Extraction, KeyedStatement } from '../../schema/extraction.ts';
import { cut } from '../../text/gist.ts';
import { assent, isAnswer } from '../../text/open-ends.ts';
import type { ConversationMaterial, Turn } from '../material.ts';
import { achieved, outcomeIn } from './answer.ts';
import type { CommandKind } from './commands.ts';
import type { Command } from './deeds.ts';
import { certain } from './notable.ts';
import { doneSentence, type Reading, readingOf } from './observe.ts';
import { readRequest, withoutPreamble } from './request.ts';
import { capital, code, ended, listed, unique } from './say.ts';
import { languageOf, managerOf, toolIn } from './stack.ts';
import { sessionTitle } from './summarize.ts';
import { keyOf, type Wishes, wishesOf } from './wishes.ts';

const mostInsights = 5;

export function extractConversation(conversation: ConversationMaterial): Extraction {
  const readings = conversation.turns.flatMap((turn) => readingOf(turn) ?? []);
  const wishes = wishesOf(conversation.turns);
  const statements = statementsOf(readings, wishes);
  return {
    episodes: readings.length === 0 ? [] : [episodeOf(conversation, readings)],
    projects:
      conversation.project === '' || statements.length === 0
        ? []
        : [{ name: cut(conversation.project, 120), statements }],
    people: peopleOf(wishes),
    milestones: milestonesOf(readings),
    insights: insightsOf(readings),
    facts: [
      ...wishes.preferences.map(({ key, text }) => ({
        about: 'user' as const,
        key: shortKey(preferenceKey(key, text)),
        text: ended(text),
        saidBy: 'person' as const,
      })),
      ...wishes.procedures.map(({ key, text }) => ({
        about: 'procedure' as const,
        key: shortKey(key),
        text: ended(text),
        saidBy: 'person' as const,
      })),
    ],
    questions: questionsOf(conversation.turns),
  };
}

const shortKey = (key: string): string => cut(key, 80);

function episodeOf(conversation: ConversationMaterial, readings: readonly Reading[]): Extraction['episodes'][number] {
  const told = readings.slice(0, 12).map(({ title, answer, deeds }) => {
    const came = achieved(answer) || (deeds.modified.length > 0 ? doneSentence(deeds) : outcomeIn(answer, 200));
    return `${ended(title)}${came === '' || came === title ? '' : ` ${ended(cut(came, 220))}`}`;
  });
  const more = readings.length > told.length ? [`And ${readings.length - told.length} more turns.`] : [];
  const files = unique(readings.flatMap(({ deeds }) => deeds.modified));
  const changed = files.length === 0 ? [] : [`Modified ${listed(files.map(code), 8)}.`];
  return {
    at: conversation.startedAt,
    title: sessionTitle({ turns: conversation.turns }, readings),
    text: shortened([...told, ...more, ...changed].join('\n'), 3900),
  };
}

const shortened = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

/** Under which key a command that is run again and again is kept, and how that is said. */
const usual: readonly (readonly [CommandKind, RegExp, string, string])[] = [
  ['test', /./, 'test command', 'Tests are run with'],
  ['build', /./, 'build command', 'It is built with'],
  ['check', /\b(?:tsc|tsgo|mypy|pyright|ty check|\S*type-?check\S*)/, 'type check command', 'Types are checked with'],
  ['check', /\b(?:\S*format\S*|prettier|black|fmt)\b/, 'format command', 'It is formatted with'],
  ['check', /\b(?:\S*lint\S*|ruff check|flake8|clippy|biome)\b/, 'lint command', 'It is linted with'],
  [
    'check',
    /^(?:(?:npm|pnpm|yarn|bun) (?:run )?|make |just |cargo )check\b/,
    'check command',
    'All checks are run with',
  ],
];

/**
 * From commands that went well, and from what the person said is used or decided. The last one under a key counts, and what the person said
 * comes last.
 */
function statementsOf(readings: readonly Reading[], wishes: Wishes): KeyedStatement[] {
  const commands = readings.flatMap(({ deeds }) => deeds.commands).filter(({ outcome }) => outcome === 'ok');
  const found = new Map<string, KeyedStatement>();
  const add = (statement: KeyedStatement) => found.set(statement.key, statement);
  const manager = managerOf(commands.map((command) => command.told));
  if (manager !== undefined)
    add({ key: 'package manager', text: `The package manager is ${manager}.`, saidBy: 'runs' });
  const language = languageOf(unique(readings.flatMap(({ deeds }) => deeds.modified)));
  if (language !== undefined) add({ key: 'language', text: `It is written in ${language}.`, saidBy: 'runs' });
  for (const [kind, pattern, key, opening] of usual) {
    const command = usualOf(commands, kind, pattern);
    if (command !== undefined) add({ key, text: `${opening} ${code(command)}.`, saidBy: 'runs' });
  }
  for (const { text } of wishes.uses) {
    const tool = toolIn(text);
    if (tool !== undefined) add({ key: tool.key, text: ended(text), saidBy: 'person' });
  }
  for (const { decisions, turn } of readings)
    for (const { text, entry } of decisions) {
      if (entry !== turn.request?.id) continue;
      // `use X instead of Y`: the tool that is named first is the one that is used.
      const chosen = /\b(?:use|go with|switch to|stick (?:with|to)|move to|do|decided on)\s+(.{2,30})/i.exec(text)?.[1];
      const tool = toolIn(chosen ?? '');
      const key = tool?.key ?? shortKey(`decision: ${keyOf(withoutPreamble(text))}`);
      add({ key, text: ended(text), saidBy: 'person' });
    }
  return [...found.values()];
}

/** The same command again and again: shortest of the most frequent, without what was only tried once on one file. */
function usualOf(commands: readonly Command[], kind: CommandKind, pattern: RegExp): string | undefined {
  const counts = new Map<string, number>();
  for (const command of commands)
    if (command.kind === kind) {
      const plain = plainCommand(command.told);
      if (plain !== undefined && pattern.test(plain)) counts.set(plain, (counts.get(plain) ?? 0) + 1);
    }
  const [best] = [...counts].sort(([a, x], [b, y]) => y - x || a.length - b.length || (a < b ? -1 : 1));
  return best?.[0];
}

/** Without the file or the single test that it was run on; undefined when nothing general is left. */
function plainCommand(command: string): string | undefined {
  const words = command
    .split(' ')
    .filter((word) => !/[/\\](?!\/)|\.\w{1,5}$|::|…$|^-(?:v+|q|s|x)$|^--(?:verbose|quiet|watch)$/.test(word));
  const plain = words.join(' ').trim();
  const parts = plain.split(' ').length;
  return plain === '' ||
    plain.length > 60 ||
    parts > 6 ||
    (parts < 2 && !/^(?:make|tox|nox|pytest|jest|vitest)$/.test(plain))
    ? undefined
    : plain;
}

const peopleOf = ({ people }: Wishes): Extraction['people'] => {
  const names = unique(people.map(({ name }) => name));
  return names.map((name) => {
    const said = people.filter((one) => one.name === name);
    const role = said.find((one) => one.role !== '')?.role;
    return {
      name,
      statements: [
        ...(role === undefined ? [] : [{ key: 'relation', text: `${name} is a ${role}.`, saidBy: 'person' as const }]),
        ...said.slice(-1).map(({ text }) => ({ key: 'last mentioned', text: ended(text), saidBy: 'person' as const })),
      ],
    };
  });
};

const marks: Partial<Record<CommandKind, string>> = {
  tag: 'Tagged',
  publish: 'Published',
  request: 'Opened a pull request',
};
const shipped =
  /^(?:ok(?:ay)?\W+)?(?:we|i)(?:'ve| have)? (?:just )?(?:merged|shipped|released|deployed|published|launched)\b|\bthe \w+ (?:is|went) (?:now )?live\b/i;

function milestonesOf(readings: readonly Reading[]): Extraction['milestones'] {
  const found = new Map<string, Extraction['milestones'][number]>();
  for (const { deeds, title } of readings) {
    for (const { kind, outcome, told: command, at } of deeds.commands) {
      const mark = marks[kind];
      if (mark === undefined || outcome !== 'ok') continue;
      const name =
        kind === 'tag'
          ? (/^git tag (?:-\w+ )*["']?([\w.@/+-]+)/.exec(command)?.[1] ?? command)
          : /--title[ =]["']([^"'…]{4,90})/.exec(command)?.[1];
      const heading =
        name === undefined ? `${mark}: ${title}` : kind === 'tag' ? `${mark} ${name}` : `${mark}: ${name}`;
      found.set(heading, {
        at,
        title: cut(heading, 110),
        text: `${ended(capital(title))} Ran ${code(command)}.`,
        saidBy: 'runs',
      });
    }
    const merged = deeds.commands.find(
      ({ told: command, outcome }) => outcome === 'ok' && /^gh pr merge\b/.test(command),
    );
    if (merged !== undefined)
      found.set(merged.told, {
        at: merged.at,
        title: cut(`Merged: ${title}`, 110),
        text: `Ran ${code(merged.told)}.`,
        saidBy: 'runs',
      });
  }
  for (const { turn, asked } of readings)
    for (const sentence of asked.sentences.slice(0, 5))
      if (
        shipped.test(sentence) &&
        !/\b(?:that|this|it|them)\b/i.test(sentence) &&
        !/\?\s*$/.test(sentence) &&
        sentence.length < 200 &&
        turn.request !== undefined
      )
        found.set(sentence, {
          at: turn.request.at,
          title: cut(capital(sentence), 110),
          text: `The person said: “${sentence}”`,
          saidBy: 'person',
        });
  return [...found.values()];
}

function insightsOf(readings: readonly Reading[]): Extraction['insights'] {
  return readings
    .flatMap(({ findings, title }) =>
      findings
        .filter(({ weight }) => weight >= certain)
        .slice(0, 2)
        .map((said) => ({ said, title })),
    )
    .slice(0, mostInsights)
    .map(({ said, title }) => ({
      at: said.at,
      title: cut(said.text, 110),
      text: `${ended(said.text)}\nFound while working on: ${ended(title)}`,
      saidBy: 'agent',
    }));
}

const preferenceKey = (key: string, text: string): string => {
  const tool = toolIn(text);
  return tool === undefined ? key : `preferred ${tool.key}`;
};

/** The person's last question, when nobody answered it. */
function questionsOf(turns: readonly Turn[]): Extraction['questions'] {
  const last = turns.findLast(({ request }) => request !== undefined);
  const text = last?.request?.text.trim() ?? '';
  if (last === undefined || last.entries.some(isAnswer) || /^[/!]/.test(text) || assent.test(text)) return [];
  return readRequest(text)
    .sentences.slice(0, 4)
    .filter((sentence) => sentence.endsWith('?') && sentence.length < 300 && sentence.split(' ').length > 5)
    .filter(
      (sentence) => !/^(?:can|could|would|will) (?:you|we)\b|,? (?:no|right|aren't we|isn't it)\?$/i.test(sentence),
    )
    .slice(0, 3)
    .map((question) => ({ text: capital(question) }));
}
