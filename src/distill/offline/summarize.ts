// The turns of a session → its summary: what was asked, investigated, learned, completed and left open.

import { shell } from '../../agents/tools/shell-tools.ts';
import { modifies } from '../../language/files-touched.ts';
import { cut, gist } from '../../language/gist.ts';
import { excuses, openEnds, tellsOfPassing } from '../../language/open-ends.ts';
import type { Entry } from '../../schema/entry.ts';
import type { SummaryText } from '../../schema/summary.ts';
import type { ToolUse } from '../../schema/tool-use.ts';
import type { SessionEnding } from '../../store/sessions/port.ts';
import type { SessionMaterial, Turn } from '../material.ts';
import { achieved, outcomeIn } from './answer.ts';
import { completedText } from './completed.ts';
import { type Command, commitTitles, ends } from './deeds.ts';
import { certain } from './notable.ts';
import { openedSentence, type Reading, readingOf } from './observe.ts';
import { saysNothing } from './request.ts';
import { code, ended, listed, shortNames, unique } from './say.ts';
import { sessionTitle } from './title.ts';

export function summarizeSession(session: SessionMaterial): SummaryText | undefined {
  const readings = session.turns.flatMap((turn) => readingOf(turn) ?? []);
  if (readings.length === 0) return undefined;
  return {
    title: sessionTitle(session, readings),
    request: requestOf(readings),
    investigated: investigatedIn(readings),
    learned: learnedIn(readings),
    ...completedIn(readings),
    nextSteps: openIn(session.turns),
    notes: notesOf(readings),
  };
}

function requestOf(readings: readonly Reading[]): string {
  const [first, ...later] = readings.filter(
    ({ turn }) => turn.request !== undefined && !saysNothing(turn.request.text),
  );
  if (first === undefined) return '';
  const opening = gist(first.asked.sentences.join('\n\n'), 300) || first.title;
  // Keep the requests with the most work, in chronological order.
  const heavy = [...later]
    .filter(({ asked }) => asked.sure)
    .sort((a, b) => b.turn.toolUses.length - a.turn.toolUses.length)
    .slice(0, 5);
  const rest = later.filter((one) => heavy.includes(one)).map(({ asked }) => asked.title);
  return [ended(opening), rest.length === 0 ? '' : `Then: ${ended(rest.join('; '))}`]
    .filter((text) => text !== '')
    .join(' ');
}

