import { plural } from '../../../language/plural.ts';
import { withCommas } from '../../../schema/with-commas.ts';
import { bytes, clean } from '../style.ts';
import type { View } from '../view.ts';

type Counts = Readonly<Record<string, number>>;

export function renderExport({ file, bytes: size, counts }: { file: string; bytes: number; counts: Counts }): string {
  if (file === '-') return '';
  return `Exported ${plural(counts.entry ?? 0, 'entry', 'entries')} of ${plural(counts.file ?? 0, 'transcript')} to ${clean(file)} (${bytes(size)}).`;
}

interface Imported {
  readonly transcripts: number;
  readonly entries: number;
  readonly rows: Counts;
  readonly claudeMem?:
    | {
        readonly sessions: number;
        readonly known: number;
        readonly prompts: number;
        readonly observations: number;
        readonly summaries: number;
        readonly left: readonly string[];
      }
    | undefined;
}

export function renderImport({ transcripts, entries, rows, claudeMem }: Imported, { style }: View): string {
  const others = Object.entries(rows)
    .filter(([is, n]) => n > 0 && is !== 'job' && is !== 'conversation')
    .map(([is, n]) => `${withCommas(n)} × ${is}`);
  const lines = [
    `Imported ${plural(entries, 'entry', 'entries')} of ${plural(transcripts, 'transcript')}${others.length > 0 ? `; ${others.join(', ')}` : ''}.`,
  ];
  if (claudeMem !== undefined) {
    const { sessions, known, prompts, observations, summaries, left } = claudeMem;
    lines.push(
      `claude-mem: ${plural(sessions, 'session')} (${known} with a transcript here), ${plural(prompts, 'prompt')}, ` +
        `${plural(observations, 'observation')}, ${plural(summaries, 'summary', 'summaries')}. ${style.dim('Observations of one turn are merged into one.')}`,
      ...left.map((each) => `${style.yellow('Left out:')} ${clean(each)}`),
    );
  }
  return lines.join('\n');
}
