import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { BriefingAnswer } from '../../../operations/recall/briefing.ts';
import { clean } from '../style.ts';
import { localTime, type View } from '../view.ts';

export function renderBriefing(answer: z.infer<typeof BriefingAnswer>, view: View): string {
  const { style } = view;
  if (answer.given !== undefined)
    return answer.given
      .map((one) => {
        const head = [localTime(one.at, view), one.source, one.agent, one.session]
          .map((part) => clean(part))
          .join('  ');
        return `${style.bold(head)}\n${clean(one.text)}`;
      })
      .join('\n\n');
  if (answer.text === '')
    return `There is nothing about this project yet. ${style.dim('Import first: holdfast ingest; list projects: holdfast projects')}`;
  const size = `${plural(answer.characters, 'character')}, about ${plural(answer.tokens, 'token')}`;
  return `${clean(answer.text)}\n\n${style.dim(size)}`;
}
