// Observations and summaries as plain text, for reading in full.
import type { Observation } from '../../schema/observation.ts';
import type { Summary } from '../../schema/summary.ts';

/** Field after field, without empty ones. */
export function observationText(one: Observation): string {
  return paragraphs([
    ['', `${one.title} (${one.type})`],
    ['', one.subtitle],
    ['', one.narrative],
    ['Facts', one.facts.map((fact) => `- ${fact}`).join('\n')],
    ['Modified', one.filesModified.join(', ')],
    ['Read', one.filesRead.join(', ')],
    ['About', one.concepts.join(', ')],
    ['From', `prompt ${one.prompt}, entries ${one.entries.join(', ')}`],
    ['By', one.by],
  ]);
}

/** The non-empty parts of a summary, with labels for people. */
export const summaryParts = (one: Summary): [string, string][] =>
  (
    [
      ['Request', one.request],
      ['Investigated', one.investigated],
      ['Learned', one.learned],
      ['Completed', one.completed],
      ['Next steps', one.nextSteps],
      ['Notes', one.notes],
    ] satisfies [string, string][]
  ).filter(([, text]) => text !== '');

export const summaryText = (one: Summary): string =>
  paragraphs([['', one.title], ...summaryParts(one), ['By', one.by]]);

const paragraphs = (parts: readonly (readonly [string, string])[]): string =>
  parts
    .filter(([, text]) => text !== '')
    .map(([name, text]) => (name === '' ? text : `${name}:${text.startsWith('- ') ? '\n' : ' '}${text}`))
    .join('\n');
