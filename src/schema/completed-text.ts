// What older versions stored as the text `completed` alone: this finds the outcome and the commits in it.

const codes = '`[^`]+`(?:(?:, | and )`[^`]+`)*(?: and \\d+ more)?';
const commitList = 'Committed: (.{1,4000}?”(?: and \\d+ more)?)';
const lists = new RegExp(
  `(?:^|\\s)(?:Modified ${codes}|${commitList}|Ran ${codes}|At the end ${codes} passed)\\.(?=\\s|$)`,
  'g',
);

export interface SummaryParts {
  readonly outcome: string;
  readonly commits: readonly string[];
}

/** A text that a model or a person wrote has no lists of ours: it is the outcome. */
export function partsOfCompleted(completed: string): SummaryParts {
  const list = new RegExp(`(?:^|\\s)${commitList}\\.(?=\\s|$)`).exec(completed)?.[1] ?? '';
  return {
    outcome: completed.replace(lists, '').trim(),
    commits: [...list.matchAll(/“([^”]+)”/g)].map(([, title]) => title as string),
  };
}

/** A summary of an older export or hub, with the parts that newer ones have as fields. */
export function withParts<
  T extends { completed: string; outcome?: string | undefined; commits?: string[] | undefined },
>(summary: T): T & { outcome: string; commits: string[] } {
  const { outcome, commits } = partsOfCompleted(summary.completed);
  return { ...summary, outcome: summary.outcome ?? outcome, commits: summary.commits ?? [...commits] };
}
