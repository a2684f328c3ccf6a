// Messages in the form of Google's API, as Gemini CLI and its descendants store them: parts of text, calls and
// responses.
import { withoutInjected } from './injected.ts';
import { asObject, asString, textsAt } from './json.ts';

const partsOf = (content: unknown): unknown[] =>
  typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [content];

/** The text, without thoughts and without what the client injected. */
export const textOfParts = (content: unknown): string =>
  partsOf(content)
    .map((part) => asObject(part))
    .filter(({ text, thought }) => typeof text === 'string' && thought !== true)
    .map(({ text }) => withoutInjected(text as string))
    .filter((text) => text !== '')
    .join('\n');

const [filesBegin, filesEnd] = ['--- Content from referenced files ---', '--- End of content ---'];

/** What the person typed: the client appends the content of files that a prompt names. */
export function promptOfParts(content: unknown): string {
  const text = textOfParts(content);
  const start = text.indexOf(filesBegin);
  if (start < 0) return text;
  const end = text.lastIndexOf(filesEnd);
  const rest = end < start ? '' : text.slice(end + filesEnd.length);
  return `${text.slice(0, start).trimEnd()}\n${rest.trim()}`.trim();
}

/**
 * What the client says in the person's place: that the model should go on, and what it tells its own subagents, which
 * until about 0.35 spoke in the session's own file.
 */
export const isClients = (text: string): boolean =>
  /^(?:(?:System: )?Please continue\.$|Your task is to do a deep investigation of the codebase to find all relevant files|Your task is to answer the following question about Gemini CLI:|You have (?:stopped calling tools without finishing|exceeded the (?:time limit|maximum number of turns))\. You have one final chance to complete)/.test(
    text,
  );

export interface Responded {
  readonly id: string | undefined;
  readonly failed: boolean;
  readonly output: string;
}

/** The responses to calls. A command's exit code is in the text, even if the status is good. */
export function responsesIn(content: unknown): Responded[] {
  return partsOf(content).flatMap((part) => {
    const { functionResponse } = asObject(part);
    if (functionResponse === undefined) return [];
    const { id, response } = asObject(functionResponse);
    const { output, error } = asObject(response);
    const said = asString(error) ?? asString(output) ?? '';
    const text = /^<untrusted_context>\n?([\s\S]*?)\n?<\/untrusted_context>$/.exec(said)?.[1] ?? said;
    return [{ id: asString(id), failed: error !== undefined || hasFailed(text), output: text }];
  });
}

/** The last lines of a command's output say how it ended; of a command that was stopped, the first. */
export const hasFailed = (text: string): boolean => {
  const end = text.slice(-400);
  return exitCode.test(end) || signal.test(end) || stopped.test(text);
};

const exitCode = /^Exit Code: (?!0$|\(none\)$)\S+$/m;
const signal = /^Signal: (?!\(none\)$|0$)\S+(?:\nBackground PIDs: [^\n]*)?(?:\nProcess Group PGID: [^\n]*)?\s*$/m;
const stopped = /^Command (?:was (?:automatically cancelled because|cancelled by user before)|timed out after)/;

export const filesOfArgs = (args: unknown): string[] => textsAt(args, ['file_path', 'absolute_path', 'path']);
