// Whose words a statement rests on, and how a page says so. The person's words need no mark; others show their source.
import type { Extraction } from '../../schema/extraction.ts';
import type { SaidBy } from '../../schema/memory.ts';

const marks: Readonly<Record<SaidBy, string>> = {
  person: '',
  agent: ' (an agent’s words)',
  runs: ' (seen in commands)',
};

export const sourceMark = (saidBy: SaidBy): string => marks[saidBy];

/** The wording that the offline distiller has always used for what it counts from runs. */
const counted =
  /^(?:The package manager is|It is written in|Tests are run with|It is built with|Types are checked with|It is formatted with|It is linted with|All checks are run with) /;

/**
 * The source of a statement that an older version stored without one. The offline distiller took facts only from the person's prompts;
 * a model could take them from anywhere.
 */
export function unmarked(list: keyof Extraction, text: string, by: string): SaidBy {
  if (list === 'milestones') return text.startsWith('The person said: ') ? 'person' : 'runs';
  if (list === 'episodes' || list === 'insights' || by !== 'offline') return 'agent';
  return list === 'projects' && counted.test(text) ? 'runs' : 'person';
}
