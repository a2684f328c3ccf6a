import { plural } from '../../../language/plural.ts';
import { withCommas } from '../../../schema/with-commas.ts';

interface Embedded {
  readonly model: string | null;
  readonly entries: number;
  readonly refined: number;
  readonly left: number;
}

export function renderEmbed({ model, entries, refined, left }: Embedded): string {
  if (model === null) return 'Search by meaning is switched off (embedding.kind).';
  const waiting = left === 0 ? '' : `; ${withCommas(left)} are still waiting; another process may be embedding them`;
  return `Embedded ${plural(refined, 'text')}. ${plural(entries, 'entry', 'entries')} can be found by meaning${waiting}.`;
}
