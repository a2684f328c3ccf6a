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

/** The last lines of a command's output say how it ended. */
export const hasFailed = (text: string): boolean => /^Exit Code: (?!0$|\(none\)$)\S+$/m.test(text.slice(-400));

export const filesOfArgs = (args: unknown): string[] => textsAt(args, ['file_path', 'absolute_path', 'path']);
