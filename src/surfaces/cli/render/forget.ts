import { plural } from '../../../language/plural.ts';
import { clean } from '../style.ts';
import type { View } from '../view.ts';

interface Forgotten {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly forgotten: boolean;
  readonly removed: Readonly<Record<string, number>>;
  readonly files: readonly string[];
  readonly left: readonly string[];
}

const words: readonly (readonly [string, string, string?])[] = [
  ['sessions', 'session'],
  ['entries', 'entry', 'entries'],
  ['toolUses', 'tool use'],
  ['observations', 'observation'],
  ['summaries', 'summary', 'summaries'],
  ['memories', 'memory', 'memories'],
  ['briefings', 'briefing'],
  ['pins', 'pin'],
];

export function renderForgotten({ kind, title, forgotten, removed, files, left }: Forgotten, { style }: View): string {
  const gone = words.flatMap(([key, one, many]) =>
    (removed[key] ?? 0) > 0 ? [plural(removed[key] as number, one, ...(many === undefined ? [] : [many]))] : [],
  );
  return [
    `${forgotten ? 'Forgotten' : 'Would delete'}: the ${kind} “${style.bold(clean(title))}”${gone.length > 0 ? ` (${gone.join(', ')})` : ''}`,
    ...files.map((file) => `${forgotten ? 'Updated or deleted' : 'Would be updated or deleted'}: ${clean(file)}`),
    ...left.map((each) => `${style.yellow('Left in place:')} ${clean(each)}`),
    ...(forgotten ? [] : ['Nothing was changed.']),
  ].join('\n');
}