function investigatedIn(readings: readonly Reading[]): string {
  const modified = new Set(readings.flatMap(({ deeds }) => deeds.modified));
  const counts = new Map<string, number>();
  for (const { deeds } of readings)
    for (const file of deeds.read) if (!modified.has(file)) counts.set(file, (counts.get(file) ?? 0) + 1);
  const read = [...counts].sort(([, a], [, b]) => b - a).map(([file]) => file);
  const searches = unique(readings.flatMap(({ deeds }) => deeds.searches));
  const looked = unique(
    readings.flatMap(({ deeds }) => deeds.commands.filter(({ kind }) => kind === 'look').map(({ told }) => told)),
  ).filter((told) => !/^(?:echo|pwd|sleep|cd|true)\b/.test(told));
  const delegated = unique(readings.flatMap(({ deeds }) => deeds.delegated));
  return [
    read.length > 0 ? `Read ${listed(read.map(code), 6)}.` : '',
    searches.length > 0
      ? `Searched for ${listed(
          searches.map((search) => code(cut(search, 50))),
          4,
        )}.`
      : '',
    delegated.length > 0
      ? `Asked subagents: ${listed(
          delegated.map((task) => `“${task}”`),
          3,
        )}.`
      : '',
    looked.length > 0 && read.length + searches.length < 4
      ? `Looked with ${listed(
          looked.slice(0, 3).map((told) => code(cut(told, 60))),
          3,
        )}.`
      : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function learnedIn(readings: readonly Reading[]): string {
  // In a session that changed files, only certain findings count.
  const least = readings.some(({ deeds }) => deeds.modified.length > 0) ? certain : 0;
  const found = readings.flatMap(({ findings }) => findings.filter(({ weight }) => weight >= least).slice(0, 2));
  const best = [...found].sort((a, b) => b.weight - a.weight).slice(0, 4);
  const decided = readings.flatMap(({ decisions }) => decisions.slice(0, 1).map(({ text }) => `Decided: “${text}”`));
  const understood = found.filter((one) => best.includes(one)).map(({ text }) => text);
  const answers = understood.length < 2 ? answersIn(readings).slice(0, 2 - understood.length) : [];
  if (understood.length + decided.length + answers.length > 0)
    return unique([...understood, ...answers, ...decided.slice(-3)])
      .map(ended)
      .join(' ');
  // In a session that changed nothing, the last answer is what was learned.
  const last = readings.findLast(({ deeds, answer }) => deeds.modified.length === 0 && answer !== '');
  return readings.every(({ deeds }) => deeds.modified.length === 0) ? outcomeIn(last?.answer ?? '', 400) : '';
}

const inquires =
  /\?\s*$|\b(?:why|find out|investigate|figure out|root cause|look into|flaky|suspect|get lost|at random)\b/i;

/** Answers to questions for which the agent used tools but modified nothing. */
const answersIn = (readings: readonly Reading[]): string[] =>
  readings
    .filter(
      ({ deeds, asked, turn }) =>
        deeds.modified.length === 0 && turn.toolUses.length > 0 && asked.sentences.some((one) => inquires.test(one)),
    )
    .map(({ answer }) => outcomeIn(answer, 260))
    .filter((text) => text.length > 40);

function completedIn(readings: readonly Reading[]): Pick<SummaryText, 'completed' | 'outcome'> {
  const modified = unique(readings.flatMap(({ deeds }) => deeds.modified));
  const commits = unique(readings.flatMap(({ deeds }) => commitTitles(deeds)));
  const commands = readings.flatMap(({ deeds }) => deeds.commands);
  const passed = (['test', 'check', 'build'] as const).flatMap((kind) => {
    const last = commands.findLast((command) => command.kind === kind);
    return last?.outcome === 'ok' ? [cut(last.told, 60)] : [];
  });
  const done = unique(
    readings
      .filter(({ deeds }) => deeds.modified.length > 0)
      .map(({ answer }) => achieved(answer))
      .filter((text) => text !== ''),
  );
  const opened = unique(
    commands.flatMap((one) => (one.opened && one.outcome === 'ok' ? [openedSentence(one.opened)] : [])),
  );
  const released = unique(
    commands
      .filter(({ kind, outcome }) => (kind === 'tag' || kind === 'publish') && outcome === 'ok')
      .map(({ told }) => cut(told, 60)),
  );
  const said = { done: done.slice(-4).map((text) => ended(cut(text, 180))), opened: opened.slice(0, 3) };
  return {
    completed: completedText({ ...said, modified: shortNames(modified), commits, released, passed }),
    outcome: [...said.done, ...said.opened].join(' '),
  };
}

/** Builds the session ending that recall uses from these turns, without reading the store. */
function endingOf(turns: readonly Turn[]): SessionEnding {
  const entries: Entry[] = turns.slice(-6).flatMap((turn) => turn.entries);
  // A failed edit, for example with a wrong `old_string`, is not an open end.
  const uses: ToolUse[] = turns
    .slice(-6)
    .flatMap((turn) => turn.toolUses.filter(({ tool, outcome }) => outcome !== 'error' || shell.test(tool)));
  return {
    prompts: turns
      .flatMap(({ request }) => (request === undefined ? [] : [request]))
      .slice(-4)
      .reverse(),
    entries: entries.filter((entry) => entry.tools.length === 0 || entry.text.trim() !== '').slice(-16),
    toolUses: uses.slice(-20),
  };
}

const openIn = (turns: readonly Turn[]): string =>
  openEnds(endingOf(turns))
    .map(({ text }) => ended(text))
    .join(' ');

const notesOf = (readings: readonly Reading[]): string =>
  stillFailing(readings)
    .slice(-2)
    .map(
      ({ ran, reason }) =>
        `${code(cut(ran, 80))} failed at the end${reason === '' ? '' : `: ${reason.replace(/[.\s]+$/, '')}`}.`,
    )
    .join(' ');

/** Checks that failed and have no later passing run, commit, edit or mention of success, and no other cause than the work. */
function stillFailing(readings: readonly Reading[]): Command[] {
  const last = readings.at(-1);
  if (last === undefined || tellsOfPassing(last.answer) || excuses(last.answer)) return [];
  const commands = readings.flatMap(({ deeds }) => deeds.commands);
  const edited = readings
    .flatMap(({ turn }) => turn.toolUses)
    .filter(({ tool, outcome, files }) => modifies.test(tool) && outcome !== 'error' && files.length > 0)
    .map(({ at }) => at)
    .sort()
    .at(-1);
  return commands.filter(
    (command, i) =>
      command.outcome === 'failed' &&
      (command.kind === 'test' || command.kind === 'check' || command.kind === 'build') &&
      (edited === undefined || command.at >= edited) &&
      !commands.slice(i + 1).some((later) => later.purpose === command.purpose || ends(later, command)),
  );
}
