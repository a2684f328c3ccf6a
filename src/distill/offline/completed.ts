// What a session completed, as text: this file alone knows the wording, so that others get the parts as data.
import { sentencesOf } from '../../language/gist.ts';
import { code, listed } from './say.ts';

/** Everything but `done` and `opened`, which are sentences, is a list of names or commands. */
export interface Completed {
  readonly done: readonly string[];
  readonly modified: readonly string[];
  readonly commits: readonly string[];
  readonly opened: readonly string[];
  readonly released: readonly string[];
  readonly passed: readonly string[];
}

export const completedText = ({ done, modified, commits, opened, released, passed }: Completed): string =>
  [
    ...done,
    modified.length > 0 ? `Modified ${listed(modified.map(code), 8)}.` : '',
    commits.length > 0 ? `Committed: ${listed(commits.map(quoted), 4)}.` : '',
    ...opened,
    released.length > 0 ? `Ran ${listed(released.map(code), 3)}.` : '',
    passed.length > 0 ? `At the end ${listed(passed.map(code), 3)} passed.` : '',
  ]
    .filter((text) => text !== '')
    .join(' ');

const quoted = (message: string): string => `“${message}”`;

export interface CompletedParts {
  /** The commits as the text lists them, and the quoted message of each. Undefined if the session committed nothing. */
  readonly commits: { readonly list: string; readonly messages: readonly string[] } | undefined;
  /** The sentences about the work itself: not the files, commands and checks. */
  readonly done: readonly string[];
}

/** Reads the text of any summary: stored ones have no other form, and a model or a person may have written it. */
export function completedParts(text: string): CompletedParts {
  const list = /Committed: (.+?”(?: and \d+ more)?)\.(?: |$)/.exec(text)?.[1];
  return {
    commits: list === undefined ? undefined : { list, messages: list.match(/“[^”]+”?/g) ?? [list] },
    done: sentencesOf(text)
      .map((sentence) => sentence.text)
      .filter((sentence) => !/^(?:Modified|Ran|At the end)\b/.test(sentence)),
  };
}
