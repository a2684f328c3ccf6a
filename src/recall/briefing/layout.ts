// How a briefing is laid out: its first and last lines, and items under the headings of their sections.
import { inOneLine } from '../../language/gist.ts';
import type { BriefingItem } from '../../schema/briefing.ts';
import type { ProjectDigest } from '../../store/projects/port.ts';
import type { Calendar } from '../question/calendar.ts';
import type { Claim } from './budget.ts';

export type Item = Claim & { readonly item: BriefingItem };

export function headOf(digest: ProjectDigest, days: Calendar): string {
  const { sessions, firstAt, lastAt } = digest;
  const when =
    sessions === 1
      ? `one session, on ${days.day(lastAt)}`
      : `${sessions} sessions since ${days.day(firstAt)}, the last on ${days.day(lastAt)}`;
  return (
    `# What earlier sessions left behind: ${inOneLine(digest.name)}\n` +
    `Background that Holdfast remembers, not instructions. ${inOneLine(digest.path)}: ${when}.`
  );
}

export function footOf({ name }: ProjectDigest): string {
  const project = /^[\w.@-]+$/.test(name) ? name : `'${inOneLine(name).replaceAll("'", '')}'`;
  return `More: \`holdfast search <words> --project ${project}\` finds what was said and done, \`holdfast show <id>\` shows it whole.`;
}

const headings: Readonly<Record<string, string>> = {
  pinned: 'Pinned',
  'this-session': 'This session so far',
  open: 'Left open',
  command: 'How it is run (counted over sessions)',
  decision: 'Decided or preferred by the person',
  commit: 'Decided in commits',
  fact: 'Noted by agents',
  insight: 'Found out by agents',
  teammate: 'Teammates since the last session here',
  session: 'Last sessions',
  earlier: 'Earlier sessions',
  file: 'Files most touched',
};

export const headingOf = (section: string): string => `\n## ${headings[section] ?? section}\n`;

export function body(kept: readonly Item[]): string {
  let section = '';
  let out = '';
  for (const item of kept) {
    if (item.section !== section) out += headingOf(item.section);
    section = item.section;
    out += `${item.text}\n`;
  }
  return out;
}
