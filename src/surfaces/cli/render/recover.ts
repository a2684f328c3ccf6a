import type { z } from 'zod';
import { plural } from '../../../language/plural.ts';
import type { recover } from '../../../operations/data/recover.ts';
import { withCommas } from '../../../schema/with-commas.ts';
import { clean } from '../style.ts';
import { localTime, type View } from '../view.ts';

const kinds: Readonly<Record<string, string>> = {
  toolUses: 'tool uses',
  messagesIn: 'messages to groups',
  messagesOut: 'answers of groups',
  edits: 'edits of pages',
  statements: 'remembered statements',
  forgotten: 'hashes of forgotten items',
  memoriesForgotten: 'hashes of forgotten memories',
};

export function renderRecover(output: z.infer<(typeof recover)['output']>, view: View): string {
  const { style } = view;
  const { sources, counts, lost, recovered, previous, database, before } = output;
  const { transcripts, vault, backup } = sources;
  const from = [
    `${plural(transcripts.files, 'transcript')}, ${plural(transcripts.entries, 'entry', 'entries')}`,
    `${plural(vault.copies, 'copy', 'copies')} in the vault, ${plural(vault.entries, 'entry', 'entries')} more`,
    `the database (${before}): ${plural(sources.database.rows, 'row')} could be read, ${withCommas(sources.database.unread)} could not`,
    backup === undefined ? 'no backup' : `the backup of ${localTime(backup.at, view)}`,
    `${plural(sources.pages, 'memory page')}, ${plural(sources.forgotten, 'hash', 'hashes')} of forgotten items`,
    ...(sources.spool > 0 ? [`${plural(sources.spool, 'report')} of hooks, for the worker`] : []),
  ];
  const held = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => `${withCommas(n)} ${kinds[kind] ?? kind}`);
  return [
    recovered
      ? `${style.green('Recovered')} ${database}`
      : style.yellow('Dry run: this would come back. Nothing was changed.'),
    ...from.map((line) => `  from ${clean(line)}`),
    `It ${recovered ? 'holds' : 'would hold'} ${held.join(', ')}.`,
    ...(lost.length === 0
      ? [style.green('Nothing is missing, as far as can be checked.')]
      : ['', style.yellow('Not recovered, or not for certain:'), ...lost.map((line) => `  - ${clean(line)}`)]),
    ...(previous === undefined ? [] : ['', style.dim(`The old file is kept as ${previous}`)]),
  ].join('\n');
}
