// A conversation → what the librarian keeps of it. A wrong fact is worse than none, so this takes only what was run or said outright.

import type { Purpose } from '../../agents/tools/usual-commands.ts';
import { cut } from '../../language/gist.ts';
import { assent, isAnswer } from '../../language/open-ends.ts';
import { choiceText } from '../../schema/choice.ts';
import type { Extraction, KeyedStatement } from '../../schema/extraction.ts';
import { askedFor } from '../../schema/statement-form.ts';
import type { ConversationMaterial, Turn } from '../material.ts';
import { achieved, outcomeIn } from './answer.ts';
import { withSubject } from './choices.ts';
import { chosenIn } from './chosen.ts';
import type { CommandKind } from './commands.ts';
import { commitFacts } from './commit-facts.ts';
import type { Command } from './deeds.ts';
import { docsAdded } from './docs-added.ts';
import { insightsOf } from './insights.ts';
import { doneSentence, openedSentence, type Reading, readingOf } from './observe.ts';
import { planRules } from './plan-rules.ts';
import { withoutPreamble } from './preamble.ts';
import { anaphor, readRequest, wordsOf } from './request.ts';
import { capital, code, ended, listed, unique } from './say.ts';
import { toolIn } from './stack.ts';
import { planFeedback, statedByPerson } from './stated.ts';
import { sessionTitle } from './title.ts';
import { unfitCommands } from './unfit.ts';
import { keyOf, type Preference, type Wishes, wishesOf } from './wishes.ts';
import { conceptsIn, instructionsAdded, planDecisions, planGoals } from './written.ts';

export function extractConversation(conversation: ConversationMaterial): Extraction {
  const readings = conversation.turns.flatMap((turn) => readingOf(turn) ?? []);
  const wishes = wishesOf(conversation.turns);
  const modified = readings.flatMap(({ deeds }) => deeds.modified);
  const isGuest = modified.length > 0 && modified.every((file) => /^(?:[A-Za-z]:)?[\\/]|^\.\./.test(file));
  const commits = commitFacts(
    readings.flatMap(({ deeds }) => deeds.commands),
    isGuest,
  );
  /** Without a project, there is no other page. */
  const isCore = ({ isGeneral }: Preference): boolean => isGeneral || conversation.project === '';
  const statements = statementsOf(conversation.turns, readings, wishes, commits.statements);
  return {
    episodes: readings.length === 0 ? [] : [episodeOf(conversation, readings)],
    projects:
      conversation.project === '' || statements.length === 0
        ? []
        : [{ name: cut(conversation.project, 120), statements }],
    people: peopleOf(wishes),
    milestones: milestonesOf(readings),
    insights: insightsOf(conversation.turns, readings, commits.causes),
    facts: [
      ...wishes.preferences.filter(isCore).map(({ key, text }) => ({
        about: 'user' as const,
        key: cut(preferenceKey(key, text), 80),
        text: ended(text),
        saidBy: 'person' as const,
      })),
      ...wishes.procedures.map(({ key, text }) => ({
        about: 'procedure' as const,
        key: cut(key, 80),
        text: ended(text),
        saidBy: 'person' as const,
      })),
    ],
    questions: questionsOf(conversation.turns),
  };
}

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

const openings: Readonly<Record<Purpose, string>> = {
  test: 'Tests are run with',
  build: 'It is built with',
  'type check': 'Types are checked with',
  format: 'It is formatted with',
  lint: 'It is linted with',
  check: 'All checks are run with',
};

/** Each usual command that succeeded, once. The librarian counts them over all sessions of the repository to choose one for the page. */
function commandStatements(readings: readonly Reading[]): KeyedStatement[] {
  const found = new Map<string, KeyedStatement>();
  for (const reading of readings)
    for (const { usual } of reading.deeds.commands)
      for (const { key, purpose, which, line } of usual) {
        const text =
          which === ''
            ? `${openings[purpose]} ${code(line)}.`
            : `The task ${key.replace(/ command.*$/, '')} is run with ${code(line)}.`;
        const isAsked = found.get(line)?.why !== undefined || isAskedFor(reading, purpose, line);
        found.set(line, {
          ...{ key: cut(key, 80), text, saidBy: 'runs' },
          ...(isAsked ? { why: askedFor } : {}),
        });
      }
  return [...found.values()];
}

