// A session as readable Markdown: what was said and by whom, nothing else.

import type { Entry } from '../../schema/entry.ts';

const longest = 2000;
const longestSlug = 50;

/** What the person and the model said, as paragraphs. Empty if they said nothing. */
export function archiveBody(entries: readonly Entry[], assistant: string): string {
  return entries
    .filter(({ author, abandoned, subagent }) => author !== 'machine' && !abandoned && subagent === undefined)
    .map((entry) => ({ who: entry.role === 'user' ? 'User' : assistant, said: textOf(entry) }))
    .filter(({ said }) => said !== '')
    .map(({ who, said }) => `**${who}**: ${shortened(said)}\n`)
    .join('\n');
}

const textOf = (entry: Entry): string => entry.text.trim();

/** Cuts after 2,000 characters, never within one. */
function shortened(text: string): string {
  if (text.length <= longest) return text;
  const cut = text.charCodeAt(longest - 1);
  return `${text.slice(0, cut >= 0xd800 && cut <= 0xdbff ? longest - 1 : longest)}...`;
}

export const archiveText = (title: string, at: number, timeZone: string, body: string): string =>
  `# ${oneLine(title)}\n\nArchived: ${archiveDate(at, timeZone)}\n\n---\n\n${body}`;

/** `Feb 21, 3:39 AM` */
export function archiveDate(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  return format.format(at).replaceAll('\u202f', ' ');
}

/** The given name, else the session's title, else its first prompt, else the time. */
export function archiveTitle(
  { name, title, entries, at }: { name?: string | undefined; title: string; entries: readonly Entry[]; at: number },
  timeZone: string,
): string {
  const first = entries.find(({ author }) => author === 'person')?.text ?? '';
  const candidates = [name ?? '', title, Array.from(oneLine(first)).slice(0, 80).join('')];
  return candidates.map(oneLine).find((text) => text !== '') ?? `Conversation of ${archiveDate(at, timeZone)}`;
}

/** `2026-02-21-tax-research`: one to 50 characters after the date. */
export function archiveName(title: string, at: number, timeZone: string): string {
  const date = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const slug = Array.from(words).slice(0, longestSlug).join('').replace(/-+$/, '');
  return `${date.format(at)}-${slug === '' ? 'conversation' : slug}`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
