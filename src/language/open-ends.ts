// What a session left open, judged by how it ended: an unanswered prompt, an interruption, a failure, or its own last words.

import { splitLine, withoutPlace, withoutPrefix } from '../agents/tools/command-line.ts';
import { shell } from '../agents/tools/shell-tools.ts';
import { roughPurpose } from '../agents/tools/usual-commands.ts';
import type { Entry } from '../schema/entry.ts';
import type { ToolUse } from '../schema/tool-use.ts';
import type { SessionEnding } from '../store/sessions/port.ts';
import { commandLine, cut, gist, type Sentence, sentencesOf, toolGist } from './gist.ts';
import { isTellingWord } from './stop-words.ts';
import { wasStopped } from './stopped.ts';

/** Why something is open. A later commit or push of the project ends what is `undelivered`, and one that does it what is `pledged`. */
export type OpenEndKind =
  | 'interrupted'
  | 'unanswered'
  | 'undelivered'
  | 'failed'
  | 'unfinished'
  | 'promised'
  | 'pledged';

export interface OpenEnd {
  readonly kind: OpenEndKind;
  readonly entry: string;
  readonly text: string;
}

const longest = 240;
const mostOfOne = 3;

/** Words by which an answer says outright that something does not work, or was not done. Weaker words are wrong nine times out of ten. */
const cues = [
  /\b(?:still (?:fails?|failing|broken|red|unsolved)|(?:is|are|remains?) still (?:failing|broken|missing|to be done))\b/i,
  /\bremains? (?:to be (?:done|fixed|implemented|written)|broken|unfixed|unsolved)\b/i,
  /\b(?:is|are|was|were|has|have)(?: not|n't) (?:been )?(?:yet )?(?:implemented|finished|done|fixed|tested|deployed|merged)(?: yet)\b|\bnot yet (?:implemented|finished|done|fixed|deployed|merged)\b(?!:)/i,
  /\b(?:is|are) blocked (?:on|by)\b/i,
  /^(?:i )?(?:could ?n[o']t|was unable to|were unable to) (?:fix|finish|complete|reproduce|verify|test|push|run)\b/i,
  /^(?:TODO|FIXME|to-?do)\b\s*:/i,
  /^(?:remaining(?: work)?|left to do|still to do)\s*:\s*\S/i,
  /^(?:still open|left open|still (?:left|missing)|outstanding|deferred)\b[^:.?!]{0,40}:\s*\S/i,
];
/** `Next steps` is not among them: that is mostly advice for after the work. */
const headings =
  /^(?:to-?dos?|remaining(?: work| tasks| items| steps)?|(?:what(?:'s| is) )?(?:still )?(?:left(?: to do)?|missing|open)|left to do|still open|open (?:issues|points|tasks)|not (?:yet )?done)\W*$/i;
/** An offer, advice, or a case that may arise was not left open. */
const offered =
  /^(?:you (?:can|could|may|might)|if\b|optional(?:ly)?|consider|feel free|want me|i can|i could (?!not)|we (?:can|could)|let me know|when you|once you|no |none\b|nothing)|\((?:optional|if needed|recommended)\)|\b(?:unrelated|by design|intentional(?:ly)?|expected|pre-?existing|as before|out of scope)\b/i;
/** A legend or a rule: `pending = not yet implemented`. */
const defines = /\s(?:=|→|=>|means)\s|^\w+ - /;
const settled =
  /\b(?:no|none|nothing|without|all|every)\b[^.]{0,50}\b(?:remaining|outstanding|unresolved|left|todo)\b|\b(?:remaining|outstanding)\b[^.]{0,60}\b(?:pass(?:es|ed|ing)?|fixed|done|complete[d]?|resolved|addressed|green)\b/i;
/** Puts off something that the sentence names. `Let's continue tomorrow` names nothing. */
const promised =
  /\b(?:i|we|you|let)(?:['’]?(?:ll|s|re)| will| can| should)? (?:do|finish|fix|add|handle|tackle|address|write|test|clean up|look (?:at|into)|work on|continue with|come back to) (?!it\b|that\b|this\b|them\b|these\b)[^,.?!]{6,80} (?:later|tomorrow|next (?:time|week)|another (?:day|time)|in (?:a|another) (?:follow-?up|separate|later|new|next) (?:pr|session|branch|issue|change))\b/i;
/** A step that waits for something else: `repin it once the fix is released`. */
const step = String.raw`(?:(?:re-?|un-?)?pin|re-?vendor|bump|upgrade|switch (?:back|over)|re-?enable|restore|(?:drop|remove|delete|replace|revert)\b(?= [^.?!]{0,60}\b(?:work-?arounds?|pins?|replace directives?|shims?|forks?|overrides?|hacks?|patch(?:es)?|pseudo-versions?|temporary|stop-?gaps?|fallbacks?)\b))`;
const arrives = String.raw`(?:once|when|after|as soon as)\b[^.?!]{0,80}\b(?:released?|tagged|merge[ds]|lands?|landed|published|ships|shipped|available|deployed|upstreamed)\b`;
const pledged = new RegExp(
  String.raw`\b${step}\b[^.?!]{3,140}\b${arrives}|\b${arrives}[^.?!]{0,60}[\s,](${step})\b`,
  'i',
);
/** What was not done so far, or is only advice. */
const unpledged = /\b(?:already|was|were|have|has|had|never|don['’]t|do not)\b[^,.]{0,30}$/i;

/** The sentence of an answer that puts a step off until something else has happened. */
function pledgeIn(text: string): string | undefined {
  const found = sentencesOf(text).find(({ text: sentence }) => {
    const at = pledged.exec(sentence)?.index ?? -1;
    return at >= 0 && !sentence.endsWith('?') && !offered.test(sentence) && !unpledged.test(sentence.slice(0, at));
  });
  return found === undefined ? undefined : cut(found.text, longest);
}

const stepsIn = (text: string): string[] =>
  [
    ...text
      .toLowerCase()
      .matchAll(/\b(?:re-?|un-?)?(pin|vendor|bump|upgrade|switch|enable|restore|drop|remove|delete|replace|revert)/g),
  ].map(([, verb = '']) => verb);
const longWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.-]{3,}/gu) ?? []).filter(isTellingWord);

/** Whether the title of a commit says that a pledged step was taken: the same verb about one thing that both name. */
export function fulfils(pledge: string, title: string): boolean {
  const [verbs, words] = [new Set(stepsIn(pledge)), new Set(longWords(pledge))];
  return stepsIn(title).some((verb) => verbs.has(verb)) && longWords(title).some((word) => words.has(word));
}

const politeness =
  /\b(?:anything else|help (?:you )?with|else (?:can|would|should)|let me know|ready to|what would you like|how can i)\b/i;
export const interrupted = /^\[Request interrupted by user/;
/** Typed, but not meant for the agent. */
const command = /^(?:[/!]|(?:clear|exit|quit)\W*$)/i;
export const assent = /^(?:ok(?:ay)?|thanks?|thank you|great|perfect|nice|cool|good|awesome|lgtm)\b.{0,20}$/is;

export const isPrompt = ({ author, text }: Pick<Entry, 'author' | 'text'>): boolean =>
  author === 'person' && !command.test(text.trim());

export const isAnswer = ({ author }: Pick<Entry, 'author'>): boolean => author === 'model';

/** Most pressing first. Contract: nothing that the machine said, and the same result for the same ending. */
export function openEnds(ending: SessionEnding): OpenEnd[] {
  const { entries } = ending;
  const lastPrompt = entries.findLastIndex(isPrompt);
  const lastAnswer = entries.findLastIndex(isAnswer);
  const prompt = entries[lastPrompt] ?? ending.prompts.find(isPrompt);
  const stopped = entries.findLastIndex((entry) => entry.author === 'machine' && interrupted.test(entry.text));
  const found: OpenEnd[] = [];
  const add = (kind: OpenEndKind, entry: string, text: string) => {
    if (found.length < mostOfOne && text !== '') found.push({ kind, entry, text });
  };
  if (prompt !== undefined && stopped > Math.max(lastPrompt, lastAnswer) && isInterrupted(prompt, ending))
    add('interrupted', prompt.id, `Interrupted while working on: ${gist(prompt.text, longest)}`);
  else if (
    prompt !== undefined &&
    isRequest(prompt) &&
    stopped < lastPrompt &&
    lastPrompt > lastAnswer &&
    !usedToolsSince(ending, prompt) &&
    !assent.test(prompt.text.trim())
  )
    add('unanswered', prompt.id, `Asked and not answered: ${gist(prompt.text, longest)}`);
  else if (prompt !== undefined && isUndelivered(prompt, ending))
    add('undelivered', prompt.id, `Asked for, and not done: ${gist(prompt.text, longest)}`);
  const answer = entries[lastAnswer];
  const failed = lastFailure(ending.toolUses);
  const isOver =
    answer !== undefined && lastAnswer > lastPrompt && (tellsOfPassing(answer.text) || excuses(answer.text));
  if (failed !== undefined && !isOver)
    add(
      'failed',
      failed.entry,
      `Last run failed: ${toolGist(failed, 100)}${inBrackets(errorLine(failed.output ?? ''))}`,
    );
  if (answer !== undefined && lastAnswer > lastPrompt) {
    const open = unfinished(answer.text);
    for (const text of open) add('unfinished', answer.id, text);
    const pledge = pledgeIn(answer.text);
    if (pledge !== undefined && !open.includes(pledge)) add('pledged', answer.id, pledge);
  }
  for (const said of ending.prompts.slice(0, 2))
    if (isPrompt(said))
      for (const { text } of sentencesOf(said.text))
        if (promised.test(text) && text.length <= longest && !text.endsWith('?'))
          add('promised', said.id, `The person said: ${text}`);
  return found;
}

const deliver =
  /^(?:(?:ok(?:ay)?|great|good|nice|perfect|now|then|and|please|can you|could you|let'?s|go ahead and)[\s,.!]+)*(commit|push)\b/i;
const delivers = {
  commit: /\bgit (?:-\S+ (?:\S+ )?)?commit\b/,
  push: /\bgit (?:-\S+ (?:\S+ )?)?push\b|\bgh pr create\b/,
} as const;

/**
 * Whether the last prompt asks to commit or push, and the attempt failed. Without an attempt, a person or a session beside this one has
 * mostly done it.
 */
function isUndelivered(prompt: Entry, { entries, toolUses }: SessionEnding): boolean {
  const asked = deliver.exec(prompt.text.trim())?.[1]?.toLowerCase() as 'commit' | 'push' | undefined;
  if (asked === undefined || prompt.form !== undefined || prompt.text.length > 120) return false;
  const tried = toolUses.filter(
    ({ at, tool, input }) =>
      at >= prompt.at && shell.test(tool) && delivers[asked].test(commandLine(input, 1600) ?? ''),
  );
  const failed =
    tried.length > 0 && tried.every(({ outcome, output }) => outcome === 'error' && !wasStopped(output ?? ''));
  const said = entries.some(
    (entry) =>
      isAnswer(entry) &&
      entry.at >= prompt.at &&
      /\b(?:committed|pushed|nothing to (?:commit|push))\b/i.test(entry.text),
  );
  return failed && !said;
}

const usedToolsSince = ({ toolUses }: SessionEnding, prompt: Entry): boolean =>
  toolUses.some((use) => use.at > prompt.at);

/**
 * A refused or accepted plan ends a turn like an interruption. Two words, such as `commit this`, leave nothing open. A person who refuses a
 * commit or push delivers by hand, and one who stops the agent after its report has what was asked for.
 */
const isInterrupted = (prompt: Entry, { entries, toolUses }: SessionEnding): boolean =>
  isRequest(prompt) &&
  !endsWithPlan(toolUses) &&
  !entries.some((entry) => isAnswer(entry) && entry.at >= prompt.at && tellsOfPassing(entry.text)) &&
  !Object.values(delivers).some((command) => command.test(toolUses.at(-1)?.input ?? ''));
const isRequest = ({ form, text }: Entry): boolean => form === undefined && text.trim().split(/\s+/).length > 2;

/** An accepted plan continues in the next session: the client ends the turn as if it were interrupted. */
const endsWithPlan = (uses: readonly ToolUse[]): boolean => /plan/i.test(uses.at(-1)?.tool ?? '');

/** Sentences of an answer that point ahead. A question at its end is mostly an offer. */
function unfinished(text: string): string[] {
  const open = sentencesOf(text).filter((sentence) => pointsAhead(sentence));
  return [...new Set(open.map((sentence) => cut(sentence.text, longest)))];
}

function pointsAhead({ text, heading }: Sentence): boolean {
  if (
    text.endsWith('?') ||
    text.endsWith(':') ||
    settled.test(text) ||
    politeness.test(text) ||
    offered.test(text) ||
    defines.test(text)
  )
    return false;
  return (headings.test(heading) && text.split(' ').length > 2) || cues.some((cue) => cue.test(text));
}

const saysPass =
  /(?:^|\n)\W*(?:committed|pushed|merged)\b|\b(?:all|every|the) (?:\d+ |the |of the )?(?:\w+ ){0,3}(?:tests?|checks?|suites?|builds?|lint\w*)\b[^.\n]{0,40}\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|clean)\b|\b(?:tests?|lint|checks?|build|everything) (?:now |all |is |are )*(?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?)\b|\ball green\b|\b0 (?:issues|errors|failures)\b/i;

/** Whether an answer says that the checks pass. */
export const tellsOfPassing = (answer: string): boolean => saysPass.test(answer.slice(0, 8000));

const excuse =
  /\b(?:unrelated|pre-?existing|not (?:related|caused by)|as expected|expected (?:to fail|failure)|already (?:failing|broken|fails)|flaky|known issue|sandbox|network (?:access|error)|not installed|no (?:internet|network)|without (?:docker|network)|environment(?:al)? (?:issue|problem|limitation))\b/i;

/** Whether an answer says that a failure has another cause than the work. */
export const excuses = (answer: string): boolean => excuse.test(answer.slice(0, 8000));

/** The last tool use, if it was a build, test or check of the project that failed and that the person had not refused. */
function lastFailure(uses: readonly ToolUse[]): ToolUse | undefined {
  const last = uses.at(-1);
  if (last?.outcome !== 'error' || wasStopped(last.output ?? '') || !shell.test(last.tool)) return undefined;
  const line = commandLine(last.input, 1600) ?? '';
  return splitLine(line).some(({ text }) => roughPurpose(withoutPlace(withoutPrefix(text))) !== undefined)
    ? last
    : undefined;
}

const inBrackets = (text: string | undefined): string => (text === undefined ? '' : ` (${text})`);

/** The line of an output that says what went wrong. */
const tellsError = /\b(?:error|fail\w*|cannot|not found|no such|denied|exception|refused|invalid)\b/i;
/** A script runner shows the command that it runs, a test runner lists what passed, and a linter shows the code around its finding. */
const isEcho = /^(?:[$>] |\(?pass\b|[✓✔√] |ok\s|[\d ]+[│|] )/i;

export function errorLine(output: string): string | undefined {
  const line = output
    .replace(/<\/?tool_use_error>/g, '')
    .split(/[\n\r]/)
    .map((candidate) => candidate.replace(/[\p{Cc}]\[[0-9;]*[A-Za-z]/gu, '').trim())
    .find((candidate) => tellsError.test(candidate) && !isEcho.test(candidate));
  return line === undefined ? undefined : cut(line, 120);
}