const asksFor: Readonly<Record<Purpose, RegExp>> = {
  test: /\btests?\b/i,
  build: /\b(?:build|builds|compile|compiles)\b/i,
  'type check': /\b(?:types?|typecheck\w*|type[- ]check\w*)\b/i,
  format: /\bformat\w*\b/i,
  lint: /\blint\w*\b/i,
  check: /\bchecks?\b/i,
};
const wantsRun = /\b(?:run|runs|rerun|execute|check|checks|make sure|ensure|verify|pass|passes|green|fix)\b/i;
const longestRequest = 700;

/** Whether the person asked for the check, its last run passed, and the answer names the command. */
function isAskedFor({ turn, answer, deeds }: Reading, purpose: Purpose, line: string): boolean {
  const asked = turn.request?.text ?? '';
  if (asked.length > longestRequest || !wantsRun.test(asked) || !asksFor[purpose].test(asked)) return false;
  const last = deeds.commands.findLast((command) => (command.purposes ?? [command.purpose]).includes(purpose));
  return last?.outcome === 'ok' && answer.includes(line);
}

/** Statements from commands, from texts that a model wrote, and from what the person said or chose. The last one with the same key wins. */
function statementsOf(
  turns: readonly Turn[],
  readings: readonly Reading[],
  wishes: Wishes,
  committed: readonly KeyedStatement[],
): KeyedStatement[] {
  const found = new Map<string, KeyedStatement>();
  const add = (statement: KeyedStatement) => found.set(statement.key, statement);
  const decided = [...planGoals(turns), ...planDecisions(turns)];
  const rules = planRules(turns).filter(({ text }) => !decided.some((other) => repeats(text, other.text)));
  const planned = [...rules, ...decided];
  const stated = [...statedByPerson(turns), ...planFeedback(turns)];
  // What a plan says, its commits and a compaction say again.
  const repeated = [...committed, ...docsAdded(turns), ...conceptsIn(turns)].filter(
    ({ change, text }) => change === 'retire' || !planned.some((other) => repeats(text, other.text)),
  );
  for (const statement of [...repeated, ...planned, ...instructionsAdded(turns)]) add(statement);
  for (const statement of stated)
    if (!wishes.preferences.some(({ text }) => text.includes(statement.text))) add(statement);
  for (const { key, text, isGeneral } of wishes.preferences)
    if (!isGeneral) add({ key: cut(`preference: ${key}`, 80), text: ended(text), saidBy: 'person' });
  for (const { text } of wishes.uses) {
    const tool = toolIn(text);
    if (tool !== undefined) add({ key: tool.key, text: ended(text), saidBy: 'person' });
  }
  for (const { decisions, turn } of readings)
    for (const { text, entry } of decisions) {
      if (entry !== turn.request?.id) continue;
      // In `use X instead of Y`, the first tool is the chosen one.
      const chosen = /\b(?:use|go with|switch to|stick (?:with|to)|move to|do|decided on)\s+(.{2,30})/i.exec(text)?.[1];
      const tool = toolIn(chosen ?? '');
      add({
        key: tool?.key ?? cut(`decision: ${keyOf(withoutPreamble(text))}`, 80),
        text: ended(text),
        saidBy: 'person',
      });
    }
  for (const { choice, subject } of chosenIn(turns)) {
    const told = withSubject(choice, subject);
    if (told === undefined) continue;
    const chosen = { question: told.question, answer: ended(told.answer) };
    // Two sessions may ask `which direction should the fix take` about different things.
    const about = chosen.question === choice.question ? '' : ` (${subject})`;
    add({
      key: cut(`choice: ${keyOf(choice.question)}${about}`, 80),
      text: choiceText(chosen),
      choice: chosen,
      saidBy: 'person',
    });
  }
  for (const { text, tool } of refusalsIn(turns)) add({ key: tool, text, saidBy: 'person' });
  return [...found.values(), ...commandStatements(readings), ...unfitCommands(turns)];
}

const fewestShared = 4;

/** Whether two texts share at least half of the words of the shorter one. */
function repeats(one: string, other: string): boolean {
  const [words, others] = [new Set(wordsOf(one)), new Set(wordsOf(other))];
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared >= fewestShared && shared >= Math.min(words.size, others.size) / 2;
}

