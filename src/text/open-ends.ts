// What a session left open, told by how it ended: an unanswered prompt, an interruption, a failure, or its own last words.
import type { Entry } from '../schema/entry.ts';
import type { ToolUse } from '../schema/tool-use.ts';
import type { SessionEnding } from '../store/store.ts';
import { cut, gist, type Sentence, sentencesOf, toolGist } from './gist.ts';

export interface OpenEnd {
  readonly entry: string;
  readonly text: string;
}

const longest = 240;
const mostOfOne = 3;

/** Words by which an answer says that something is still to be done. */
const cues = [
  /\bnext steps?\b(?! (?:is|are|was|were) (?:done|complete))/i,
  /\b(?:TODO|FIXME)\b/,
  /\bto-?do:/i,
  /\b(?:remaining|outstanding|unresolved)\b/i,
  /\bremains? (?:to be|open|unclear|broken|un\w+)\b/i,
  /\bstill (?:fail\w*|broken|missing|open|needs?|red|unclear|unsolved|pending|to do|to be done|not|does(?:n't| not)|errors?)\b/i,
  /\bnot (?:yet|done|implemented|finished|covered|tested) /i,
  /\b(?:isn't|aren't|haven't|hasn't|didn't|doesn't|don't)\b.{0,60}\byet\b/i,
  /\b(?:left (?:to do|open|undone|for later)|for (?:a )?later|as a follow[- ]?up|follow[- ]?up (?:is|would|could|should|work|task|issue|pr))\b/i,
  /\bblocked (?:on|by)\b|\bwaiting (?:for|on)\b/i,
  /\bI(?:'d| would)? (?:recommend|suggest)\b/i,
  /(?:^you|\byou(?:'ll| will)|\byou still) (?:need|have) to\b|\byou should now\b/i,
  /\bcan (?:then )?be \w+ (?:when|once|after|as soon as)\b/i,
  /\bwhat(?:'s| is) (?:still )?(?:left|missing)\b/i,
  /\bissue #\d+\b/i,
];
const headings =
  /\b(?:next steps?|to-?dos?|remaining|left to do|still open|open (?:questions|issues|points)|follow[- ]?ups?|known (?:issues|limitations)|not (?:yet )?done|what'?s (?:left|next|missing))\b/i;
const settled =
  /\b(?:no|none|nothing|without|all|every)\b[^.]{0,50}\b(?:remaining|outstanding|unresolved|left|todo)\b|\b(?:remaining|outstanding)\b[^.]{0,60}\b(?:pass(?:es|ed|ing)?|fixed|done|complete[d]?|resolved|addressed|green)\b/i;
const promised =
  /\b(?:tomorrow|(?:do|handle|fix|finish|look at) (?:it|that|this|them|these|the rest) later|come back (?:to|when|later|tomorrow)|don'?t forget|remember to|remind me|next time)\b/i;
const politeness =
  /\b(?:anything else|help (?:you )?with|else (?:can|would|should)|let me know|ready to|what would you like|how can i)\b/i;
export const interrupted = /^\[Request interrupted by user/;
export const refused = /doesn't want to (?:proceed|take this action)|was rejected|^\[Request interrupted/;
/** Typed, but not asked of the agent. */
const command = /^(?:[/!]|(?:clear|exit|quit)\W*$)/i;
export const assent = /^(?:ok(?:ay)?|thanks?|thank you|great|perfect|nice|cool|good|awesome|lgtm)\b.{0,20}$/is;

export const isPrompt = ({ author, text }: Pick<Entry, 'author' | 'text'>): boolean =>
  author === 'person' && !command.test(text.trim());

export const isAnswer = ({ author }: Pick<Entry, 'author'>): boolean => author === 'model';

/** The text of an answer without the line that names its tools. */
export const answerText = (entry: Entry): string => entry.text.replace(/\n?\[Used tools: [^\]\n]*\]\s*$/, '');

/** Most pressing first. Contract: nothing that the machine said, and the same for the same ending. */
export function openEnds(ending: SessionEnding): OpenEnd[] {
  const { entries } = ending;
  const lastPrompt = entries.findLastIndex(isPrompt);
  const lastAnswer = entries.findLastIndex(isAnswer);
  const prompt = entries[lastPrompt] ?? ending.prompts.find(isPrompt);
  const stopped = entries.findLastIndex((entry) => entry.author === 'machine' && interrupted.test(entry.text));
  const found: OpenEnd[] = [];
  const add = (entry: string, text: string) => {
    if (found.length < mostOfOne && text !== '') found.push({ entry, text });
  };
  if (prompt !== undefined && stopped > Math.max(lastPrompt, lastAnswer))
    add(prompt.id, `Interrupted while working on: ${gist(prompt.text, longest)}`);
  else if (
    prompt !== undefined &&
    lastPrompt > lastAnswer &&
    !usedToolsSince(ending, prompt) &&
    !assent.test(prompt.text.trim())
  )
    add(prompt.id, `Asked and not answered: ${gist(prompt.text, longest)}`);
  const failed = lastFailure(ending.toolUses);
  if (failed !== undefined)
    add(failed.entry, `Last run failed: ${toolGist(failed, 100)}${inBrackets(errorLine(failed.output ?? ''))}`);
  const answer = entries[lastAnswer];
  if (answer !== undefined && lastAnswer > lastPrompt)
    for (const text of unfinished(answerText(answer))) add(answer.id, text);
  for (const said of ending.prompts.slice(0, 2))
    if (isPrompt(said))
      for (const { text } of sentencesOf(said.text))
        if (promised.test(text) && text.length <= longest) add(said.id, `The person said: ${text}`);
  return found;
}

const usedToolsSince = ({ toolUses }: SessionEnding, prompt: Entry): boolean =>
  toolUses.some((use) => use.at > prompt.at);

/** Sentences of an answer that point ahead, and a question that it ends with. */
function unfinished(text: string): string[] {
  const sentences = sentencesOf(text);
  const last = sentences.at(-1);
  const open = sentences.filter((sentence) => pointsAhead(sentence)).map((sentence) => cut(sentence.text, longest));
  if (last?.text.endsWith('?') && !politeness.test(last.text))
    open.unshift(`Asked the person: ${cut(last.text, longest)}`);
  return [...new Set(open)];
}

function pointsAhead({ text, heading }: Sentence): boolean {
  if (text.endsWith('?') || text.endsWith(':') || settled.test(text) || politeness.test(text)) return false;
  return headings.test(heading) || cues.some((cue) => cue.test(text));
}

/** The last use of a tool, if it failed and nobody had refused it. */
function lastFailure(uses: readonly ToolUse[]): ToolUse | undefined {
  const last = uses.at(-1);
  return last?.outcome === 'error' && !refused.test(last.output ?? '') ? last : undefined;
}

const inBrackets = (text: string | undefined): string => (text === undefined ? '' : ` (${text})`);

/** The line of an output that says what went wrong. */
export function errorLine(output: string): string | undefined {
  const line = output
    .replace(/<\/?tool_use_error>/g, '')
    .split('\n')
    .map((candidate) => candidate.replace(/[\p{Cc}]\[[0-9;]*[A-Za-z]/gu, '').trim())
    .find((candidate) =>
      /\b(?:error|fail\w*|cannot|not found|no such|denied|exception|refused|invalid)\b/i.test(candidate),
    );
  return line === undefined ? undefined : cut(line, 120);
}
