// What a session completed, as text for people and for search.
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