/** A person who refuses a command with `use pnpm` names the tool of the project. */
function refusalsIn(turns: readonly Turn[]): { text: string; tool: string }[] {
  return turns.flatMap(({ entries }) =>
    entries.flatMap(({ form, text }) => {
      const said =
        form === 'verdict' ? /^\[Rejected the use of a tool\]\n(.{4,80})$/.exec(text.trim())?.[1] : undefined;
      const tool =
        said !== undefined && /^(?:please )?use [\w.-]+(?: instead)?[.!]?$/i.test(said) ? toolIn(said) : undefined;
      return tool === undefined
        ? []
        : [{ text: `Use ${tool.tool}: the person refused a command that did not.`, tool: tool.key }];
    }),
  );
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

const marks: Partial<Record<CommandKind, string>> = { tag: 'Tagged', publish: 'Published' };
const shipped =
  /^(?:ok(?:ay)?\W+)?(?:we|i)(?:'ve| have)? (?:just )?(?:merged|shipped|released|deployed|published|launched) [^,]{6,}$|^the \w+ (?:is|went) (?:now )?live\b/i;
const unshipped =
  /\?\s*$|\b(?:that|this|it|them|but|maybe|wrong|wrongly|issues?|conflicts?|however|might|should|some|other)\b/i;

type Milestone = Extraction['milestones'][number];

function milestonesOf(readings: readonly Reading[]): Milestone[] {
  const found = new Map<string, Milestone>();
  for (const { deeds, title } of readings)
    for (const command of deeds.commands) {
      const told = command.outcome === 'ok' ? (openedBy(command, title) ?? releasedBy(command, title)) : undefined;
      if (told !== undefined) found.set(told.key, told.milestone);
    }
  for (const { turn, asked } of readings)
    for (const sentence of asked.sentences.slice(0, 5))
      if (shipped.test(sentence) && !unshipped.test(sentence) && sentence.length < 200 && turn.request !== undefined)
        found.set(sentence, {
          at: turn.request.at,
          title: cut(capital(sentence), 110),
          text: `The person said: “${sentence}”`,
          saidBy: 'person',
        });
  return [...found.values()];
}

/** The same key twice is the same milestone. */
interface ToldMilestone {
  readonly key: string;
  readonly milestone: Milestone;
}

function openedBy({ opened, at }: Command, title: string): ToldMilestone | undefined {
  if (opened === undefined) return undefined;
  const told = openedSentence(opened.title === undefined ? { ...opened, title } : opened);
  const heading = cut(told.replace(/\.$/, ''), 110);
  return { key: told, milestone: { at, title: heading, text: told, saidBy: 'runs' } };
}

function releasedBy(command: Command, title: string): ToldMilestone | undefined {
  const heading = releaseHeading(command, title);
  if (heading === undefined) return undefined;
  const text = `${ended(capital(title))} Ran ${code(command.told)}.`;
  return { key: heading, milestone: { at: command.at, title: cut(heading, 110), text, saidBy: 'runs' } };
}

function releaseHeading({ kind, told }: Command, title: string): string | undefined {
  const merged = /^gh pr merge(?: (\d+))?/.exec(told);
  if (merged !== null)
    return `Merged ${merged[1] === undefined ? 'a pull request' : `pull request #${merged[1]}`}: ${title}`;
  const mark = marks[kind];
  if (mark === undefined) return undefined;
  const name = kind === 'tag' ? /^git tag (?:-\w+ )*["']?([\w.@/+-]+)/.exec(told)?.[1] : undefined;
  return name === undefined ? `${mark}: ${title}` : `${mark} ${name}`;
}

const preferenceKey = (key: string, text: string): string => {
  const tool = toolIn(text);
  return tool === undefined ? `preference: ${key}` : `preferred ${tool.key}`;
};

/** The person's last question, if the agent did not answer it. */
function questionsOf(turns: readonly Turn[]): Extraction['questions'] {
  const last = turns.findLast(({ request }) => request !== undefined);
  const text = last?.request?.text.trim() ?? '';
  if (last === undefined || last.entries.some(isAnswer) || /^[/!]/.test(text) || assent.test(text)) return [];
  return readRequest(text)
    .sentences.slice(0, 4)
    .filter((sentence) => sentence.endsWith('?') && sentence.length < 300 && sentence.split(' ').length > 5)
    .filter((sentence) => !anaphor.test(sentence) && !/\b(?:this|that|these|those|it|they)\b/i.test(sentence))
    .filter(
      (sentence) => !/^(?:can|could|would|will) (?:you|we)\b|,? (?:no|right|aren't we|isn't it)\?$/i.test(sentence),
    )
    .slice(0, 3)
    .map((question) => ({ text: capital(question) }));
}
